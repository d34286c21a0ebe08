/**
 * What public reads keep of the database: bounded memory, and copies that may be served for ten minutes while the
 * database does not answer.
 */
import { toErrorResponse } from "./errors.ts";

/** For the descriptions of routes that serve copies. */
export const STALE_COPY_DESCRIPTION =
  "While the database is unavailable, returns a copy that is at most ten minutes old, with Warning: 110.";

interface Bounds {
  maxCount: number;
  maxBytes: number;
}

/** Values by key; the least recently used ones make room. */
export interface LruCache<T> {
  get(key: string): T | undefined;
  /** Keeps a value that takes so many bytes; a value larger than all of the room is not kept. */
  set(key: string, value: T, bytes: number): void;
  delete(key: string): void;
}

export function createLruCache<T>({ maxCount, maxBytes }: Bounds): LruCache<T> {
  const entries = new Map<string, { value: T; bytes: number }>(); // the least recently used first
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

/** How long a copy may be served after the database confirmed it. */
export const MAX_COPY_AGE_MS = 10 * 60_000;

/** What a read found. `ageSeconds` tells that it is a copy, and how long ago the database confirmed it. */
export interface CopiedRead<T> {
  value: T;
  ageSeconds?: number;
  /** Why it is a copy. */
  cause?: unknown;
}

export interface StaleCopies<T> {
  /**
   * Reads and keeps what was found; `undefined` evicts the copy, as an error does that the database decided on. If the
   * database cannot be reached or takes too long, finds the copy, or throws when there is none. Reads of one key that
   * come meanwhile share the answer: a crowd costs the database one query, and answers keep the order of their questions.
   */
  read(key: string, ask: () => Promise<T | undefined>): Promise<CopiedRead<T> | undefined>;
}

/** `sizeOf` tells the bytes that a value keeps in memory. */
export function createStaleCopies<T>(
  bounds: Bounds,
  sizeOf: (value: T) => number,
  now = () => Date.now(),
): StaleCopies<T> {
  const copies = createLruCache<{ value: T; confirmedAt: number }>(bounds);
  const reading = new Map<string, Promise<CopiedRead<T> | undefined>>();

  async function read(key: string, ask: () => Promise<T | undefined>): Promise<CopiedRead<T> | undefined> {
    const askedAt = now(); // the answer is no newer than its question
    try {
      const value = await ask();
      if (value === undefined) {
        copies.delete(key);
        return;
      }
      copies.set(key, { value, confirmedAt: askedAt }, sizeOf(value) + 2 * key.length);
      return { value };
    } catch (cause) {
      const { status } = toErrorResponse(cause, { requestId: "", isSignedIn: false });
      if (status < 500) copies.delete(key);
      const copy = status === 503 ? copies.get(key) : undefined;
      const age = copy ? now() - copy.confirmedAt : NaN; // below 0 when the clock was put back
      if (age >= 0 && age <= MAX_COPY_AGE_MS) return { value: copy!.value, ageSeconds: Math.floor(age / 1000), cause };
      throw cause;
    }
  }
  return {
    read(key, ask) {
      const shared = reading.get(key);
      if (shared) return shared;
      const found = read(key, ask).finally(() => reading.delete(key));
      reading.set(key, found);
      return found;
    },
  };
}
