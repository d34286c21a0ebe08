/** Keys are clients' addresses, which a stranger can invent: beyond this number, old ones are dropped. */
const MAX_KEYS = 10_000;

export type Limit = ReturnType<typeof createLimit>;

/** Counts events per key within the last `windowSeconds`, in memory. */
export function createLimit(windowSeconds: number) {
  const times = new Map<string, number[]>();
  const recent = (key: string) => (times.get(key) ?? []).filter((at) => at > Date.now() - windowSeconds * 1000);
  return {
    count: (key: string) => recent(key).length,
    /** Returns a function that takes the event back. */
    add(key: string): () => void {
      const at = Date.now(), kept = [...recent(key), at];
      times.delete(key); // so that the least recent key is the first
      times.set(key, kept);
      if (times.size > MAX_KEYS) times.delete(times.keys().next().value!);
      return () => {
        const index = times.get(key)?.indexOf(at) ?? -1;
        if (index >= 0) times.get(key)!.splice(index, 1);
      };
    },
  };
}
