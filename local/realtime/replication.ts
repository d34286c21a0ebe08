/**
 * The changes of the tables in publication supabase_realtime, read from a temporary logical slot, as Realtime does.
 * When the connection or the slot is lost, it begins anew: what was written in between is not sent.
 */
import postgres from "postgres";
import type { Buffer } from "node:buffer";
import { type Change, decodeChanges } from "./pgoutput.ts";

/** How often the log is read while someone listens; otherwise it is only passed over, so that the slot does not hold it back. */
const LISTENED_MS = 50;
const UNHEARD_MS = 1000;
const AT_ONCE = 500;

export interface ReplicationOptions {
  adminUrl: string;
  /** Whether anyone listens. */
  listened: () => boolean;
  /** Told of the changes in their order; the next come when its promise has resolved. */
  onChanges: (changes: Change[]) => Promise<void>;
}

export function startReplication({ adminUrl, listened, onChanges }: ReplicationOptions) {
  const connection = { application_name: "realtime_replication_connection" };
  const connect = () =>
    postgres(adminUrl, { max: 1, idle_timeout: 0, max_lifetime: null, onnotice: () => {}, connection });
  let sql = connect();
  let slot: string | undefined;
  let closing = false;
  let reading: Promise<boolean> = Promise.resolve(false);
  let pause = Promise.withResolvers<void>();
  let opened = Promise.withResolvers<void>();

  async function open() {
    const name = "realtime_" + crypto.randomUUID().replaceAll("-", "");
    await sql`select pg_create_logical_replication_slot(${name}, 'pgoutput', true)`;
    slot = name;
    opened.resolve();
  }

  /** Whether there may be more. */
  async function read(): Promise<boolean> {
    if (!listened()) {
      await sql`select pg_replication_slot_advance(${slot!}, pg_current_wal_flush_lsn())`;
      return false;
    }
    const rows = await sql<{ data: Buffer }[]>`
      select data from pg_logical_slot_get_binary_changes(${slot!}, null, ${AT_ONCE},
        'proto_version', '1', 'publication_names', 'supabase_realtime')`;
    if (rows.length) await onChanges(decodeChanges(rows.map((row) => row.data)));
    return rows.length >= AT_ONCE;
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
