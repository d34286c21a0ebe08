// How a pool shares its connections: work that contends for the same rows has a common key.
import { deepStrictEqual as deepEqual } from "node:assert";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";

const { openPool } = await withEnvironment(UNREACHABLE_ENV, () => import("../../functions/database/pool.ts"));

/** Waits for the pool's own steps. */
const settle = () => new Promise((resolve) => setTimeout(resolve));

type FindOwners = NonNullable<Parameters<typeof openPool>[0]["findOwners"]>;

/** A pool of four connections, whose work runs until the test ends it. */
function startPool(findOwners?: FindOwners) {
  const pool = openPool({ size: 4, findOwners });
  const running = new Map<string, () => void>(), results: Promise<void>[] = [];
  return {
    /** Names of the running work, in the order of its start. */
    running: () => [...running.keys()],
    begin(name: string, ...keys: string[]) {
      this.beginKind(undefined, name, keys);
    },
    beginKind(kind: string | undefined, name: string, keys: string[] = []) {
      const { promise, resolve } = Promise.withResolvers<void>();
      results.push(pool.run(() => (running.set(name, resolve), promise), { statementMs: 1000, kind, keys }));
    },
    async end(name: string) {
      running.get(name)!();
      running.delete(name);
      await settle();
    },
    async endAll() {
      for (let name; ([name] = running.keys(), name);) await this.end(name);
      await Promise.all(results);
      await pool.close();
    },
  };
}

Deno.test("work with a common key has at most half of a pool's connections, and the rest passes it", async () => {
  const pool = startPool();
  for (const n of [1, 2, 3]) pool.begin(`a${n}`, "a");
  pool.begin("b1", "b");
  deepEqual(pool.running(), ["a1", "a2", "b1"]);
  await pool.end("a1");
  deepEqual(pool.running(), ["a2", "b1", "a3"]);
  await pool.endAll();
});

Deno.test("work counts for each of its keys", async () => {
  const pool = startPool();
  pool.begin("1", "ann", "pilot");
  pool.begin("2", "bob", "pilot");
  pool.begin("3", "cy", "pilot");
  pool.begin("4", "ann", "finale");
  pool.begin("5", "ann", "sequel");
  deepEqual(pool.running(), ["1", "2", "4"]);
  await pool.end("1");
  deepEqual(pool.running(), ["2", "4", "3", "5"]);
  await pool.endAll();
});

Deno.test("a key that work names twice counts once", async () => {
  const pool = startPool();
  for (const name of ["1", "2", "3"]) pool.begin(name, "pilot", "pilot");
  deepEqual(pool.running(), ["1", "2"]);
  await pool.endAll();
});

Deno.test("a free connection goes to the work whose keys have the fewest, then to the one that waits longest", async () => {
  const pool = startPool();
  for (const name of ["a1", "a2", "b1", "b2", "b3", "c1", "d1"]) pool.begin(name, name[0]);
  deepEqual(pool.running(), ["a1", "a2", "b1", "b2"]);
  await pool.end("b1");
  deepEqual(pool.running(), ["a1", "a2", "b2", "c1"]);
  await pool.end("a1");
  deepEqual(pool.running(), ["a2", "b2", "c1", "d1"]);
  await pool.end("a2");
  deepEqual(pool.running(), ["b2", "c1", "d1", "b3"]);
  await pool.endAll();
});

Deno.test("work without a key may have all connections of a pool", async () => {
  const pool = startPool();
  for (const name of ["1", "2", "3", "4", "5"]) pool.begin(name);
  deepEqual(pool.running(), ["1", "2", "3", "4"]);
  await pool.endAll();
});

Deno.test("work of one kind leaves a connection to the other kinds", async () => {
  const pool = startPool();
  for (const name of ["r1", "r2", "r3", "r4"]) pool.beginKind("read", name);
  deepEqual(pool.running(), ["r1", "r2", "r3"]);
  pool.beginKind("call", "c1");
  pool.beginKind("call", "c2");
  deepEqual(pool.running(), ["r1", "r2", "r3", "c1"]);
  await pool.end("c1");
  deepEqual(pool.running(), ["r1", "r2", "r3", "c2"]);
  await pool.end("r2");
  deepEqual(pool.running(), ["r1", "r3", "c2", "r4"]);
  await pool.endAll();
});

/** Episodes belong to the podcast of their first letter. Collects the questions. */
function ownersByLetter(questions: string[][]): FindOwners {
  return (_, keys) => {
    questions.push(keys);
    return Promise.resolve(new Map(keys.filter((key) => /^[a-z]\d$/.test(key)).map((key) => [key, key[0]])));
  };
}

Deno.test("work counts for the owners of its keys, also work that began before they were known", async () => {
  const questions: string[][] = [];
  const pool = startPool(ownersByLetter(questions));
  for (const key of ["a1", "a2", "a3", "b1"]) pool.begin(key, key);
  pool.begin("a", "a");
  deepEqual(pool.running(), ["a1", "a2"]); // the question has the third connection
  await settle();
  deepEqual(pool.running(), ["a1", "a2", "b1"]);
  await pool.end("a1");
  deepEqual(pool.running(), ["a2", "b1", "a3"]);
  await pool.end("a2");
  deepEqual(pool.running(), ["b1", "a3", "a"]);
  deepEqual(questions.flat().toSorted(), ["a", "a1", "a2", "a3", "b1"]); // each once
  await pool.endAll();
});

Deno.test("owners are not asked for while less than half of the connections are busy", async () => {
  const questions: string[][] = [];
  const pool = startPool(ownersByLetter(questions));
  pool.begin("1", "a1");
  pool.begin("2", "a2");
  await pool.end("1");
  pool.begin("3", "a3");
  deepEqual([pool.running(), questions], [["2", "3"], []]);
  await pool.endAll();
});

Deno.test("keys whose owners cannot be found count for themselves", async () => {
  const pool = startPool(() => Promise.reject(new Error("The database is down")));
  for (const name of ["a1", "a2", "a3", "a1 again", "a1 once more"]) pool.begin(name, name.slice(0, 2));
  await settle();
  deepEqual(pool.running(), ["a1", "a2", "a3", "a1 again"]);
  await pool.endAll();
});
