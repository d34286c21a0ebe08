/**
 * The changes of the tables in publication supabase_realtime, read from a temporary logical slot, as Realtime does.
 * When the connection or the slot is lost, it begins anew: what was written in between is not sent.
 */
import postgres from "../postgres_client.ts";
import type { Buffer } from "node:buffer";
import { type Change, decodeChanges } from "./pgoutput.ts";

/** How often the log is read while someone listens. */
const LISTENED_MS = 50;
/** Otherwise it is only passed over, when it has grown by so much: the slot holds it back, and a subscriber reads it. */
const UNHEARD_MS = 1000;
const UNHEARD_BYTES = 1024 * 1024;
const AT_ONCE = 500;

export interface ReplicationOptions {
  adminUrl: string;
  /** Whether anyone listens. */
  listened: () => boolean;
  /** Told of the changes in their order; the next come when its promise has resolved. */
  onChanges: (changes: Change[]) => Promise<void>;
}

export function startReplication({ adminUrl, listened, onChanges }: ReplicationOptions) {
  // PostgreSQL logs six lines for each look at the log; the errors of this session are told below
  const connection = { application_name: "realtime_replication_connection", log_min_messages: "fatal" };
  const connect = () =>
    postgres(adminUrl, { max: 1, idle_timeout: 0, max_lifetime: null, onnotice: () => {}, connection });
  let sql = connect();
  let slot: string | undefined;
  let readUntil = "0/0";
  let closing = false;
  let reading: Promise<boolean> = Promise.resolve(false);
  let pause = Promise.withResolvers<void>();
  let opened = Promise.withResolvers<void>();

  async function open() {
    const name = "realtime_" + crypto.randomUUID().replaceAll("-", "");
    await sql`select pg_create_logical_replication_slot(${name}, 'pgoutput', true)`;
    slot = name;
    readUntil = "0/0";
    opened.resolve();
  }

  /** Whether there may be more. */
  async function read(): Promise<boolean> {
    if (!listened()) {
      await sql`
        select pg_replication_slot_advance(slot_name, pg_current_wal_flush_lsn()) from pg_replication_slots
        where slot_name = ${slot!} and pg_current_wal_flush_lsn() - confirmed_flush_lsn > ${UNHEARD_BYTES}`;
      return false;
    }
    // Decoding begins and ends with each call: no call when nothing was written
    const rows = await sql<{ end: string; data: Buffer | null }[]>`
      select grown.end, data
      from (
        select ${slot!}::name as slot, pg_current_wal_flush_lsn() as end
        where pg_current_wal_flush_lsn() > ${readUntil}::pg_lsn
      ) grown left join lateral pg_logical_slot_get_binary_changes(grown.slot, null, ${AT_ONCE},
        'proto_version', '1', 'publication_names', 'supabase_realtime') on true`;
    const isAll = rows.length < AT_ONCE;
    if (rows.length && isAll) readUntil = rows[0].end;
    const changes = rows.flatMap(({ data }) => data ?? []);
    if (changes.length) await onChanges(decodeChanges(changes));
    return !isAll;
  }

  async function follow() {
    let failures = 0;
    while (!closing) {
      let more = false;
      try {
        if (!slot) await open();
        reading = read();
        more = await reading;
        failures = 0;
      } catch (error) {
        if (closing) return;
        if (failures++ === 0) console.error("realtime: replication begins anew:", (error as Error).message);
        if (slot) opened = Promise.withResolvers();
        slot = undefined;
        // A new session: the old one's slot goes with it, and postgres.js must not write to a socket that is closing
        await sql.end({ timeout: 0 }).catch(() => {});
        sql = connect();
      }
      if (!more) await nap(failures ? Math.min(100 * 2 ** failures, 5000) : listened() ? LISTENED_MS : UNHEARD_MS);
    }
  }

  async function nap(ms: number) {
    pause = Promise.withResolvers<void>();
    const timer = setTimeout(pause.resolve, ms);
    await pause.promise;
    clearTimeout(timer);
  }

  const following = follow();
  return {
    /** Resolves when changes made from now on will be seen, as long as someone listens. */
    async ready() {
      await opened.promise;
      await reading.catch(() => {}); // it may pass over what comes meanwhile
    },
    /** Reads the log at the listened pace from now on. */
    hurry: () => pause.resolve(),
    async close() {
      closing = true;
      pause.resolve();
      opened.resolve();
      await sql.end({ timeout: 0.5 }); // first: the loop may be waiting for a slot
      await following;
    },
  };
}
