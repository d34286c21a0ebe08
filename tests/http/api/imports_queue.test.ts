// A missing queue and a queue that rejects messages: a stack of its own, because all tests share the queue.
import assert from "node:assert/strict";
import { startPeer } from "../../safe_fetch/peer.ts";
import { startImportStack } from "../../worker/import_stack.ts";
import { episodes, feed, served } from "./imports.ts";

const text = served(feed(episodes(4)));

Deno.test("POST confirm returns DISPATCH_FAILED and stays in preview when the queue rejects messages; held items stay held", async () => {
  await using from = startPeer(({ send }) => send(text));
  await using imports = await startImportStack([from.host]);
  const { sql, post, podcastId, countByStatus } = imports;
  await sql.unsafe(`
    create function private.full_queue() returns trigger language plpgsql set search_path = '' as
      $$ begin raise sqlstate '53100' using message = 'no space left'; end $$;
    create trigger full_queue before insert on pgmq.q_import_items for each row execute function private.full_queue()`);
  const start = await post("podcast", { podcast_id: podcastId, feed_url: from.url });
  const id = start.body.data.importId;
  const statusOf = async () => (await sql`select status from public.podcast_imports where id = ${id}`)[0].status;

  const { status, body } = await post(`${id}/confirm`, { applyDetectedEpisodeNumbers: true, limit: 3 });
  assert.equal(status, 500);
  assert.deepEqual(Object.keys(body), ["error", "code", "requestId"]);
  assert.equal(body.code, "DISPATCH_FAILED");
  assert.doesNotMatch(JSON.stringify(body), /no space/);
  assert.equal(await statusOf(), "preview");
  assert.deepEqual(await countByStatus(id), { pending: 3, skipped_user_limit: 1 });

  await sql`alter table pgmq.q_import_items disable trigger full_queue`;
  const again = await post(`${id}/confirm`, { applyDetectedEpisodeNumbers: false, limit: null });
  assert.deepEqual(again.body.data, { status: "running", selectedCount: 3, heldCount: 1 });
  assert.equal((await sql`select from pgmq.q_import_items`).length, 3);

  await sql`alter table pgmq.q_import_items enable trigger full_queue`;
  assert.equal((await post(`${id}/cancel`)).status, 200);
  for (const path of ["resume", "retry-failed"]) {
    const { status, body } = await post(`${id}/${path}`);
    assert.deepEqual([status, body.code], [500, "DISPATCH_FAILED"]);
    assert.equal(await statusOf(), "canceled", path);
  }
});

Deno.test("POST podcast, confirm, resume and retry-failed return 500 with the reason without a queue", async () => {
  await using from = startPeer(({ send }) => send(text));
  await using imports = await startImportStack([from.host]);
  const { sql, post, podcastId } = imports;
  const json = { podcast_id: podcastId, feed_url: from.url };
  const { body: { data: { importId: id } } } = await post("podcast", json);
  await sql`select pgmq.drop_queue('import_items')`;
  const confirmed = await post(`${id}/confirm`, { applyDetectedEpisodeNumbers: false, limit: null });
  assert.deepEqual([confirmed.status, confirmed.body.error], [500, "Import queue is not configured"]);
  assert.deepEqual(
    { ...(await sql`select status from public.podcast_imports where id = ${id}`)[0] },
    { status: "preview" },
  );
  await post(`${id}/cancel`);
  // As if they had run: a canceled import and a failed item
  await sql`update public.podcast_imports set started_at = now() where id = ${id}`;
  for (const path of ["resume", "retry-failed"]) {
    const { status, body } = await post(`${id}/${path}`);
    assert.deepEqual([status, body.error], [500, "Import queue is not configured"], path);
  }
  await sql`delete from private.queues where name = 'import_items'`;
  const started = await post("podcast", json);
  assert.deepEqual([started.status, started.body.error], [500, "Import queue is not configured"]);
  assert.equal(from.requests.length, 1, "the feed is not read for nothing");
});
