/**
 * Copies of public reads: bounded in memory, and served for up to ten minutes while the database does not respond.
 */
import { type CacheBounds, createLruCache } from "../runtime/lru_cache.ts";
import { toErrorResponse } from "./errors.ts";

/** For the descriptions of routes that serve copies. */
export const STALE_COPY_DESCRIPTION =
  "While the database is unavailable, returns a copy that is at most ten minutes old, with Warning: 110.";

/** How long a copy may be served after the database confirmed it. */
const MAX_COPY_AGE_MS = 10 * 60_000;

/** Empty for what the database has just confirmed. */
export interface Staleness {
  /** The time since the database confirmed a copy. */
  ageSeconds?: number;
  /** The error that made a copy necessary. */
  cause?: unknown;
}

/** The result of a read. */
export interface CopiedRead<T> extends Staleness {
  value: T;
}

interface StaleCopies<T> {
  /**
   * Runs the query and stores its result; `undefined` or an error that the database raised evicts the copy. If the
   * database is unavailable or slow, returns the copy, or throws if there is none. Concurrent reads of a key share one
   * query. The query may return the value of the copy, `known`, if it finds it unchanged.
   */
  read(key: string, query: (known?: T) => Promise<T | undefined>): Promise<CopiedRead<T> | undefined>;
}

/** `sizeOf` returns the bytes that a value takes in memory. */
export function createStaleCopies<T>(
  bounds: CacheBounds,
  sizeOf: (value: T) => number,
  now = () => Date.now(),
): StaleCopies<T> {
  const copies = createLruCache<{ value: T; confirmedAt: number }>(bounds);
  const reading = new Map<string, Promise<CopiedRead<T> | undefined>>();

  async function read(
    key: string,
    query: (known?: T) => Promise<T | undefined>,
  ): Promise<CopiedRead<T> | undefined> {
    const startedAt = now(); // the result may be as old as the query's start
    try {
      const value = await query(copies.get(key)?.value);
      if (value === undefined) {
        copies.delete(key);
        return;
      }
      copies.set(key, { value, confirmedAt: startedAt }, sizeOf(value) + 2 * key.length);
      return { value };
    } catch (cause) {
      const { status } = toErrorResponse(cause, { requestId: "", isSignedIn: false });
      if (status < 500) copies.delete(key);
      const copy = status === 503 ? copies.get(key) : undefined;
      const age = copy ? now() - copy.confirmedAt : NaN; // below 0 after the clock was set back
      if (age >= 0 && age <= MAX_COPY_AGE_MS) return { value: copy!.value, ageSeconds: Math.floor(age / 1000), cause };
      throw cause;
    }
  }
  return {
    read(key, query) {
      const shared = reading.get(key);
      if (shared) return shared;
      const found = read(key, query).finally(() => reading.delete(key));
      reading.set(key, found);
      return found;
    },
  };
}
