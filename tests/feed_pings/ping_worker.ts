// The job feed_pings on a database of its own, in this process, with a WebSub hub and a podping endpoint.
import type { Job } from "../../functions/worker/job.ts";
import { timeBudget } from "../../functions/worker/run_limits.ts";
import { createFeedDatabase, makeEpisodes, makePodcast } from "../feed_writer/feed_database.ts";
import { startHttpServer } from "../http_server.ts";

interface ReceivedPing {
  headers: Headers;
  body: string;
}

export interface Podping {
  urls: string[];
  reason: string;
  medium: string;
}

type Respond = (ping: ReceivedPing) => Response | Promise<Response>;
const ACCEPT: Respond = () => new Response(null, { status: 204 });

/** A receiver that accepts pings, until a test sets other responses. */
function startReceiver() {
  const received: ReceivedPing[] = [];
  let respond = ACCEPT;
  const server = startHttpServer(async ({ headers, method, body }) => {
    const ping = { headers, body: await new Response(body).text() };
    if (method !== "POST") return new Response(null, { status: 405 });
    received.push(ping);
    return respond(ping);
  });
  return {
    received,
    url: `${server.url}/in`,
    host: new URL(server.url).host,
    /** Responds so to each further ping. */
    respondWith: (next: Respond = ACCEPT) => respond = next,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

export async function startPingWorker() {
  const hub = startReceiver(), podping = startReceiver();
  const database = await createFeedDatabase(undefined, { PODPING_AUTHORIZATION: "Bearer podping-key" });
  const { sql } = database;
  const { drain } = await import("../../functions/worker/loop.ts");
  const { renderFeed } = await import("../../functions/feed_writer/render_feed.ts");
  const { sendFeedPingsJob } = await import("../../functions/worker/jobs/send_feed_pings.ts");

  async function turnOn(receivers: { hub?: boolean; podping?: boolean }) {
    await sql`select private.set_setting('websub_hub_url', ${receivers.hub ? hub.url : ""}),
      private.set_setting('podping_url', ${receivers.podping ? podping.url : ""})`;
    await sql`select pgmq.purge_queue('feed_invalidation')`;
  }

  return {
    ...database,
    hub,
    podping,
    turnOn,
    /** A podcast with a public episode and a rendered feed, without pings. */
    async makeShow(row: Record<string, unknown> = {}): Promise<{ id: string; url: string }> {
      const id = await makePodcast(sql, row);
      await makeEpisodes(sql, id, 1);
      await renderFeed(id);
      await sql`select private.delete_jobs(${sql.json({ podcast_id: id })})`;
      const [{ url }] = await sql<{ url: string }[]>`
        select private.feed_url(p.slug) as url from public.podcasts p where p.id = ${id}`;
      return { id, url };
    },
    /** Changes the feed of a podcast and renders it, which enqueues the pings. */
    async change(id: string) {
      await sql`update public.episodes set title = title || '!' where podcast_id = ${id}`;
      await sql`update private.feed_documents set last_modified = last_modified - interval '1 minute'
        where podcast_id = ${id}`; // the rendering does not wait for the next second
      await renderFeed(id);
    },
    /** Makes so many attempts, without the waits between them. */
    async work(attempts = 1) {
      for (let n = 0; n < attempts; n++) {
        await sql`update pgmq.q_feed_pings set vt = clock_timestamp()`;
        await drain(sendFeedPingsJob as Job, timeBudget(60_000));
      }
    },
    /** The topics of the pings that the hub received. */
    topics: () => hub.received.map(({ body }) => Object.fromEntries(new URLSearchParams(body))),
    podpings: () => podping.received.map(({ body }) => JSON.parse(body) as Podping),
    /** The messages that wait. */
    waiting: async () =>
      (await sql<{ type: string; attempts: number; seconds: number; error: string | null }[]>`
        select q.message ->> 'type' as type, q.read_ct as attempts, q.headers ->> 'last_error' as error,
          extract(epoch from q.vt - clock_timestamp())::float as seconds
        from pgmq.q_feed_pings q order by q.msg_id`).map((row) => ({ ...row })),
    deadLetters: async () =>
      (await sql<{ type: string; attempts: number; error: string }[]>`
        select q.message #>> '{message,type}' as type, (q.message ->> 'attempts')::int as attempts,
          q.message ->> 'error' as error
        from pgmq.q_feed_pings_dlq q order by q.msg_id`).map((row) => ({ ...row })),
    async reset() {
      for (const receiver of [hub, podping]) {
        receiver.received.length = 0;
        receiver.respondWith();
      }
      await sql`select pgmq.purge_queue('feed_pings'), pgmq.purge_queue('feed_pings_dlq'),
        private.set_setting('fetch_allowed_hosts', ${`${hub.host},${podping.host}`})`;
      await turnOn({ hub: true, podping: true });
    },
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await hub[Symbol.asyncDispose]();
      await podping[Symbol.asyncDispose]();
    },
  };
}
