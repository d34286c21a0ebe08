// A burst of webhooks of one podcast to receivers that respond at once, from the occurrences to the last result, with the
// worker as a process of its own, to the same requests by themselves, signed, eight at a time. Goal: 258 in 10 seconds.
// node local/deno.mjs bench/automations/webhooks.ts [receivers]
import { postWebhook } from "../../functions/automations/post_webhook.ts";
import { createFeedDatabase, makePodcast } from "../../tests/feed_writer/feed_database.ts";
import { startHttpServer } from "../../tests/http_server.ts";
import { startWorkerWith } from "../../tests/worker/worker.ts";
import { median } from "../feed/large_podcast.ts";

const RECEIVERS = Number(Deno.args[0] ?? 1), WEBHOOKS = 258, ROUNDS = 3, PLACES = 8, GOAL_SECONDS = 10;
const SECRET = `whsec_${btoa("a".repeat(32))}`;

let received = 0;
let body = "";
const servers = Array.from({ length: RECEIVERS }, () =>
  startHttpServer(async (request) => {
    body = await request.text();
    received++;
    return new Response(null, { status: 204 });
  }));
const allowedHosts = servers.map(({ url }) => new URL(url).host);
await using database = await createFeedDatabase();
const { sql, env } = database;
await sql`select private.set_setting('fetch_allowed_hosts', ${allowedHosts.join(", ")})`;
const podcastId = await makePodcast(sql);
const [{ episodeId }] = await sql`
  insert into public.episodes (podcast_id, title, status, audio_url, audio_file_size_bytes, audio_content_type,
    audio_duration_seconds)
  values (${podcastId}, 'Paris', 'published', 'https://media.example/1.mp3', 1000, 'audio/mpeg', 60)
  returning id as "episodeId"`;
for (const { url } of servers) {
  await sql`
    with rule as (
      insert into public.automation_rules (podcast_id, author_id, name, trigger_type)
      select id, owner_id, 'Bench', 'episode.published' from public.podcasts where id = ${podcastId} returning id)
    insert into public.automation_actions (rule_id, action_type, action_config)
    select id, 'send_webhook', ${sql.json({ url: `${url}/in`, secret: SECRET })} from rule`;
}

await using _worker = startWorkerWith(env, ["automation_runs", "automation_webhooks"]);
const ratios: number[] = [], flows: number[] = [], floors: number[] = [];
for (let round = 0; round <= ROUNDS; round++) { // in turns; the first one warms up
  const flow = await seconds(() => flowWebhooks(round)), floor = await seconds(postAll);
  if (round === 0) continue;
  flows.push(flow);
  floors.push(floor);
  ratios.push(floor / flow);
}
console.log(`${WEBHOOKS} webhooks of a podcast to ${RECEIVERS} receivers: ${median(flows).toFixed(1)} s`);
console.log(`as many signed requests, ${PLACES} at a time: ${median(floors).toFixed(1)} s`);
console.log(`ratio: ${median(ratios).toFixed(2)}, worst ${Math.min(...ratios).toFixed(2)}`);
console.log(`slowest ${Math.max(...flows).toFixed(1)} s, goal ${GOAL_SECONDS} s`);
for (const server of servers) await server[Symbol.asyncDispose]();
if (Math.max(...flows) > GOAL_SECONDS) Deno.exit(1);

async function seconds(run: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await run();
  return (performance.now() - from) / 1000;
}

async function flowWebhooks(round: number) {
  received = 0;
  await sql`update private.automation_usage set used_at = used_at - interval '1 hour'`;
  await sql`
    select private.fire_automations('episode.published', ${podcastId}, null, ${episodeId}, ${round} || ':' || n, now())
    from generate_series(1, ${WEBHOOKS / RECEIVERS}::int) n`;
  for (;;) {
    const [{ left }] = await sql<{ left: number }[]>`
      select count(*)::int as left from public.automation_executions where status in ('pending', 'running')`;
    if (left === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (received < Math.floor(WEBHOOKS / RECEIVERS) * RECEIVERS) throw new Error(`only ${received} webhooks arrived`);
}

async function postAll() {
  const requests = Array.from({ length: WEBHOOKS }, (_, n) => n).values();
  await Promise.all(Array.from({ length: PLACES }, async () => {
    for (const n of requests) {
      const { outcome } = await postWebhook({
        url: `${servers[n % RECEIVERS].url}/in`,
        webhook_id: `msg_${n}`,
        body,
        headers: {},
        secrets: [SECRET],
      }, { allowedHosts, userAgent: "Bench/1.0" });
      if (outcome !== "accepted") throw new Error(outcome);
    }
  }));
}
