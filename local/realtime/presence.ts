/** The clients of each topic: Phoenix's presence, for supabase-js. */

/** The state that a client shares. */
type Meta = Record<string, unknown> & { phx_ref: string };
type State = Record<string, { metas: Meta[] }>;

export interface Diff {
  joins: State;
  leaves: State;
}

/** Tracks the clients of all topics. A client is any object, compared by identity. */
export function createPresence() {
  const topics = new Map<string, Map<object, { key: string; meta: Meta }>>();
  let refs = 0;
  const one = (key: string, meta: Meta): State => ({ [key]: { metas: [meta] } });
  return {
    /** All clients of a topic. */
    state(topic: string): State {
      const byKey = Map.groupBy(topics.get(topic)?.values() ?? [], ({ key }) => key);
      return Object.fromEntries([...byKey].map(([key, clients]) => [key, { metas: clients.map(({ meta }) => meta) }]));
    },
    track(topic: string, client: object, key: string, payload: Record<string, unknown>): Diff {
      if (!topics.has(topic)) topics.set(topic, new Map());
      const before = topics.get(topic)!.get(client);
      const meta: Meta = { ...payload, phx_ref: String(++refs), ...before && { phx_ref_prev: before.meta.phx_ref } };
      topics.get(topic)!.set(client, { key, meta });
      return { joins: one(key, meta), leaves: before ? one(before.key, before.meta) : {} };
    },
    /** Removes a client; undefined if it was not tracked. */
    untrack(topic: string, client: object): Diff | undefined {
      const entry = topics.get(topic)?.get(client);
      if (!entry) return undefined;
      topics.get(topic)!.delete(client);
      if (!topics.get(topic)!.size) topics.delete(topic);
      return { joins: {}, leaves: one(entry.key, entry.meta) };
    },
  };
}
