// Errors that keep a change are returned, not raised: clients see no difference.
import assert from "node:assert/strict";
import { assertError, callRpc, person, podcast, sendRequest, sql } from "./harness.ts";

Deno.test("supabase-js gets message, code, hint and details of a returned error, as of a raised one", async () => {
  const show = await podcast("Growing"), [owner, admin] = [await person("owner"), await person("admin")];
  const offer = await callRpc<{ id: string }>(owner, "offer_podcast_transfer", {
    podcast_id: show.id,
    user_id: admin.id,
  });
  await sql`
    insert into private.media_objects (path, account_id, podcast_id, usage, bytes, content_type)
    values (${`covers/${crypto.randomUUID()}.png`}, ${owner.id}, ${show.id}, 'cover', 300, 'image/png')`;
  const returned = await admin.client.rpc("accept_podcast_transfer", { transfer_id: offer.id });
  assert.deepEqual([returned.status, returned.data, returned.error], [409, null, {
    code: "PT409",
    message: "The podcast has grown since it was offered; check storage_bytes and accept again",
    details: '{"storage_bytes": 300}',
    hint: "TRANSFER_SIZE_INCREASED",
  }]);
  const [{ storage_bytes }] = await sql`select storage_bytes from public.podcast_transfers where id = ${offer.id}`;
  assert.equal(Number(storage_bytes), 300, "the change is kept");

  assert.equal((await admin.client.rpc("accept_podcast_transfer", { transfer_id: offer.id })).error, null);
  const raised = await admin.client.rpc("accept_podcast_transfer", { transfer_id: offer.id });
  assert.deepEqual([raised.status, raised.data, raised.error], [409, null, {
    code: "PT409",
    message: "The transfer is no longer open: accepted",
    details: null,
    hint: "TRANSFER_ENDED",
  }]);
});

Deno.test("a route sends a returned error in the envelope", async () => {
  const reader = await person("stranger");
  const response = await sendRequest({
    method: "POST",
    path: "/api/notifications/email-status/confirm",
    as: reader,
    json: { code: "123456" },
  });
  assertError(response, 400);
  assert.deepEqual(response.body, { error: "The code has expired; request a new one", code: "EXPIRED" });
});
