// Reading the old feed for a check of the switch.
import assert from "node:assert/strict";
import { createFeedDatabase, makePodcast } from "../feed_writer/feed_database.ts";

Deno.test({
  name: "readOldFeed cuts long titles without leaving half a character, and throws TIMEOUT when its time is over",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using database = await createFeedDatabase();
    const { sql } = database, url = "https://old.example/feed.xml";
    const { readOldFeed } = await import("../../functions/imports/switch/old_feed.ts");
    const podcastId = await makePodcast(sql);
    const [{ id }] = await sql`
      insert into public.podcast_imports (podcast_id, feed_url) values (${podcastId}, ${url}) returning id`;
    const title = `${"x".repeat(499)}\u{1f600}`;
    const read = (maxMs?: number) => {
      const xml = `<rss><channel><title>Show</title><item><guid>1</guid><title>${title}</title></item></channel></rss>`;
      const { body, headers } = new Response(xml);
      return readOldFeed(id, { url, status: 200, headers, body: body! }, maxMs);
    };
    const { newestAdded, addedCount } = await read();
    assert.deepEqual([newestAdded?.title, addedCount], [`${"x".repeat(499)}\ufffd`, 1]);
    await assert.rejects(read(0), { code: "TIMEOUT", message: "The feed is too long to be read within a minute" });
  },
});
