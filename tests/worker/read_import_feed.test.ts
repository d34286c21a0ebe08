// The worker's job that reads feeds: which errors of their servers it retries.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { timeBudget } from "../../functions/worker/run_limits.ts";
import { createFeedDatabase, makePodcast } from "../feed_writer/feed_database.ts";
import { renderFeed, startSource } from "./source.ts";

Deno.test({
  name:
    "the worker reads a feed again after an error of its server that may pass, and fails the import after one that does not",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using database = await createFeedDatabase();
    const { sql } = database;
    const feed = { body: Buffer.from(renderFeed([{ guid: "1", audio: "a.mp3" }], "http://a.example/")) };
    await using source = startSource(({ path, before }) =>
      path === "/missing.xml"
        ? { status: 404 }
        : path === "/private.xml"
        ? { status: 401 }
        : path === "/down.xml" || !before
        ? { status: 503 }
        : feed
    );
    await sql`select private.set_setting('fetch_allowed_hosts', ${source.host})`;
    const { readImportFeedJob } = await import("../../functions/worker/jobs/read_import_feed.ts");
    const { drain } = await import("../../functions/worker/loop.ts");
    const imports: Record<string, string> = {};
    for (const name of ["busy", "down", "missing", "private"]) {
      const [{ id }] = await sql`
        insert into public.podcast_imports (podcast_id, feed_url)
        values (${await makePodcast(sql)}, ${`${source.url}${name}.xml`}) returning id`;
      await sql`select private.enqueue('import_feeds', ${sql.json({ type: "import_feed", import_id: id })}, 5)`;
      imports[id] = name;
    }
    const state = async () => {
      const rows = await sql`select id, status, error_code, error_message from public.podcast_imports`;
      return Object.fromEntries(rows.map((row) => [imports[row.id], [row.status, row.error_code, row.error_message]]));
    };
    const run = async () => {
      await sql`update pgmq.q_import_feeds set vt = clock_timestamp()`; // each retry now
      await drain(readImportFeedJob as Parameters<typeof drain>[0], timeBudget(60_000));
    };
    const reason = "The server responded with status 503";
    await run();
    const locked = ["failed", "HTTP_ERROR", "The feed requires a user name and a password (status 401)"];
    const failed = ["failed", "HTTP_ERROR", "The server responded with status 404"];
    assert.deepEqual(await state(), {
      busy: ["pending", null, null],
      down: ["pending", null, null],
      missing: failed,
      private: locked,
    });
    for (const _attempt of [2, 3, 4]) await run();
    assert.deepEqual(await state(), {
      busy: ["preview", null, null],
      down: ["failed", "RETRIES_EXHAUSTED", reason],
      missing: failed,
      private: locked,
    });
    assert.equal(source.requests.filter(({ path }) => path === "/down.xml").length, 4);
  },
});
