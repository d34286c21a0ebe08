// The worker: the database wakes it, and it processes the queues.
import assert from "node:assert/strict";
import { audioOf, objectsOf, put } from "./api/audio.ts";
import { startFunctions } from "../functions.ts";
import { assertError, episode, podcast, sendRequest, sql, stackInfo, waitFor } from "./harness.ts";

Deno.test("POST /worker returns 401 without the worker's secret", async () => {
  assertError(await sendRequest({ method: "POST", path: "/worker" }), 401);
  assertError(await sendRequest({ method: "POST", path: "/worker", as: "owner" }), 401);
  assertError(await sendRequest({ method: "POST", path: "/worker", as: { token: stackInfo.secretKey } }), 401);
  assertError(await sendRequest({ method: "GET", path: "/worker" }), 405);
  const [{ secret }] =
    await sql`select decrypted_secret as secret from vault.decrypted_secrets where name = 'worker_secret'`;
  assert.equal((await sendRequest({ method: "POST", path: "/worker", as: { token: secret } })).status, 202);
});

Deno.test("while one worker secret replaces another, both wake the worker, and without one nothing does", async () => {
  const [current, previous] = [crypto.randomUUID(), crypto.randomUUID()];
  const wake = async (url: string, secret: string) => {
    const response = await fetch(`${url}/worker`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: '{"queue":"storage_gc"}',
    });
    return [response.status, (await response.json()).error];
  };
  await using rotating = await startFunctions(stackInfo, { WORKER_SECRET: current, PREVIOUS_WORKER_SECRET: previous });
  for (const secret of [current, previous]) assert.equal((await wake(rotating.url, secret))[0], 202);
  assert.deepEqual(await wake(rotating.url, crypto.randomUUID()), [401, "Invalid worker secret"]);
  await using without = await startFunctions(stackInfo, { WORKER_SECRET: "short" });
  for (const secret of ["short", "undefined", ""]) {
    assert.deepEqual(await wake(without.url, secret), [
      500,
      "WORKER_SECRET must have at least 16 characters; the worker cannot be woken",
    ]);
  }
});

Deno.test("the worker deletes released objects, except those that are referenced again", async () => {
  const show = await podcast("Collected");
  const [kept, other] = [await episode(show), await episode(show, "Other")];
  await put(show, kept);
  await put(show, other);
  const [[referred], [free]] = [await objectsOf(kept), await objectsOf(other)];
  // released: no row references the object
  await sql`update public.episodes set audio_url = null, audio_file_size_bytes = null, audio_content_type = null,
    audio_duration_seconds = null where id = ${other.id}`;
  await sql`delete from private.media_objects where path = ${free}`;
  await sql`select private.enqueue('storage_gc', ${sql.json({ bucket: "media", paths: [referred, free] })})`;
  await waitFor("the object is deleted", async () => (await objectsOf(other)).length === 0);
  await waitFor("the job is done", async () => {
    const [{ count }] = await sql`select count(*)::int from pgmq.q_storage_gc where message -> 'paths' ? ${free}`;
    return count === 0;
  });
  assert.deepEqual(await objectsOf(kept), [referred]);
  const audio = await fetch((await audioOf(kept)).url!);
  assert.equal(await audio.text(), "some audio");
});
