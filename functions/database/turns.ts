/** Whose work gets a connection of a pool next. */

/** One work item's turn to have a connection. */
export interface Turn {
  /**
   * Work with a common key, such as a podcast or a user, has at most half of the connections: callers who wait for one
   * row leave the others to everyone else.
   */
  keys: readonly string[];
  /** The work of a kind leaves one connection to other work. */
  kind?: string;
  start: () => void;
}

/** Finds the key that each key belongs to, such as an episode's podcast. Work counts for that key too. */
export type FindOwners = (keys: string[]) => Promise<Map<string, string>>;

export interface Turns {
  /** Starts the turn, now or as soon as a connection is free. */
  add(turn: Turn): void;
  /** Ends a turn that has started. */
  end(turn: Turn): void;
  /** Removes a turn that has not started. */
  cancel(turn: Turn): void;
}

const MAX_ASKED = 1000, MAX_REMEMBERED = 10_000;

/**
 * Shares `size` connections. Owners are asked for only while half of the connections are busy: below that no key can
 * have more than its half, so that calls cost nothing more. If the question fails, keys count for themselves.
 */
export function openTurns(size: number, findOwners?: FindOwners): Turns {
  const waiting = new Set<Turn>(), running = new Set<Turn>();
  const owners = new Map<string, string | undefined>(); // the longest known first
  const maxPerKey = Math.max(1, Math.floor(size / 2)), maxPerKind = Math.max(1, size - 1);
  let isAsking = false;

  const hasUnknownKeys = ({ keys }: Turn) => findOwners !== undefined && keys.some((key) => !owners.has(key));

  function keysOf({ keys }: Turn): Set<string> {
    const all = new Set(keys);
    for (const key of keys) {
      const owner = owners.get(key);
      if (owner !== undefined) all.add(owner);
    }
    return all;
  }

  /** Judges the turns that wait, as long as the same ones run: how many connections their keys have, null if too many. */
  function startJudging(): (turn: Turn) => number | null {
    const perKey = new Map<string, number>(), perKind = new Map<string | undefined, number>();
    for (const turn of running) {
      perKind.set(turn.kind, (perKind.get(turn.kind) ?? 0) + 1);
      for (const key of keysOf(turn)) perKey.set(key, (perKey.get(key) ?? 0) + 1);
    }
    const needsOwners = running.size >= maxPerKey;
    const isUnsure = needsOwners && [...running].some(hasUnknownKeys);
    return (turn) => {
      if (turn.kind !== undefined && (perKind.get(turn.kind) ?? 0) >= maxPerKind) return null;
      if (needsOwners && turn.keys.length > 0 && (isUnsure || hasUnknownKeys(turn))) {
        ask();
        return null;
      }
      let share = 0;
      for (const key of keysOf(turn)) share = Math.max(share, perKey.get(key) ?? 0);
      return share < maxPerKey ? share : null;
    };
  }

  /** The turn whose keys have the fewest connections; of several, the one that waits longest. */
  function nextTurn(): Turn | undefined {
    const judge = startJudging();
    let next: Turn | undefined, least = Infinity;
    for (const turn of waiting) {
      const share = judge(turn);
      if (share !== null && share < least) [next, least] = [turn, share];
      if (least === 0) break;
    }
    return next;
  }

  function startWaiting() {
    for (let next; running.size < size && (next = nextTurn());) { // several, if each waited for another key
      waiting.delete(next);
      begin(next);
    }
  }

  function begin(turn: Turn) {
    running.add(turn);
    turn.start();
  }

  /** Asks for the owners of all unknown keys at once; a later question asks for the rest. */
  function ask() {
    if (isAsking) return;
    isAsking = true;
    const unknown = new Set<string>();
    for (const { keys } of [...running, ...waiting]) {
      for (const key of keys) if (unknown.size < MAX_ASKED && !owners.has(key)) unknown.add(key);
    }
    findOwners!([...unknown]).catch(() => new Map<string, string>()).then((found) => {
      for (const key of unknown) owners.set(key, found.get(key));
      for (const key of owners.keys()) {
        if (owners.size <= MAX_REMEMBERED) break;
        owners.delete(key);
      }
      isAsking = false;
      startWaiting();
    });
  }

  return {
    add(turn) {
      waiting.add(turn);
      if (running.size >= size || startJudging()(turn) === null) return;
      waiting.delete(turn);
      begin(turn);
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
