// "Perhaps you meant": finds the known name that shares the most pairs of letters with an unknown one.

const minScore = 0.75;

/** Undefined if the name is known or no name is similar. */
export function closest(name: string, known: string[]): string | undefined {
  if (known.includes(name)) return;
  const scored = known.map((other) => ({ other, score: similarity(name, other) }));
  const best = scored.reduce((a, b) => b.score > a.score ? b : a, { other: "", score: 0 });
  return best.score >= minScore ? best.other : undefined;
}

function similarity(a: string, b: string): number {
  const pairsOfA = pairs(a), pairsOfB = pairs(b);
  const shared = pairsOfA.intersection(pairsOfB).size;
  return 2 * shared / (pairsOfA.size + pairsOfB.size);
}

const pairs = (name: string) => new Set([...` ${name} `].slice(1).map((_, i) => ` ${name} `.slice(i, i + 2)));
