/**
 * The partitions of realtime.messages, one per day: from yesterday to three days ahead, so that an insert at midnight
 * finds its partition. Messages are kept for three days.
 */
import { connected } from "../postgres/client.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS_AHEAD = 3, DAYS_KEPT = 3;
/** A sleeping laptop wakes up on another day. */
const CHECK_MS = 60_000;

/** Keeps the partitions of the current day. Asks the database only when the day has changed. */
export function startPartitions(adminUrl: string) {
  let day = "";
  let running: Promise<void> | undefined;

  async function update() {
    const today = dayOf(Date.now());
    if (today === day) return;
    await updatePartitions(adminUrl);
    day = today;
  }
  /** One update at a time. */
  const updated = () => running ??= update().finally(() => running = undefined);
  const check = () =>
    updated().catch((error) => console.error("realtime: partitions of messages:", (error as Error).message));
  const timer = setInterval(check, CHECK_MS);
  const first = check();

  return {
    /** Resolves when the partitions exist, or their creation has failed. */
    started: first,
    async close() {
      clearInterval(timer);
      await running?.catch(() => {});
    },
  };
}

/** Creates and drops partitions, as seen from today. */
export async function updatePartitions(adminUrl: string) {
  const url = new URL(adminUrl);
  url.searchParams.set("application_name", "realtime_janitor");
  await connected(url.href, async (sql) => {
    // A transaction that holds the table must not make all inserts wait behind this one
    await sql`set lock_timeout = '2s'`;
    for (let ahead = -1; ahead <= DAYS_AHEAD; ahead++) {
      const [from, to] = [ahead, ahead + 1].map((days) => dayOf(Date.now() + days * DAY_MS));
      const partition = `realtime.messages_${from.replaceAll("-", "_")}`;
      const [{ exists }] = await sql`select to_regclass(${partition}) is not null as exists`;
      if (exists) continue;
      await sql.unsafe(`
        create table ${partition} partition of realtime.messages for values from ('${from}') to ('${to}');
        alter table ${partition} owner to supabase_realtime_admin;`).simple();
    }
    const oldest = `messages_${dayOf(Date.now() - DAYS_KEPT * DAY_MS).replaceAll("-", "_")}`;
    const old = await sql<{ name: string }[]>`
      select inhrelid::regclass::text as name from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'realtime.messages'::regclass and relname ~ '^messages_[0-9]{4}(_[0-9]{2}){2}$'
        and relname < ${oldest}`;
    for (const { name } of old) await sql.unsafe(`drop table ${name}`);
  });
}

/** The day of a time in UTC: 2026-01-31. */
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
