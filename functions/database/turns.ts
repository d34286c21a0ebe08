/** Whose work gets a connection of a pool next. */
import { createLruCache } from "../runtime/lru_cache.ts";

const { performance } = globalThis; // see runtime/start_time_limit.ts

/** One work item's turn to have a connection. Work with a common key or caller has at most half of the connections. */
export interface Turn {
  /** What callers may contend for: ids and slugs. Work counts for their owners, such as an episode's podcast, too. */
  keys: readonly string[];
  /** A user's id or an IP address, which has no owner. */
  caller?: string;
  /** The work of a kind leaves one connection to other work. */
  kind?: string;
  start: () => void;
}

/** Finds the key that each key belongs to; the map lacks keys without an owner. */
export type FindOwners = (keys: string[]) => Promise<Map<string, string>>;

export interface Turns {
  /** Starts the turn, now or as soon as a connection is free. */
  add(turn: Turn): void;
  /** Ends a turn that has started. */
  end(turn: Turn): void;
  /** Removes a turn that has not started. */
  cancel(turn: Turn): void;
}

interface Owner {
  key?: string;
  /** When to ask again: for a key without an owner, which may get one, or if the question failed. */
  expiresAt: number;
}

const MAX_ASKED = 1000, NO_OWNER_MS = 10_000;
/** Slugs have at most so many characters, and ids fewer. A longer key has no owner. */
const MAX_KEY_CHARS = 100;

/**
 * Shares `size` connections. Owners are asked for only while half of the connections are busy: below that no key can
 * have more than its half, and calls cost nothing more. If the question fails, keys count for themselves.
 */
export function openTurns(size: number, findOwners?: FindOwners): Turns {
  const waiting = new Set<Turn>(), running = new Set<Turn>();
  const owners = createLruCache<Owner>({ maxCount: 10_000, maxBytes: 10_000 * (200 + 2 * MAX_KEY_CHARS) });
  const maxPerKey = Math.max(1, Math.floor(size / 2)), maxPerKind = Math.max(1, size - 1);
  let isAsking = false;

  function isUnknown(key: string): boolean {
    if (key.length > MAX_KEY_CHARS) return false;
    const owner = owners.peek(key);
    return owner === undefined || owner.expiresAt <= performance.now();
  }
  const hasUnknownKeys = ({ keys }: Turn) => findOwners !== undefined && keys.some(isUnknown);

  function countedKeys({ keys, caller }: Turn): Set<string> {
    const all = new Set(keys);
    if (caller !== undefined) all.add(caller);
    for (const key of keys) {
      const owner = owners.peek(key)?.key;
      if (owner !== undefined) all.add(owner);
    }
    return all;
  }

  /**
   * Judges waiting turns, as long as the same ones run: how many connections the turn's keys have together, null if it
   * may not start, "unknown" if that depends on owners.
   */
  function startJudging(): (turn: Turn) => number | null | "unknown" {
    const perKey = new Map<string, number>(), perKind = new Map<string | undefined, number>();
    for (const turn of running) {
      perKind.set(turn.kind, (perKind.get(turn.kind) ?? 0) + 1);
      for (const key of countedKeys(turn)) perKey.set(key, (perKey.get(key) ?? 0) + 1);
    }
    const needsOwners = running.size >= maxPerKey;
    const isUnsure = needsOwners && [...running].some(hasUnknownKeys);
    return (turn) => {
      if (turn.kind !== undefined && (perKind.get(turn.kind) ?? 0) >= maxPerKind) return null;
      const keys = countedKeys(turn);
      if (needsOwners && turn.keys.length > 0 && (isUnsure || hasUnknownKeys(turn))) return "unknown";
      let sum = 0;
      for (const key of keys) {
        const count = perKey.get(key) ?? 0;
        if (count >= maxPerKey) return null;
        sum += count;
      }
      return sum;
    };
  }

  /**
   * The turn whose keys together have the fewest connections, so that a podcast's team passes the many calls of one
   * stranger; of several, the one that waits longest. "unknown" if an earlier one depends on owners.
   */
  function nextTurn(): Turn | "unknown" | undefined {
    const judge = startJudging();
    let next: Turn | undefined, least = Infinity;
    for (const turn of waiting) {
      const sum = judge(turn);
      if (sum === "unknown") {
        if (!isAsking) return sum;
      } else if (sum !== null && sum < least) {
        [next, least] = [turn, sum];
      }
      if (least === 0) break;
    }
    return next;
  }

  function startWaiting() {
    while (running.size < size) {
      const next = nextTurn();
      if (next === undefined) return;
      if (next === "unknown") ask(); // the question takes a connection
      else begin(next);
    }
  }

  function begin(turn: Turn) {
    waiting.delete(turn);
    running.add(turn);
    turn.start();
  }

  /** Asks for the owners of all unknown keys at once; a later question asks for the rest. */
  function ask() {
    isAsking = true;
    const unknown = new Set<string>();
    for (const { keys } of [...running, ...waiting]) {
      for (const key of keys) if (isUnknown(key)) unknown.add(key);
      if (unknown.size >= MAX_ASKED) break;
    }
    findOwners!([...unknown]).catch(() => new Map<string, string>()).then((found) => {
      for (const key of unknown) {
        const owner = found.get(key);
        const expiresAt = owner === undefined ? performance.now() + NO_OWNER_MS : Infinity;
        owners.set(key, { key: owner, expiresAt }, 200 + 2 * key.length);
      }
      isAsking = false;
      startWaiting();
    });
  }

  return {
    add(turn) {
      waiting.add(turn);
      if (running.size >= size) return;
      const sum = startJudging()(turn);
      if (typeof sum === "number") begin(turn);
      else if (sum === "unknown" && !isAsking) ask();
    },
    end(turn) {
      running.delete(turn);
      startWaiting();
    },
    cancel(turn) {
      waiting.delete(turn);
    },
  };
}
