// Reads of stored feeds while their podcast is deleted or their pages change.
import assert from "node:assert/strict";
import { waitFor } from "../../wait_for.ts";
import { createFeedDatabase, makeEpisodes, makePodcast } from "../../feed_writer/feed_database.ts";

Deno.test({ name: "a feed that changes", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using scratch = await createFeedDatabase();
  const { sql } = scratch;
  const { startPublicReads } = await import("../../../functions/database/db.ts");
  const { readFeedBytes, readFeedState } = await import("../../../functions/public/feeds/document_store.ts");
  const { renderFeed } = await import("../../../functions/feed_writer/render_feed.ts");

  await t.step("because its podcast is deleted while it is rendered is 410", async () => {
    const id = await makePodcast(sql, { slug: "rendered" });
    let gone: Promise<void> | undefined;
    await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended('feed/' || ${id}, 0))`; // private.lock_feed_document
      gone = assert.rejects(readFeedState(startPublicReads(), "rendered"), { status: 410 });
      await waitFor(
        "the rendering waits",
        async () =>
          (await sql`select from pg_stat_activity where datname = current_database() and application_name = 'functions' and wait_event_type = 'Lock'`)
            .length > 0,
      );
      await tx`delete from public.podcasts where id = ${id}`;
    });
    await gone;
  });

  await t.step(
    "because its podcast is deleted between the reads of its state and its bytes has no bytes, and then is 410",
    async () => {
      const id = await makePodcast(sql, { slug: "read" });
      const found = await readFeedState(startPublicReads(), "read");
      await sql`delete from public.podcasts where id = ${id}`;
      assert.equal(await readFeedBytes(startPublicReads(), found!), undefined);
      await assert.rejects(readFeedState(startPublicReads(), "read"), { status: 410 });
    },
  );

  await t.step("is not mixed up with a slug that ends in a page number", async () => {
    const id = await makePodcast(sql, { slug: "numbered", feed_page_size: 50 });
    await makeEpisodes(sql, id, 60);
    const reads = startPublicReads();
    const slugs: [string, number?][] = [["numbered/2"], ["numbered", 2]];
    const [unknown, page] = await Promise.all(slugs.map((slug) => readFeedState(reads, ...slug)));
    assert.deepEqual([unknown, page?.value.podcast_id], [undefined, id]);
  });

  await t.step(
    "so that it has one page between the reads of its second one has no such bytes, and then is 404",
    async () => {
      const id = await makePodcast(sql, { slug: "shortened", feed_page_size: 50 });
      await makeEpisodes(sql, id, 60);
      const found = await readFeedState(startPublicReads(), "shortened", 2);
      await sql`update private.feed_documents set last_modified = last_modified - interval '1 minute' where podcast_id = ${id}`;
      await sql`update public.podcasts set feed_page_size = null where id = ${id}`;
      await renderFeed(id);
      assert.equal(await readFeedBytes(startPublicReads(), found!, 2), undefined);
      await assert.rejects(readFeedState(startPublicReads(), "shortened", 2), { status: 404 });
    },
  );

  await t.step("is not rendered because of a request for a page that it does not have", async () => {
    const before = await sql`select version from private.feed_documents`;
    await assert.rejects(readFeedState(startPublicReads(), "shortened", 9), { status: 404 });
    assert.deepEqual(await sql`select version from private.feed_documents`, before);
  });
});
