/** The clients of each topic: Phoenix's presence, for supabase-js. */

import { MAX_STATE_LENGTH } from "./limits.ts";

/** The state that a client shares. */
type Meta = Record<string, unknown> & { phx_ref: string };
type State = Record<string, { metas: Meta[] }>;

export interface Diff {
  joins: State;
  leaves: State;
}

/** Tracks the clients of all topics. A client is any object, compared by identity. */
export function createPresence() {
  const topics = new Map<string, Map<object, { key: string; meta: Meta; length: number }>>();
  let refs = 0;
  let total = 0;
  const one = (key: string, meta: Meta): State => ({ [key]: { metas: [meta] } });
  return {
    /** All clients of a topic. */
    state(topic: string): State {
      const byKey = Map.groupBy(topics.get(topic)?.values() ?? [], ({ key }) => key);
      return Object.fromEntries([...byKey].map(([key, clients]) => [key, { metas: clients.map(({ meta }) => meta) }]));
    },
    /** `length` is the payload's size. Returns undefined if the state of all topics would be too large. */
    track(
      topic: string,
      client: object,
      { key, payload, length }: { key: string; payload: Record<string, unknown>; length: number },
    ): Diff | undefined {
      const before = topics.get(topic)?.get(client);
      const grown = total + length - (before?.length ?? 0);
      if (grown > MAX_STATE_LENGTH) return undefined;
      total = grown;
      if (!topics.has(topic)) topics.set(topic, new Map());
      const meta: Meta = { ...payload, phx_ref: String(++refs), ...before && { phx_ref_prev: before.meta.phx_ref } };
      topics.get(topic)!.set(client, { key, meta, length });
      return { joins: one(key, meta), leaves: before ? one(before.key, before.meta) : {} };
    },
    /** Removes a client; undefined if it was not tracked. */
    untrack(topic: string, client: object): Diff | undefined {
      const entry = topics.get(topic)?.get(client);
      if (!entry) return undefined;
      total -= entry.length;
      topics.get(topic)!.delete(client);
      if (!topics.get(topic)!.size) topics.delete(topic);
      return { joins: {}, leaves: one(entry.key, entry.meta) };
    },
  };
}
