// Public reads, which run as the service: they return what an anonymous caller gets, and no text for a known ETag.
import assert from "node:assert/strict";
import type { PublicRead } from "../../functions/database/operations.ts";
import { createFeedDatabase, makeEpisodes, makePodcast } from "../feed_writer/feed_database.ts";

// The driver's connections outlive the test
Deno.test("public reads", { sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using scratch = await createFeedDatabase();
  const { sql } = scratch;
  const { startPublicReads } = await import("../../functions/database/db.ts");
  const { publicReads } = await import("../../functions/database/operations.ts");
  const id = await makePodcast(sql, { slug: "night-trains" });
  await makeEpisodes(sql, id, 2);
  const [{ id: episodeId }] = await sql`select id from public.episodes where slug = 'paris-0'`;
  await sql`insert into public.episode_chapters (episode_id, start_seconds, title) values (${episodeId}, 0, 'Platform')`;
  const slug = "night-trains", podcast = () => startPublicReads().read("get_public_podcast", { slug });

  await t.step("the catalog has each public read as a stable function that anonymous callers may execute", async () => {
    const found = await sql`
      select p.proname as name from pg_proc p
      where p.pronamespace = 'public'::regnamespace and p.proname = any (${[...publicReads]}::text[])
        and p.provolatile = 's' and has_function_privilege('anon', p.oid, 'EXECUTE')`;
    assert.deepEqual(found.map(({ name }) => name).sort(), [...publicReads].sort());
  });

  await t.step("a public read returns the text that an anonymous caller gets", async () => {
    const args: Record<PublicRead, Record<string, unknown>> = {
      count_public_sitemaps: {},
      get_latest_public_episode: { slug },
      get_oembed: { url: `https://api.example/functions/v1/public/listen/${slug}`, maxwidth: 400 },
      get_public_chapters: { episodeId },
      get_public_episode: { slug, idOrSlug: "paris-1" },
      get_public_episode_by_id: { episodeId },
      get_public_neighbors: { slug, idOrSlug: "paris-1" },
      get_public_podcast: { slug },
      list_public_episode_page: { slug, page: 1 },
      list_public_sitemap_urls: { slug, page: 1 },
      list_public_sitemaps: { page: 1 },
      list_public_episodes: { slug, limit: 1, cursor: null },
      list_public_transcripts: { episodeId },
    };
    for (const read of publicReads) {
      const { text } = await startPublicReads().read(read, args[read] as never);
      assert.equal(text, (await startPublicReads().call(read, args[read] as never)).text, read);
      assert.ok(text!.length > 10, read);
    }
  });

  await t.step(
    "a public read returns no text for the ETag that the caller knows, until the result changes",
    async () => {
      const { etag } = await podcast();
      assert.match(etag, /^"[0-9a-f]{32}"$/);
      const known = () => startPublicReads().read("get_public_podcast", { slug }, etag);
      assert.deepEqual(await known(), { etag, text: null });
      await sql`update public.podcasts set title = 'Day Trains' where id = ${id}`;
      const changed = await known();
      assert.notEqual(changed.etag, etag);
      assert.match(changed.text!, /Day Trains/);
    },
  );

  await t.step("a public read of an unknown podcast throws the error of its function", async () => {
    const unknown = startPublicReads().read("get_public_podcast", { slug: "none" });
    await assert.rejects(unknown, { code: "PT404" });
  });

  await t.step(
    "public reads share the connections by their podcast or episode, without one by their name",
    async () => {
      const { keysIn } = await import("../../functions/database/db.ts");
      assert.deepEqual(keysIn("get_public_podcast", { slug }), [slug]);
      assert.deepEqual(keysIn("get_public_chapters", { episodeId } as object), [episodeId]);
      assert.deepEqual(keysIn("get_oembed", { url: "https://x.example" } as object), ["get_oembed"]);
      assert.deepEqual(keysIn("list_public_sitemaps", { page: 2 } as object), ["list_public_sitemaps"]);
      assert.deepEqual(keysIn("list_notifications", { limit: 1 } as object), [], "its caller counts");
    },
  );
});
