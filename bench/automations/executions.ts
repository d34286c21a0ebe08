// Executions of rules with one update_field of an episode, which a worker's loop claims, runs and acknowledges, to
// pgmq.read and pgmq.archive of as many messages, one by one on four connections. The executions of different podcasts
// are mixed. Goal: at least 0.4 of the messages per second.
// node local/deno.mjs bench/automations/executions.ts [podcasts]
import type { Job } from "../../functions/worker/job.ts";
import { timeBudget } from "../../functions/worker/run_limits.ts";
import { connectTo } from "../../tests/database.ts";
import { createFeedDatabase, makePodcast } from "../../tests/feed_writer/feed_database.ts";
import { median } from "../feed/large_podcast.ts";

const PODCASTS = Number(Deno.args[0] ?? 100), EXECUTIONS = 2000, ROUNDS = 5, WORKERS = 4, GOAL = 0.4;
/** A podcast has as many executions: fewer than its hourly limit. */
const BOOKINGS = EXECUTIONS / PODCASTS;

await using database = await createFeedDatabase();
const { sql, url } = database;
const { drain } = await import("../../functions/worker/loop.ts");
const { runAutomationJob } = await import("../../functions/worker/jobs/run_automation.ts");
const connections = Array.from({ length: WORKERS }, () => connectTo(url, 1));

for (let n = 0; n < PODCASTS; n++) {
  const podcastId = await makePodcast(sql);
  await sql`
    with episode as (
      insert into public.episodes (podcast_id, title)
      select ${podcastId}, 'Paris ' || n from generate_series(1, ${BOOKINGS}::int) n returning id
    )
    insert into public.bookings (podcast_id, episode_id, name, start_time, end_time, status, guest_name, guest_email)
    select ${podcastId}, id, 'Interview', now() + interval '1 day', now() + interval '25 hours', 'confirmed', 'Gus',
      'gus@bench.test' from episode`;
}
await sql`
  insert into public.automation_rules (podcast_id, author_id, name, trigger_type)
  select id, owner_id, 'Bench', 'booking.confirmed' from public.podcasts`;
await sql`
  insert into public.automation_actions (rule_id, action_type, action_config)
  select id, 'update_field', '{"entity": "episode", "field": "season_number", "value": 0}' from public.automation_rules`;
await sql`select pgmq.create('bench')`;
await sql`vacuum analyze`;

const ratios: number[] = [], executed: number[] = [], archived: number[] = [];
for (let round = 0; round <= ROUNDS; round++) { // in turns; the first one warms up
  const messages = await perSecond(archiveMessages), executions = await perSecond(() => runExecutions(round));
  if (round === 0) continue;
  archived.push(messages);
  executed.push(executions);
  ratios.push(executions / messages);
}
console.log(
  `${EXECUTIONS} executions of an update_field over ${PODCASTS} podcasts: ${Math.round(median(executed))} per s`,
);
console.log(`pgmq.read and pgmq.archive, one by one on ${WORKERS} connections: ${Math.round(median(archived))} per s`);
console.log(`ratio: ${median(ratios).toFixed(2)}, worst ${Math.min(...ratios).toFixed(2)}, goal ${GOAL}`);
for (const connection of connections) await connection.end();
if (median(ratios) < GOAL) Deno.exit(1);

async function perSecond(prepare: () => Promise<() => Promise<unknown>>): Promise<number> {
  const run = await prepare(), from = performance.now();
  await run();
  return EXECUTIONS / (performance.now() - from) * 1000;
}

async function runExecutions(round: number) {
  await sql`update private.automation_usage set used_at = used_at - interval '1 hour'`;
  await sql`delete from public.automation_executions`;
  await sql`update public.automation_actions set action_config = action_config || ${sql.json({ value: round + 1 })}`;
  await sql`
    select private.fire_automations('booking.confirmed', podcast_id, id, episode_id, id::text, now())
    from public.bookings order by md5(id::text)`;
  await vacuum();
  return async () => {
    await drain(runAutomationJob as Job, timeBudget(600_000));
    const [{ updated, completed }] = await sql`
      select (select count(*)::int from public.episodes where season_number = ${round + 1}) as updated,
        (select count(*)::int from public.automation_executions where status = 'completed') as completed`;
    if (updated !== EXECUTIONS || completed !== EXECUTIONS) {
      throw new Error(`${updated} updated, ${completed} completed`);
    }
  };
}

async function archiveMessages() {
  await sql`delete from pgmq.a_bench`;
  await sql`
    select pgmq.send('bench', jsonb_build_object('podcast_id', gen_random_uuid(), 'execution_id', gen_random_uuid()))
    from generate_series(1, ${EXECUTIONS}::int)`;
  await vacuum();
  return () =>
    Promise.all(connections.map(async (one) => {
      for (;;) {
        const [message] = await one`select msg_id, message::text from pgmq.read('bench', 60, 1)`;
        if (!message) return;
        await one`select pgmq.archive('bench', ${message.msg_id}::bigint)`;
      }
    }));
}

async function vacuum() {
  await sql`vacuum analyze public.episodes, public.automation_executions, private.automation_usage,
    pgmq.q_automation_runs, pgmq.q_bench, pgmq.a_bench`;
}
