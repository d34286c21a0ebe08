// How a pool shares its connections: work that contends for the same rows has a common key.
import { deepStrictEqual as deepEqual } from "node:assert";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";

const { openPool } = await withEnvironment(UNREACHABLE_ENV, () => import("../../functions/database/pool.ts"));

/** A pool of four connections, whose work runs until the test ends it. */
function startPool() {
  const pool = openPool({ size: 4, statementTimeoutMs: 1000, connectTimeoutSeconds: 1 });
  const running = new Map<string, () => void>(), results: Promise<void>[] = [];
  return {
    /** Names of the running work, in the order of its start. */
    running: () => [...running.keys()],
    begin(name: string, ...keys: string[]) {
      const { promise, resolve } = Promise.withResolvers<void>();
      results.push(pool.run(() => (running.set(name, resolve), promise), undefined, keys));
    },
    async end(name: string) {
      running.get(name)!();
      running.delete(name);
      await new Promise((resolve) => setTimeout(resolve)); // after the pool's own steps
    },
    async endAll() {
      for (let name; ([name] = running.keys(), name);) await this.end(name);
      await Promise.all(results);
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
