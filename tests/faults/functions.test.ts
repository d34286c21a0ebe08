// Functions under load without their database: the process survives, returns 503, and recovers.
import assert from "node:assert/strict";
import { episode, person, podcast, sql, stackInfo, waitFor } from "../http/harness.ts";
import { startDatabaseProxy } from "./database_proxy.ts";
import { type FunctionsProcess, startFunctions } from "../functions.ts";
import { within } from "../wait_for.ts";

async function statusOf(response: Promise<Response>): Promise<number> {
  const { status, body } = await response;
  await body?.cancel();
  return status;
}

const ready = ({ url }: FunctionsProcess) => statusOf(fetch(`${url}/api/health/ready`));

/** Sends concurrent requests until the work is done; returns their statuses. */
async function whileRequesting(
  callers: number,
  request: () => Promise<number>,
  work: () => Promise<unknown>,
): Promise<Set<number>> {
  let busy = true;
  const seen = new Set<number>();
  const loops = Array.from({ length: callers }, async () => {
    while (busy) seen.add(await request());
  });
  await work().finally(() => busy = false);
  await Promise.all(loops);
  return seen;
}

// Connections of clients outlive the tests
const sanitize = { sanitizeOps: false, sanitizeResources: false };

Deno.test("functions with more callers than connections respond to all of them", sanitize, async () => {
  await using functions = await startFunctions(stackInfo);
  const show = await podcast("Besieged"), pilot = await episode(show), { token } = await person("owner");
  // statements of more than 1 KB leave by another way than small ones
  const bodies = [1, 900].map((length) =>
    JSON.stringify({
      podcastId: show.id,
      episodeId: pilot.id,
      contentType: "audio/mpeg",
      filename: "a".repeat(length),
      fileSize: 1000,
    })
  );
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const often = Promise.withResolvers<void>();
  let requestCount = 0;
  const request = () => {
    if (++requestCount === 1000) often.resolve();
    const body = bodies[requestCount % 2];
    return statusOf(fetch(`${functions.url}/api/media/audio/presigned-url`, { method: "POST", headers, body }));
  };
  assert.deepEqual(
    await whileRequesting(64, request, () => within("1000 requests", often.promise, 60)),
    new Set([200]),
  );
});

Deno.test("functions recover after all their database connections are dropped under load", sanitize, async () => {
  await using database = startDatabaseProxy(stackInfo);
  await using functions = await startFunctions(stackInfo, { SUPABASE_DB_URL: database.url });
  let okCount = 0;
  const request = () => ready(functions).then((status) => (status === 200 && okCount++, status));
  const seen = await whileRequesting(16, request, async () => {
    for (let times = 0; times < 10; times++) {
      const before = okCount;
      await waitFor("the functions respond again", () => Promise.resolve(okCount > before + 16));
      await waitFor("connections are dropped", async () => {
        const ended = await sql`
          select pg_terminate_backend(pid) from pg_stat_activity where client_port = any (${database.ports()}::int[])`;
        return ended.length > 0;
      });
    }
  });
  assert.deepEqual([...seen].filter((status) => status !== 200 && status !== 503), []);
  for (let requestCount = 0; requestCount < 50; requestCount++) {
    await waitFor("the functions respond", async () => await ready(functions) === 200);
  }
  await waitFor("the functions respond to fifty at once", async () => {
    const statuses = await Promise.all(Array.from({ length: 50 }, () => ready(functions)));
    return statuses.every((status) => status === 200);
  });
});
