// Reads of stored feeds while their podcast is deleted.
import assert from "node:assert/strict";
import { waitFor } from "../wait_for.ts";
import { createFeedDatabase, makePodcast } from "./feed_database.ts";

Deno.test({ name: "a feed whose podcast is deleted", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using scratch = await createFeedDatabase();
  const { sql } = scratch;
  const { startPublicReads } = await import("../../functions/database/db.ts");
  const { readFeedBytes, readFeedState } = await import("../../functions/feed_writer/document_store.ts");

  await t.step("while it is rendered is 410", async () => {
    const id = await makePodcast(sql, { slug: "rendered" });
    let reading: Promise<unknown> | undefined;
    await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended('feed/' || ${id}, 0))`; // private.lock_feed_document
      reading = readFeedState(startPublicReads(), "rendered");
      await waitFor(
        "the rendering waits",
        async () =>
          (await sql`select from pg_stat_activity where application_name = 'functions' and wait_event_type = 'Lock'`)
            .length > 0,
      );
      await tx`delete from public.podcasts where id = ${id}`;
    });
    await assert.rejects(reading!, { status: 410 });
  });

  await t.step("between the reads of its state and its bytes has no bytes, and then is 410", async () => {
    const id = await makePodcast(sql, { slug: "read" });
    const found = await readFeedState(startPublicReads(), "read");
    await sql`delete from public.podcasts where id = ${id}`;
    assert.equal(await readFeedBytes(startPublicReads(), found!), undefined);
    await assert.rejects(readFeedState(startPublicReads(), "read"), { status: 410 });
  });
});
