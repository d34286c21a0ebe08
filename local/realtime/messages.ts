/** Broadcasts that the database sends: rows of realtime.messages. */
import type postgres from "../postgres/client.ts";
import { Buffer } from "node:buffer";
import { MAX_REPLAYED } from "./limits.ts";
import type { Change } from "./pgoutput.ts";

/** A broadcast as clients receive it. Its payload is JSON or bytes. */
interface Broadcast extends Record<string, unknown> {
  type: "broadcast";
  event: string;
  payload: unknown;
  meta?: { id: string };
}

export interface StoredBroadcast extends Broadcast {
  meta: { id: string };
}

/** A clock may differ a little; partitions further ahead are empty. */
const MAX_DRIFT = "1 minute";

export const isMessage = ({ schema, table, type }: Change) =>
  schema === "realtime" && (table === "messages" || table.startsWith("messages_")) && type === "INSERT";

/** The broadcast of an inserted row; undefined for a row without the needed columns. */
export function readBroadcast(
  { row }: Change,
): { topic: string; isPrivate: boolean; message: StoredBroadcast } | undefined {
  const [id, topic, event, isPrivate, json, bytes] = ["id", "topic", "event", "private", "payload", "binary_payload"]
    .map((column) => row!.get(column) ?? null);
  if (id === null || topic === null || event === null || isPrivate === null) return undefined;
  if (json === null && bytes === null) return undefined;
  const payload = bytes === null ? JSON.parse(json!) : new Uint8Array(Buffer.from(bytes.slice(2), "hex"));
  return { topic, isPrivate: isPrivate === "t", message: { type: "broadcast", event, payload, meta: { id } } };
}

/** The last private broadcasts of a topic after a time in milliseconds, in order. */
export async function replayedMessages(
  sql: postgres.Sql,
  topic: string,
  since: number,
  limit: number,
): Promise<StoredBroadcast[]> {
  const rows = await sql<{ id: string; event: string; payload: unknown; binary_payload: Uint8Array | null }[]>`
    select id, event, payload, binary_payload from realtime.messages
    where topic = ${topic} and private is true and extension = 'broadcast'
      and inserted_at >= to_timestamp(${since}::float8 / 1000) at time zone 'utc'
      and inserted_at < (now() at time zone 'utc') + ${MAX_DRIFT}::interval
    order by inserted_at desc limit ${Math.max(1, Math.min(limit, MAX_REPLAYED))}`;
  return rows.reverse().map(({ id, event, payload, binary_payload: bytes }) => ({
    type: "broadcast",
    event,
    payload: bytes === null ? payload : new Uint8Array(bytes),
    meta: { id },
  }));
}
