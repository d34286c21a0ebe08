/** A cache that evicts the least recently used values. */
interface LruCache<T> {
  get(key: string): T | undefined;
  /** Gets a value that does not count as used, for callers that look it up many times per request. */
  peek(key: string): T | undefined;
  /** Stores a value of this size; a value larger than the whole cache is not stored. */
  set(key: string, value: T, bytes: number): void;
  delete(key: string): void;
}

export interface CacheBounds {
  maxCount: number;
  maxBytes: number;
}

export function createLruCache<T>({ maxCount, maxBytes }: CacheBounds): LruCache<T> {
  const entries = new Map<string, { value: T; bytes: number }>(); // least recently used first
  let total = 0;

  function remove(key: string) {
    total -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  }
  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry) return;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    peek: (key) => entries.get(key)?.value,
    set(key, value, bytes) {
      remove(key);
      if (bytes > maxBytes) return;
      entries.set(key, { value, bytes });
      total += bytes;
      for (const oldest of entries.keys()) {
        if (total <= maxBytes && entries.size <= maxCount) break;
        remove(oldest);
      }
    },
    delete: remove,
  };
}
