// start_import by rpc: the worker reads the feed instead of a route, and the import's row shows the result.
import assert from "node:assert/strict";
import { type Person, person, podcast, sql, waitFor } from "../harness.ts";
import { done, episodes, feed, locked, newAddress, ownerEmail, post, serving, start } from "../api/imports.ts";
import { redirect, source } from "../api/artwork.ts";
import { newUserName } from "../api/images.ts";

/** Starts an import as supabase-js does, and waits for the worker to read the feed. */
async function startedByRpc(admin: Person, podcastId: string, feedUrl: string) {
  const { data, error } = await admin.client.rpc("start_import", { podcast_id: podcastId, feed_url: feedUrl });
  assert.equal(error, null);
  assert.deepEqual(Object.keys(data).sort(), ["importId", "status"]);
  assert.equal(data.status, "pending");
  return await readByWorker(admin, data.importId);
}

async function readByWorker(admin: Person, importId: string) {
  return await waitFor("the worker to read the feed", async () => {
    const { data } = await admin.client.from("podcast_imports").select().eq("id", importId).single();
    return data.status === "pending" ? undefined : data;
  });
}

const messages = (importId: string) => sql`select from pgmq.q_import_feeds where message ->> 'import_id' = ${importId}`;

Deno.test("start_import by RPC: the worker stages the feed, and the preview can be confirmed", async () => {
  const admin = await person("admin");
  await using from = await serving(feed(episodes(3)));
  const row = await startedByRpc(admin, (await podcast("By rpc", newUserName("rpc"))).id, from.url);
  assert.deepEqual([row.status, row.total_items, row.error_code], ["preview", 3, null]);
  assert.equal(Object.keys(row.detection.numbers).length, 3);
  assert.equal(from.source.requests.length, 1);
  const confirmed = done(await post(row.id, "confirm", { applyDetectedEpisodeNumbers: false, limit: 0 }));
  assert.deepEqual([confirmed.selectedCount, confirmed.heldCount], [0, 3]);
});

Deno.test("start_import by RPC: a locked feed requires its owner's code", async () => {
  const admin = await person("admin");
  await using from = await serving(feed(episodes(1), locked() + ownerEmail(newAddress())));
  const row = await startedByRpc(admin, (await podcast("Locked", newUserName("rpc"))).id, from.url);
  assert.deepEqual([row.status, row.verification_method], ["verification_required", "email_code"]);
});

Deno.test("start_import by RPC: an unreadable feed fails the import with its reason and frees the podcast", async () => {
  const admin = await person("admin");
  const show = await podcast("Broken", newUserName("rpc"));
  await using from = await serving("<html></html>");
  const row = await startedByRpc(admin, show.id, from.url);
  assert.deepEqual([row.status, row.error_code, row.total_items], ["failed", "NOT_XML", 0]);
  assert.match(row.error_message, /web page/);
  assert.ok(row.finished_at);
  await using inside = await source(redirect("http://192.168.0.1/feed.xml"));
  const blocked = await startedByRpc(admin, show.id, inside.url);
  assert.deepEqual([blocked.status, blocked.error_code], ["failed", "BLOCKED_URL"]);
  from.setText(feed(episodes(2)));
  assert.equal((await startedByRpc(admin, show.id, from.url)).status, "preview");
});

Deno.test("POST /api/imports/podcast reads the feed once and leaves no message, on success and on failure", async () => {
  const show = await podcast("Once", newUserName("rpc"));
  await using from = await serving("<html></html>");
  assert.equal((await start(show, from.url)).status, 400);
  assert.equal((await sql`select from public.podcast_imports where podcast_id = ${show.id}`).length, 0);
  from.setText(feed(episodes(2)));
  const { importId, status } = done(await start(show, from.url));
  assert.equal(status, "preview");
  assert.equal((await messages(importId)).length, 0);
  assert.equal(from.source.requests.length, 2);
});

Deno.test("the worker reads the feed from the start when the route dies while staging", async () => {
  const admin = await person("admin");
  const show = await podcast("Taken over", newUserName("rpc"));
  await using from = await serving(feed(episodes(3)));
  const [{ id }] = await sql`
    insert into public.podcast_imports (podcast_id, feed_url, created_by) values (${show.id}, ${from.url}, ${admin.id})
    returning id`;
  await sql`select private.stage_import_items(${id}, '[{"position": 0, "guid": "half-staged"}]')`;
  await sql`select pgmq.send('import_feeds', ${
    JSON.stringify({ type: "import_feed", import_id: id })
  }::text::jsonb, 60)`;
  await sql`select private.claim_import_feed(${id}, 0), private.wake_worker('import_feeds')`;
  const row = await readByWorker(admin, id);
  assert.deepEqual([row.status, row.total_items], ["preview", 3]);
  const guids = await sql`select guid from public.podcast_import_items where import_id = ${id} order by position`;
  assert.deepEqual(guids.map(({ guid }) => guid), ["episode-3", "episode-2", "episode-1"]);
  await waitFor("no message is left", async () => (await messages(id)).length === 0);
});

Deno.test("an import canceled before the worker reads its feed stays canceled, and the feed is not requested", async () => {
  const admin = await person("admin");
  const show = await podcast("Called off", newUserName("rpc"));
  await using from = await serving(feed(episodes(1)));
  const [{ id }] = await sql`
    insert into public.podcast_imports (podcast_id, feed_url, created_by) values (${show.id}, ${from.url}, ${admin.id})
    returning id`;
  assert.equal((await admin.client.rpc("cancel_import", { import_id: id })).error, null);
  await sql`select private.enqueue('import_feeds', ${
    JSON.stringify({ type: "import_feed", import_id: id })
  }::text::jsonb)`;
  await waitFor("its message is acknowledged", async () => (await messages(id)).length === 0);
  assert.equal((await sql`select status from public.podcast_imports where id = ${id}`)[0].status, "canceled");
  assert.equal(from.source.requests.length, 0);
});
