// The job cdn_purge on a database of its own, in this process, with a CDN.
import type { Job } from "../../functions/worker/job.ts";
import { timeBudget } from "../../functions/worker/run_limits.ts";
import { createFeedDatabase } from "../feed_writer/feed_database.ts";
import { CDN_TOKEN, startLoopbackCdn } from "./loopback_cdn.ts";

export async function startPurgeWorker() {
  const cdn = startLoopbackCdn();
  const database = await createFeedDatabase(undefined, { CDN_PURGE_TOKEN: CDN_TOKEN });
  const { sql } = database;
  const { podcastKeys } = await import("../../functions/app/surrogate_keys.ts");
  const { drain } = await import("../../functions/worker/loop.ts");
  const { purgeCdnJob } = await import("../../functions/worker/jobs/purge_cdn.ts");

  return {
    ...database,
    cdn,
    /** The key that responses about the podcast of a slug have. */
    keyOf: (slug: string) => podcastKeys(slug)["surrogate-key"],
    /** Enqueues the purges of podcasts with these slugs. */
    change: (...slugs: string[]) => sql`select private.enqueue_cdn_purges(${slugs}::text[])`,
    setUrl: (url: string, host = new URL(url).host) =>
      sql`select private.set_setting('cdn_purge_url', ${url}), private.set_setting('fetch_allowed_hosts', ${host})`,
    /** Makes so many attempts, without the waits between them. */
    async work(attempts = 1) {
      for (let n = 0; n < attempts; n++) {
        await sql`update pgmq.q_cdn_purge set vt = clock_timestamp()`;
        await drain(purgeCdnJob as Job, timeBudget(60_000));
      }
    },
    /** The messages that wait. */
    waiting: async () =>
      (await sql<{ attempts: number; error: string | null; seconds: number }[]>`
        select q.read_ct as attempts, q.headers ->> 'last_error' as error,
          extract(epoch from q.vt - clock_timestamp())::float as seconds
        from pgmq.q_cdn_purge q order by q.msg_id`).map((row) => ({ ...row })),
    deadLetters: async () =>
      (await sql<{ attempts: number; error: string }[]>`
        select (q.message ->> 'attempts')::int as attempts, q.message ->> 'error' as error
        from pgmq.q_cdn_purge_dlq q order by q.msg_id`).map((row) => ({ ...row })),
    async reset() {
      cdn.reset();
      await sql`select pgmq.purge_queue('cdn_purge'), pgmq.purge_queue('cdn_purge_dlq'),
        private.set_setting('cdn_purge_url', ${cdn.purgeUrls.fastly}), private.set_setting('cdn_purge_format', null),
        private.set_setting('fetch_allowed_hosts', ${cdn.host})`;
    },
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await cdn[Symbol.asyncDispose]();
    },
  };
}
