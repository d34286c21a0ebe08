// Fan-out of one event to 10,000 users with three channels, to a plain insert … select of the same rows into the same
// tables. Goal: at least 0.3 of its rows per second. node local/deno.mjs bench/notifications/fan_out.ts [users]
import { updatePartitions } from "../../local/realtime/partitions.ts";
import { createFeedDatabase } from "../../tests/feed_writer/feed_database.ts";
import { median } from "../feed/large_podcast.ts";

const USERS = Number(Deno.args[0] ?? 10_000), ROUNDS = 5, GOAL = 0.3;
const LOCALES = ["en", "de", "en-GB", "de-AT"], ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Tokyo"];

await using database = await createFeedDatabase();
const { sql } = database;
await updatePartitions(Object.assign(new URL(database.url), { username: "supabase_admin" }).href); // for broadcasts
await sql`
  insert into auth.users (id, aud, role, email, email_confirmed_at, raw_user_meta_data, created_at, updated_at)
  select gen_random_uuid(), 'authenticated', 'authenticated', 'user' || n || '@bench.test', now(), '{}', now(), now()
  from generate_series(1, ${USERS}::int) n`;
await sql`
  with numbered as (select id, row_number() over (order by id)::int as n from public.profiles)
  update public.profiles f set locale = (${LOCALES}::text[])[1 + n.n % 4], timezone = (${ZONES}::text[])[1 + n.n % 4]
  from numbered n where n.id = f.id`;
await sql`
  update public.notification_preferences set quiet_hours_start = '22:00', quiet_hours_end = '07:00'
  where user_id in (select id from public.profiles order by id limit ${USERS / 4})`;
await sql`
  insert into public.push_subscriptions (user_id, endpoint)
  select id, 'https://push.bench.test/' || id from public.profiles`;
await sql`insert into public.podcasts (owner_id, title) select id, 'Bench' from public.profiles limit 1`;
await sql`vacuum analyze`;

const clear = async () => {
  await sql`delete from public.notifications`;
  await sql`delete from private.events`;
  await sql`vacuum public.notifications, public.notification_deliveries, public.profiles, private.events`;
};
const timed = async (statement: string) => {
  const from = performance.now();
  await sql.unsafe(statement);
  return performance.now() - from;
};
const fanOut = () =>
  timed(`
    select private.notify('podcast.transfer_offered',
      (select jsonb_agg(jsonb_build_object('user_id', id)) from public.profiles),
      (select jsonb_build_object('podcast_id', id, 'actor_id', owner_id) from public.podcasts))`);

await fanOut();
await sql`create table public.notification_rows as select * from public.notifications`;
await sql`create table public.delivery_rows as select * from public.notification_deliveries`;
const [{ rows }] = await sql`
  select ((select count(*) from public.notification_rows) + (select count(*) from public.delivery_rows))::int as rows`;
if (rows !== 3 * USERS) throw new Error(`${rows} rows instead of ${3 * USERS}`);
const insert = () =>
  timed(`
    with notified as (insert into public.notifications select * from public.notification_rows)
    insert into public.notification_deliveries select * from public.delivery_rows`);

const times: { fanOut: number; insert: number }[] = [];
for (let round = -1; round < ROUNDS; round++) { // in turns; the first one warms up
  await clear();
  const inserted = await insert();
  await clear();
  const fannedOut = await fanOut();
  if (round >= 0) times.push({ fanOut: fannedOut, insert: inserted });
}
const ratios = times.map((time) => time.insert / time.fanOut), ratio = median(ratios);
const perSecond = (ms: number) => `${Math.round(rows / ms * 1000)} rows/s`;
console.log(
  `fan-out to ${USERS} users, ${rows} rows: ${Math.round(median(times.map(({ fanOut }) => fanOut)))} ms, ` +
    `${perSecond(median(times.map(({ fanOut }) => fanOut)))}`,
);
console.log(`plain insert … select of these rows: ${perSecond(median(times.map(({ insert }) => insert)))}`);
console.log(`ratio: ${ratio.toFixed(2)}, worst ${Math.min(...ratios).toFixed(2)}, goal ${GOAL}`);
if (ratio < GOAL) Deno.exit(1);
