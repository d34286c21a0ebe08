/** Who is there, by topic: Phoenix's presence as supabase-js reads it. */

/** What one client tells of itself. */
type Meta = Record<string, unknown> & { phx_ref: string };
type State = Record<string, { metas: Meta[] }>;

export interface Diff {
  joins: State;
  leaves: State;
}

/** The clients of all topics. A client is any object: it is known by being the same. */
export function createPresence() {
  const topics = new Map<string, Map<object, { key: string; meta: Meta }>>();
  let refs = 0;
  const one = (key: string, meta: Meta): State => ({ [key]: { metas: [meta] } });
  return {
    /** Everyone on the topic. */
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
    /** Undefined when the client was not there. */
    untrack(topic: string, client: object): Diff | undefined {
      const there = topics.get(topic)?.get(client);
      if (!there) return undefined;
      topics.get(topic)!.delete(client);
      if (!topics.get(topic)!.size) topics.delete(topic);
      return { joins: {}, leaves: one(there.key, there.meta) };
    },
  };
}
