// "Perhaps you meant": the known name nearest to an unknown one. The ranking is that of PostgREST's fuzzy search: common
// letter groups select the candidates, the edit distance decides.

const maxCandidates = 50;

interface Match {
  name: string;
  /** 1 for the same name, apart from case. */
  score: number;
}

/** Undefined if no name is similar. */
export function closest(name: string, known: string[], minScore: number): string | undefined {
  return closestMatch(name, known, minScore)?.name;
}

export function closestMatch(name: string, known: string[], minScore: number): Match | undefined {
  const wanted = name.toLowerCase();
  const exact = known.find((other) => other.toLowerCase() === wanted);
  if (exact !== undefined) return { name: exact, score: 1 };
  // A stranger may send megabytes. A name this long is similar to none.
  if (wanted.length > Math.max(0, ...known.map((other) => other.length)) / minScore) return;
  const distinct = [...new Set(known)].sort();
  for (const size of [3, 2]) {
    const scored = candidates(wanted, distinct, size)
      .map((other) => ({ name: other, score: similarity(wanted, other.toLowerCase(), minScore) }))
      .filter(({ score }) => score >= minScore)
      .sort((a, b) => b.score - a.score);
    if (scored.length) return scored[0];
  }
}

/** The names with common groups of `size` letters, by the angle between the counts of their groups. */
function candidates(wanted: string, known: string[], size: number): string[] {
  const counts = groups(wanted, size), length = norm(counts);
  return known
    .map((name) => {
      const others = groups(name.toLowerCase(), size);
      let common = 0;
      for (const [group, count] of others) common += count * (counts.get(group) ?? 0);
      return { name, score: common / (length * norm(others)) };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxCandidates)
    .map(({ name }) => name);
}

function groups(text: string, size: number): Map<string, number> {
  const letters = [..."-" + text.replace(/[^\p{L}\p{N}\s,]/gu, "") + "-"];
  const counts = new Map<string, number>();
  for (let i = 0; i + size <= letters.length; i++) {
    const group = letters.slice(i, i + size).join("");
    counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  return counts;
}

const norm = (counts: Map<string, number>) => Math.sqrt(counts.values().reduce((sum, n) => sum + n * n, 0));

/** One minus the share of edited letters. Lengths that differ too much are not compared. */
function similarity(a: string, b: string, minScore: number): number {
  const longest = Math.max(a.length, b.length);
  if (Math.min(a.length, b.length) / longest < minScore) return 0;
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      row[j] = Math.min(row[j - 1] + 1, previous[j] + 1, previous[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    previous = row;
  }
  return 1 - previous[b.length] / longest;
}
