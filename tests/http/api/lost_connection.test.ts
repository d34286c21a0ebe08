// The database connection is lost at each statement of the clean-up of a failed upload: the object is removed by the next
// attempt, the caller receives the reason of the failure, and the functions keep running.
import assert from "node:assert/strict";
import { type DatabaseProxy } from "../../faults/database_proxy.ts";
import {
  type FaultyFunctions,
  isRemoval,
  isStore,
  requestTo,
  startFaultyFunctions,
  testWithFaults,
} from "../../faults/faulty_functions.ts";
import { assertError, episode, person, podcast, sql, waitFor } from "../harness.ts";
import { objectsOf, upload } from "./audio.ts";

const as = { token: (await person("admin")).token };
const show = await podcast("Cleaned up");

/** Uploads audio that storage stores but reports as failed; runs `removing` when the object is deleted. */
async function failedUpload(functions: FaultyFunctions, removing: () => Promise<unknown> = () => Promise.resolve()) {
  const pilot = await episode(show);
  functions.storage.fault = (request, forward) => {
    if (isStore(request)) {
      return forward().then(async (stored) => {
        await stored.body?.cancel();
        return new Response("the disk is full", { status: 507 });
      });
    }
    if (isRemoval(request)) return removing().then(forward);
  };
  let isOver = false;
  functions.ended.then(() => isOver = true);
  const response = await requestTo(functions, { ...upload(show, pilot), method: "PUT", as, body: "some audio" });
  assertError(response, 500, { error: "The file could not be stored" });
  assert.deepEqual(await objectsOf(pilot), []);
  assert.equal((await requestTo(functions, { method: "GET", path: "/api/health/ready" })).status, 200);
  assert.equal(isOver, false);
}

/** Terminates the backend of these functions that waits in this statement. */
const terminated = (database: DatabaseProxy, statement: string) =>
  waitFor(`${statement} waits, and is terminated`, async () => {
    const found = await sql`
      select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'
        and query like ${`%private.${statement}(%`} and client_port = any (${database.ports()}::int[])`;
    return found.length > 0;
  });

for (const statement of ["begin_object_removal", "end_object_removal"]) {
  Deno.test(`a failed upload is removed when the connection is lost before ${statement} arrives`, async () => {
    // Functions of its own: a statement that was prepared before would not be seen
    await using functions = await startFaultyFunctions();
    let cuts = 0;
    functions.database.cuts = (sent) => sent.includes(statement) && ++cuts === 1;
    await failedUpload(functions);
    assert.equal(cuts, 2, "the removal is attempted again");
  });
}

testWithFaults(
  "a failed upload is removed when the connection is lost while begin_object_removal runs",
  async (functions) => {
    const other = await sql.reserve();
    try {
      await other`begin`;
      await other`lock table private.object_removals in share row exclusive mode`;
      const lost = terminated(functions.database, "begin_object_removal").then(() => other`rollback`);
      await Promise.all([failedUpload(functions), lost]);
    } finally {
      await other`rollback`;
      other.release();
    }
  },
);

testWithFaults(
  "a failed upload is removed when the connection is lost while end_object_removal runs",
  async (functions) => {
    const other = await sql.reserve();
    let lost: Promise<unknown> | undefined;
    try {
      await failedUpload(functions, async () => {
        if (lost) return;
        await other`begin`;
        await other`lock table private.object_removals in share row exclusive mode`;
        lost = terminated(functions.database, "end_object_removal").then(() => other`rollback`);
      });
      await lost;
    } finally {
      await other`rollback`;
      other.release();
    }
  },
);
