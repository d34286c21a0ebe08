// A pool of connections to a server that stops answering: callers are told in time, and no connection stays lost.
import assert from "node:assert/strict";
import { eventually } from "../eventually.ts";
import { feedScratch } from "../feed/scratch.ts";
import { type HeldDatabase, startHeldDatabase } from "../local/held_database.ts";

interface PgError {
  code?: string;
  status?: number;
}

const failure = (work: Promise<unknown>): Promise<PgError> => work.then(() => ({}), (error: PgError) => error);

Deno.test("a pool", { sanitizeOps: false, sanitizeResources: false }, async (t) => {
  let held!: HeldDatabase;
  await using scratch = await feedScratch((url) => (held = startHeldDatabase(url)).url);
  const { openPool } = await import("../../functions/_shared/pool.ts");
  const pool = openPool({ size: 2, statementTimeoutMs: 300, connectTimeoutSeconds: 1 });
  const pid = () => pool.run((sql) => sql`select pg_backend_pid() as pid`).then(([{ pid }]) => pid as number);
  const sleep = (seconds: number, limitMs?: number) => pool.run((sql) => sql`select pg_sleep(${seconds})`, limitMs);

  await t.step(
    "tells a caller 503 at its limit, and takes the connection back when the server ends the statement",
    async () => {
      const before = await pid();
      assert.equal((await failure(sleep(5, 100))).status, 503);
      assert.equal((await failure(sleep(5))).code, "57014");
      assert.ok((await Promise.all([pid(), pid()])).includes(before));
    },
  );

  await t.step("limits the wait for a connection as well, and forgets the work that gave up", async () => {
    const [one, two] = [failure(sleep(5)), failure(sleep(5))];
    let ran = false;
    const waited = failure(pool.run((sql) => (ran = true, sql`select`), 50));
    assert.equal((await waited).status, 503);
    await Promise.all([one, two]);
    await pid();
    assert.equal(ran, false);
  });

  await t.step("replaces connections whose server answers nothing, while it still does not", async () => {
    const before = await Promise.all([pid(), pid()]);
    const stuck = held.hold("functions");
    for (const each of [sleep(0, 50), sleep(0, 50)]) assert.equal((await failure(each)).status, 503);
    assert.equal((await failure(sleep(0, 50))).status, 503, "both connections are taken");
    held.hold("functions").release(); // lets new connections pass, and none that is stuck
    const after = await Promise.all([pid(), pid()]);
    assert.deepEqual(after.filter((pid) => before.includes(pid)), []);
    stuck.release();
  });

  await t.step("replaces one connection that the server ends, and keeps the other", async () => {
    const [one, two] = await Promise.all([pid(), pid()]);
    await scratch.sql`select pg_terminate_backend(${one})`;
    await eventually("only the ended one is gone", async () => {
      const now = await Promise.all([pid(), pid()]).catch((): number[] => []);
      return now.length === 2 && !now.includes(one) && now.includes(two);
    });
  });

  await t.step("gives back the connection of work that throws", async () => {
    for (let times = 0; times < 3; times++) {
      const thrown = failure(pool.run(() => {
        throw Object.assign(new Error("no"), { status: 400 });
      }));
      assert.equal((await thrown).status, 400);
    }
    assert.equal(typeof await pid(), "number");
  });
  await pool.close();
  await held[Symbol.asyncDispose]();
});
