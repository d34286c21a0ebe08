// Deletes the account of a user with 100,000 emailed notifications. Floor: deleting the same rows from copies of the
// tables that have their indexes, but neither triggers nor foreign keys. Goal: at most 4 times the floor.
// node local/deno.mjs bench/notifications/delete_account.ts [notifications]
import { claimsOf } from "../../tests/claims.ts";
import { createFeedDatabase } from "../../tests/feed_writer/feed_database.ts";
import { median } from "../feed/large_podcast.ts";

const ROWS = Number(Deno.args[0] ?? 100_000), ROUNDS = 5, GOAL = 4;
const TABLES = [
  "private.email_tokens",
  "private.delivery_sends",
  "public.notification_deliveries",
  "private.notification_keys",
  "public.notifications",
];

await using database = await createFeedDatabase();
const { sql } = database;
const [{ id: user }] = await sql`
  insert into auth.users (id, aud, role, email, email_confirmed_at, raw_user_meta_data, created_at, updated_at)
  values (gen_random_uuid(), 'authenticated', 'authenticated', 'user@bench.test', now(), '{}', now(), now())
  returning id`;
await sql`
  insert into public.notifications (user_id, type, category, priority, title, group_key)
  select ${user}, 'chat.message', 'collaboration', 'normal', 'Title of notification ' || n, 'g' || n % 1000
  from generate_series(1, ${ROWS}::int) n`;
await sql`
  insert into private.notification_keys (dedupe_key, recipient_id, notification_id)
  select 'message:' || gen_random_uuid(), user_id, id from public.notifications`;
await sql`
  insert into public.notification_deliveries (notification_id, user_id, type, channel, priority, status)
  select id, user_id, type, 'email', priority, 'sent' from public.notifications`;
await sql`insert into private.delivery_sends (delivery_id) select id from public.notification_deliveries`;
await sql`
  insert into private.email_tokens (digest, delivery_id, kind, expires_at)
  select sha256(convert_to(d.id::text || k, 'UTF8')), d.id, k, now() + interval '90 days'
  from public.notification_deliveries d, unnest(enum_range(null::private.email_token_kind)) k`;
await sql`select private.fold_notification_counts()`;
for (const table of TABLES) {
  await sql.unsafe(`create table copy_of_${table.split(".")[1]} (like ${table} including indexes)`);
  await sql.unsafe(`insert into copy_of_${table.split(".")[1]} select * from ${table}`);
}
await sql`vacuum analyze`;

const connection = await sql.reserve();
/** Milliseconds of statements that are rolled back. */
const timed = async (statements: string) => {
  const from = performance.now();
  await connection.unsafe(`begin; ${statements}`).simple();
  const taken = performance.now() - from;
  await connection.unsafe("rollback").simple();
  await sql`vacuum`;
  return taken;
};
const claims = claimsOf(user);
const deleteAccount = `select set_config('request.jwt.claims', '${claims}', true); select public.delete_account()`;
const deleteCopies = TABLES.map((table) => `delete from copy_of_${table.split(".")[1]}`).join("; ");

const times: { account: number; copies: number }[] = [];
for (let round = -1; round < ROUNDS; round++) { // in turns; the first one warms up
  const copies = await timed(deleteCopies), account = await timed(deleteAccount);
  if (round >= 0) times.push({ account, copies });
}
connection.release();
const ratio = median(times.map(({ account, copies }) => account / copies));
console.log(
  `account with ${ROWS} notifications: ${Math.round(median(times.map(({ account }) => account)))} ms; ` +
    `plain delete of these rows: ${Math.round(median(times.map(({ copies }) => copies)))} ms`,
);
console.log(`ratio: ${ratio.toFixed(2)}, goal at most ${GOAL}`);
if (ratio > GOAL) Deno.exit(1);
