/**
 * The changes of the tables in publication supabase_realtime, and the broadcasts in realtime.messages, read from one
 * temporary logical slot. The first channel creates the slot: without one, PostgreSQL need not decode its log. After a
 * lost connection or slot it restarts; changes in between are not sent.
 */
import postgres from "../postgres/client.ts";
import { Buffer } from "node:buffer";
import { type Change, decodeChanges } from "./pgoutput.ts";

/** The interval of reads while a channel exists. */
const ACTIVE_POLL_MS = 50;
/** Without channels, the slot only advances when the log has grown by this much, because the slot retains it. */
const IDLE_POLL_MS = 1000;
const IDLE_ADVANCE_BYTES = 1024 * 1024;
const MAX_CHANGES = 500;
const PUBLICATIONS = "supabase_realtime,supabase_realtime_messages_publication";

interface ReplicationOptions {
  adminUrl: string;
  /** Whether a channel exists. */
  hasListeners: () => boolean;
  /** Receives changes in order; the next follow when its promise has resolved. */
  onChanges: (changes: Change[]) => Promise<void>;
}

export function startReplication({ adminUrl, hasListeners, onChanges }: ReplicationOptions) {
  // PostgreSQL would log six lines for each read; errors of this session are logged below
  const connection = { application_name: "realtime_replication_connection", log_min_messages: "fatal" };
  const connect = () =>
    postgres(adminUrl, { max: 1, idle_timeout: 0, max_lifetime: null, onnotice: () => {}, connection });
  let sql = connect();
  let slot: string | undefined;
  let readUntil = "0/0";
  let closing = false;
  let pause = Promise.withResolvers<void>();
  /** Commits before this position in the log are not sent: no channel existed then. */
  let startLsn = 0n;
  let isListening = false;
  let listening = Promise.withResolvers<void>();

  async function open() {
    const name = "realtime_" + crypto.randomUUID().replaceAll("-", "");
    await sql`select pg_create_logical_replication_slot(${name}, 'pgoutput', true)`;
    slot = name;
    readUntil = "0/0";
  }

  async function listen() {
    const [{ position }] = await sql<{ position: string }[]>`select pg_current_wal_insert_lsn() - '0/0' as position`;
    startLsn = BigInt(position);
    isListening = true;
    listening.resolve();
  }

  function stopListening() {
    if (isListening) listening = Promise.withResolvers();
    isListening = false;
  }

  /** Reads changes. Returns whether there may be more. */
  async function read(): Promise<boolean> {
    if (!hasListeners()) {
      stopListening();
      await sql`
        select pg_replication_slot_advance(slot_name, pg_current_wal_flush_lsn()) from pg_replication_slots
        where slot_name = ${slot!} and pg_current_wal_flush_lsn() - confirmed_flush_lsn > ${IDLE_ADVANCE_BYTES}`;
      return false;
    }
    if (!isListening) await listen();
    // Each call starts and ends decoding, so that there is none if nothing was written. Base64, because Deno 2.1 decodes
    // the driver's hexadecimal digits slowly, and blocks all services meanwhile
    const rows = await sql<{ end: string; data: string | null }[]>`
      select grown.end, encode(data, 'base64') as data
      from (
        select ${slot!}::name as slot, pg_current_wal_flush_lsn() as end
        where pg_current_wal_flush_lsn() > ${readUntil}::pg_lsn
      ) grown left join lateral pg_logical_slot_get_binary_changes(grown.slot, null, ${MAX_CHANGES},
        'proto_version', '1', 'publication_names', ${PUBLICATIONS}) on true`;
    const isAll = rows.length < MAX_CHANGES;
    if (rows.length && isAll) readUntil = rows[0].end;
    const messages = rows.flatMap(({ data }) => data === null ? [] : Buffer.from(data, "base64"));
    const changes = decodeChanges(messages).filter(({ lsn }) => lsn >= startLsn);
    if (changes.length) await onChanges(changes);
    return !isAll;
  }

  async function follow() {
    let failures = 0;
    while (!closing) {
      let more = false;
      try {
        if (!slot && hasListeners()) await open();
        if (slot) more = await read();
        failures = 0;
      } catch (error) {
        if (closing) return;
        if (failures++ === 0) console.error("realtime: replication restarts:", (error as Error).message);
        stopListening();
        slot = undefined;
        // A new session, because the slot ends with the old one, whose socket is closing
        await sql.end({ timeout: 0 }).catch(() => {});
        sql = connect();
      }
      if (!more) {
        await sleep(failures ? Math.min(100 * 2 ** failures, 5000) : hasListeners() ? ACTIVE_POLL_MS : IDLE_POLL_MS);
      }
    }
  }

  async function sleep(ms: number) {
    pause = Promise.withResolvers<void>();
    const timer = setTimeout(pause.resolve, ms);
    await pause.promise;
    clearTimeout(timer);
  }

  const following = follow();
  return {
    /** For a listener: resolves when later changes will be read, as long as a channel exists. */
    async ready() {
      if (!isListening) pause.resolve();
      await listening.promise;
    },
    /** Reads the log at once. */
    pollNow: () => pause.resolve(),
    async close() {
      closing = true;
      pause.resolve();
      listening.resolve();
      await sql.end({ timeout: 0.5 }); // first, because the loop may be waiting for a slot
      await following;
    },
  };
}
