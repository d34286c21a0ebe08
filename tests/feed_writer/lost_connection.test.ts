// The connection is lost at each statement of a rendering: the rendering fails, the served document stays, and the
// same again succeeds. An uncaught error would end this process, as it would end the functions'.
import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { waitFor } from "../wait_for.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../faults/database_proxy.ts";
import { createFeedDatabase, makeEpisodes, makePodcast } from "./feed_database.ts";

/** Each statement, and a lock that makes it wait. */
const STATEMENTS = [
  ["get_feed_for_rendering", "feed_documents", "access exclusive"],
  ["store_feed_items", "feed_items", "share row exclusive"],
  ["store_feed_document", "feed_documents", "share row exclusive"],
  ["confirm_feed_document", "feed_documents", "share row exclusive"],
] as const;

Deno.test({ name: "a rendering whose connection is lost", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  let proxy!: DatabaseProxy;
  await using scratch = await createFeedDatabase((dbUrl) => (proxy = startDatabaseProxy({ dbUrl })).url);
  await using _proxy = proxy;
  const { sql } = scratch;
  const { renderFeed } = await import("../../functions/feed_writer/render_feed.ts");
  const { closePool } = await import("../../functions/database/pool.ts");

  const served = async (id: string) => {
    const [feed] = await sql`select gzip from private.get_feed_gzip(${id})`;
    return feed && gunzipSync(feed.gzip).toString();
  };

  /** A feed whose next rendering reaches this statement: with a change, or without one for confirm_feed_document. */
  async function prepared(statement: string): Promise<string> {
    const id = await makePodcast(sql);
    await makeEpisodes(sql, id, 2);
    if (statement !== "confirm_feed_document") return id;
    await renderFeed(id);
    return id;
  }

  /** Loses the connection during a rendering by `lose`; only this attempt is lost. */
  async function assertSurvives(statement: string, lose: (rendering: () => Promise<void>) => Promise<void>) {
    const id = await prepared(statement), before = await served(id);
    await lose(() => assert.rejects(renderFeed(id)));
    assert.equal(await served(id), before);
    await renderFeed(id);
    assert.equal((await served(id)).match(/<item>/g)?.length, 2);
  }

  for (const [statement, table, mode] of STATEMENTS) {
    await t.step(
      `a rendering that loses its connection before ${statement} fails, and the next one succeeds`,
      () =>
        assertSurvives(statement, async (rendering) => {
          await closePool(); // a new connection sends the statement's text
          let cuts = 0;
          proxy.cuts = (sent) => sent.includes(statement) && ++cuts === 1;
          await rendering();
          assert.equal(cuts, 1);
        }),
    );

    await t.step(
      `a rendering that loses its connection during ${statement} fails, and the next one succeeds`,
      () =>
        assertSurvives(statement, async (rendering) => {
          await sql.begin(async (other) => {
            await other`lock table ${other(`private.${table}`)} in ${other.unsafe(mode)} mode`;
            const lost = rendering();
            await waitFor(`${statement} waits, and is terminated`, async () => {
              const terminated = await sql`
              select pg_terminate_backend(pid) from pg_stat_activity
              where wait_event_type = 'Lock' and datname = current_database() and query like ${`%private.${statement}(%`}`;
              return terminated.length > 0;
            });
            await lost;
          });
        }),
    );
  }
});
