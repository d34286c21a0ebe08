/** Phoenix's wire format as supabase-js speaks it: version 2.0.0 (arrays, and binary broadcasts) or 1.0.0 (objects). */

import { parseJson } from "../wire/json.ts";

export interface Message {
  joinRef: string | null;
  ref: string | null;
  topic: string;
  event: string;
  payload: Record<string, unknown>;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** A message from a client. A broadcast's payload may hold bytes instead of JSON. Throws on what is none. */
export function decode(data: string | ArrayBuffer): Message {
  if (typeof data !== "string") return decodeBroadcast(new Uint8Array(data));
  // deno-lint-ignore no-explicit-any -- checked below
  const message: any = parseJson(data);
  const [joinRef, ref, topic, event, payload] = Array.isArray(message)
    ? message
    : [message.join_ref, message.ref, message.topic, message.event, message.payload];
  if (typeof topic !== "string" || typeof event !== "string") throw new Error("A message needs a topic and an event");
  const isObject = typeof payload === "object" && payload !== null;
  return { joinRef: joinRef ?? null, ref: ref ?? null, topic, event, payload: isObject ? payload : {} };
}

export type Encoded = string | Uint8Array | null;

/** A message for a client of protocol `version`; null for bytes that it cannot carry. */
export function encode(message: Message, version: string): Encoded {
  const { joinRef, ref, topic, event, payload } = message;
  if (payload.payload instanceof Uint8Array) return isOld(version) ? null : encodeBroadcast(message);
  return JSON.stringify(
    isOld(version) ? { join_ref: joinRef, ref, topic, event, payload } : [joinRef, ref, topic, event, payload],
  );
}

/** Protocol versions that the server speaks. */
export const isKnownVersion = (version: string) => /^[12]\.0\.\d+$/.test(version);
const isOld = (version: string) => version.startsWith("1.");

// Client to server: kind 3, five lengths, the encoding (1 is JSON), then the five strings and the payload.
function decodeBroadcast(bytes: Uint8Array): Message {
  if (bytes[0] !== 3) throw new Error("Unknown kind of binary message");
  let at = 7;
  const [joinRef, ref, topic, event] = [1, 2, 3, 4, 5].map((i) => decoder.decode(bytes.subarray(at, at += bytes[i])));
  const body = bytes.slice(at);
  const payload = bytes[6] === 1 ? parseJson(decoder.decode(body)) : body;
  return {
    joinRef: joinRef || null,
    ref: ref || null,
    topic,
    event: "broadcast",
    payload: { type: "broadcast", event, payload },
  };
}

// Server to client: kind 4, three lengths, the encoding, then topic, event and metadata.
function encodeBroadcast({ topic, payload }: Message): Uint8Array | null {
  const head = [topic, String(payload.event), payload.meta ? JSON.stringify(payload.meta) : ""]
    .map((part) => encoder.encode(part));
  if (head.some(({ length }) => length > 255)) return null;
  const parts = [Uint8Array.of(4, ...head.map(({ length }) => length), 0), ...head, payload.payload as Uint8Array];
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** A private and a public channel of one name are two topics. */
export const topicKey = (name: string, isPrivate: boolean) => `${isPrivate ? "private" : "public"}:${name}`;
