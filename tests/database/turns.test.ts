// openTurns() under random work, checked after each step; a seed reproduces a failure.
import { deepStrictEqual as deepEqual, ok } from "node:assert";
import { openTurns, type Turn, type Turns } from "../../functions/database/turns.ts";
import { seededRandom } from "../random.ts";

const SIZE = 4, HALF = 2;

/** Episodes, such as a1, belong to the podcast of their letter. */
const ownerOf = (key: string) => /^[a-z]\d$/.test(key) ? key[0] : undefined;

interface Work extends Turn {
  name: number;
}

/** Turns of a pool whose questions have a turn too, which begins at once or waits, as in pool.ts. */
function startTurns() {
  const running = new Set<Turn>(), waiting = new Set<Work>();
  const questions: (() => void)[] = [];
  let count = 0;
  const turns: Turns = openTurns(SIZE, (keys) => {
    const { promise, resolve } = Promise.withResolvers<Map<string, string>>();
    const question: Turn = {
      keys: [],
      start() {
        running.add(question);
        questions.push(() => {
          running.delete(question);
          turns.end(question);
          const found = keys.flatMap((key) => ownerOf(key) ? [[key, ownerOf(key)!] as const] : []);
          resolve(new Map(found));
        });
      },
    };
    turns.add(question);
    return promise;
  });
  return {
    running,
    waiting,
    questions,
    add(limits: Partial<Turn>) {
      const work: Work = {
        keys: [],
        ...limits,
        name: count++,
        start() {
          waiting.delete(work);
          running.add(work);
        },
      };
      waiting.add(work);
      turns.add(work);
      return work;
    },
    end(work: Turn) {
      running.delete(work);
      turns.end(work);
    },
    cancel(work: Work) {
      waiting.delete(work);
      turns.cancel(work);
    },
    async respond() {
      questions.shift()?.();
      await new Promise((resolve) => setTimeout(resolve));
    },
  };
}

function count(running: Iterable<Turn>, of: (turn: Turn) => Iterable<string | undefined>): number {
  const counts = new Map<string, number>();
  for (const turn of running) {
    for (const name of new Set(of(turn))) if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}

Deno.test("random work never exceeds a share, leaves no startable work waiting, and all of it ends", async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = seededRandom(seed);
    const turns = startTurns();
    const assertShares = (when: string) => {
      const { running, waiting, questions } = turns;
      ok(running.size <= SIZE, `seed ${seed}, ${when}: ${running.size} run`);
      const namesOf = ({ keys, caller }: Turn) => [caller, ...keys, ...keys.map(ownerOf)];
      const most = count(running, namesOf);
      ok(most <= HALF, `seed ${seed}, ${when}: a key has ${most} connections`);
      ok(count(running, ({ kind }) => [kind]) <= SIZE - 1, `seed ${seed}, ${when}: a kind has all connections`);
      if (running.size === SIZE) return;
      for (const work of waiting) {
        const others = [...running, work];
        if (questions.length > 0 && work.keys.length > 0) continue; // it depends on owners
        const isStartable = count(others, namesOf) <= HALF && count(others, ({ kind }) => [kind]) < SIZE;
        ok(!isStartable, `seed ${seed}, ${when}: work ${work.name} waits beside a free connection`);
      }
    };
    const isWork = (turn: Turn): turn is Work => "name" in turn;
    for (let step = 0; step < 200; step++) {
      const work = [...turns.running].filter(isWork);
      const choice = random.below(4);
      if (choice <= 1) {
        turns.add({
          keys: Array.from({ length: random.below(3) }, () => random.one("abc".split("")) + random.one(["", "1", "2"])),
          caller: random.one([undefined, "ann", "bob", "cy"]),
          kind: random.one([undefined, "read", "call"]),
        });
      } else if (choice === 2 && work.length > 0) turns.end(random.one(work));
      else if (random.chance(0.1) && turns.waiting.size > 0) turns.cancel(random.one([...turns.waiting]));
      else await turns.respond();
      assertShares(`step ${step}`);
    }
    while (turns.waiting.size > 0 || turns.running.size > 0) {
      while (turns.questions.length > 0) await turns.respond();
      const [work] = [...turns.running].filter(isWork);
      ok(work, `seed ${seed}: ${turns.waiting.size} wait while nothing runs`);
      turns.end(work);
      assertShares("the end");
    }
  }
});

Deno.test("a question takes the connection that it finds, and no work takes the same one", async () => {
  const turns = startTurns();
  const first = turns.add({ keys: ["a1"] });
  turns.add({ keys: ["b1"] });
  turns.add({ keys: ["c1"] });
  await turns.respond();
  turns.add({});
  deepEqual([turns.running.size, turns.waiting.size], [4, 0]);
  turns.add({ keys: ["d1"] }); // its owner is unknown
  turns.add({});
  turns.end(first);
  deepEqual([turns.running.size, turns.waiting.size, turns.questions.length], [4, 2, 1]);
});

Deno.test("a podcast's team passes the other calls of one stranger about it", async () => {
  const turns = startTurns();
  const [first] = Array.from({ length: 6 }, () => turns.add({ keys: ["a"], caller: "stranger" }));
  const member = turns.add({ keys: ["a"], caller: "ann" });
  await turns.respond();
  turns.end(first);
  ok(turns.running.has(member));
});

Deno.test("keys that are too long for a slug begin without a question, however many wait", () => {
  const turns = startTurns();
  for (let n = 0; n < 400; n++) turns.add({ keys: [`${n}`.padStart(8000, "x")] });
  deepEqual([turns.running.size, turns.questions.length], [4, 0]);
});
