// Feeds that redirect carry their document. Pages of deleted podcasts say so, with a link to the new feed.
import assert from "node:assert/strict";
import { publishedEpisode } from "../api/audio.ts";
import { addMember, callRpc, person, type Podcast, podcast, sql, waitFor } from "../harness.ts";
import {
  deleteNow,
  get,
  LOCATION,
  makeShow,
  NEW_HOME,
  newFeedUrls,
  owner,
  requestDeletion,
  type Show,
} from "./podcast_moves.ts";

const HTML = "text/html,application/xhtml+xml,*/*;q=0.8";

Deno.test("an external podcast has no feed, and its pages return 410 once it is deleted", async () => {
  const external = await callRpc<Podcast>(owner, "create_podcast", { title: "Far away", hosting_type: "external" });
  await addMember(external, await person("admin"), "admin");
  await publishedEpisode(external);
  const statuses = async () =>
    await Promise.all(
      [`/feeds/${external.slug}.xml`, `/v1/podcasts/${external.slug}`, `/listen/${external.slug}`].map(async (path) =>
        (await get(path)).status
      ),
    );
  assert.deepEqual(await statuses(), [404, 200, 200]);
  await callRpc(owner, "delete_podcast", { podcast_id: external.id, confirm_name: "Far away", redirect_url: NEW_HOME });
  assert.deepEqual(await statuses(), [404, 404, 410]);
  await waitFor(
    "the worker deletes its rows",
    async () => (await sql`select from public.podcasts where id = ${external.id}`).length === 0,
  );
  assert.deepEqual(await statuses(), [404, 404, 410]);
});

Deno.test("the redirect of a feed carries the document with itunes:new-feed-url, until the deletion is canceled", async () => {
  const show = await makeShow("Moving out"), path = `/feeds/${show.slug}.xml`;
  assert.deepEqual(newFeedUrls(await get(path)), []);
  await requestDeletion(show, NEW_HOME, 90);
  await waitFor("the worker renders the tag", async () => newFeedUrls(await get(path)).length > 0);
  const moved = await get(path, { "accept-encoding": "gzip" }), head = await get(path, {}, "HEAD");
  assert.deepEqual(newFeedUrls(moved), [LOCATION]);
  assert.match(moved.text, /<title>Pilot<\/title>/);
  for (const { status, headers } of [moved, head]) {
    assert.equal(status, 301);
    assert.equal(headers.get("content-type"), "application/rss+xml; charset=utf-8");
    assert.equal(headers.get("cache-control"), "public, max-age=60, stale-if-error=600, no-transform");
    assert.equal(headers.get("vary"), "accept-encoding");
  }
  await callRpc(owner, "update_deletion_redirect", { podcast_id: show.id, redirect_url: "https://other.example/feed" });
  await waitFor(
    "the feed redirects to the new URL",
    async () => newFeedUrls(await get(path)).join() === "https://other.example/feed",
  );
  assert.equal((await get(path)).location, "https://other.example/feed");
  await callRpc(owner, "update_deletion_redirect", { podcast_id: show.id, redirect_url: null });
  assert.equal((await get(path)).status, 200);
  await callRpc(owner, "cancel_deletion", { podcast_id: show.id });
  await waitFor("the tag is removed", async () => newFeedUrls(await get(path)).length === 0);
});

Deno.test("the feed of a podcast that moves redirects even if its document cannot be rendered", async () => {
  const show = await podcast("Never rendered"), path = `/feeds/${show.slug}.xml`;
  await sql.unsafe(`
    alter table private.feed_documents add constraint document_is_rejected check (podcast_id <> '${show.id}') not valid`);
  try {
    await sql`delete from private.feed_documents where podcast_id = ${show.id}`;
    assert.notEqual((await get(path)).status, 200);
    await requestDeletion({ ...show, title: "Never rendered" } as Show, NEW_HOME, 90);
    for (const method of ["GET", "HEAD"]) {
      const { status, location, headers } = await get(path, {}, method);
      assert.deepEqual([status, location, headers.get("cache-control")], [
        301,
        LOCATION,
        "public, max-age=60",
      ], method);
    }
  } finally {
    await sql`alter table private.feed_documents drop constraint document_is_rejected`;
  }
  const { status, location, text } = await get(path);
  assert.deepEqual([status, location], [301, LOCATION]);
  assert.match(text, /<itunes:new-feed-url>/);
});

Deno.test("pages of a deleted podcast are 410 for browsers too, with a link to its new feed", async () => {
  const [moved, closed] = await Promise.all(["Browsed and moved", "Browsed and closed"].map(makeShow));
  await requestDeletion(moved, NEW_HOME, 90);
  await requestDeletion(closed, null, 90);
  for (const [show, link] of [[moved, true], [closed, false]] as const) {
    await deleteNow(show);
    for (
      const path of [`/listen/${show.slug}`, `/ep/${show.published.id}`, `/latest/${show.slug}`, `/show/${show.slug}`]
    ) {
      const { status, headers, text } = await get(path, { accept: HTML });
      assert.equal(status, 410, path);
      assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
      assert.equal(headers.get("cache-control"), "private, no-store");
      assert.equal(headers.get("x-robots-tag"), "noindex");
      assert.match(headers.get("content-security-policy")!, path.startsWith("/listen") ? /'self'$/ : /\*$/);
      assert.match(text, link ? /<h1>This podcast has moved<\/h1>/ : /<h1>This podcast is no longer here<\/h1>/);
      const links = [...text.matchAll(/<a [^>]+>/g)].map(([tag]) => tag);
      const url = NEW_HOME.replace("&", "&amp;");
      assert.deepEqual(links, link ? [`<a href="${url}" target="_top" rel="nofollow noopener" dir="ltr">`] : []);
    }
  }
  assert.equal((await get("/listen/never-existed", { accept: HTML })).status, 404);
  const german = await makeShow("Gelesen und gelöscht");
  await sql`update public.podcasts set language = 'de-AT' where id = ${german.id}`;
  await requestDeletion(german, null, 90);
  await deleteNow(german);
  const { text } = await get(`/listen/${german.slug}`, { accept: HTML, "accept-language": "fr" });
  assert.match(text, /<html lang="de"[^]*<h1>Diesen Podcast gibt es hier nicht mehr<\/h1>/);
});
