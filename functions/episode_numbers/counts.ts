/** The numbers of a series by group, with lookups around a rank. */
import type { Entry } from "./score.ts";
import type { Series } from "./series.ts";

/** The members of a count before and after a rank. */
export interface Neighbors {
  before?: Entry;
  after?: Entry;
}

export interface Counts {
  /** Neighbors on the run, without the entry at the rank itself. */
  neighbors(rank: number, group: number): Neighbors;
  has(value: number, group: number): boolean;
  /** Lowest and highest number of a group. */
  lowest(group: number): number;
  highest(group: number): number;
  /** The groups that an entry outside the series could belong to. */
  candidateGroups(entry: Entry): number[];
  add(entry: Entry, group: number): void;
}

interface Group {
  run: Entry[];
  values: Set<number>;
  lowest: number;
  highest: number;
}

/** Starts with the run's members that satisfy `isMember`. */
export function createCounts({ entries, score }: Series, isMember: (entry: Entry) => boolean): Counts {
  const groups = new Map<number, Group>();
  const groupFor = (group: number): Group => {
    let found = groups.get(group);
    if (!found) groups.set(group, found = { run: [], values: new Set(), lowest: Infinity, highest: -Infinity });
    return found;
  };
  const add = (entry: Entry, group: number, isOnRun: boolean) => {
    const found = groupFor(group);
    found.values.add(entry.value);
    found.lowest = Math.min(found.lowest, entry.value);
    found.highest = Math.max(found.highest, entry.value);
    if (isOnRun) found.run.splice(lowerBound(found.run, entry.rank), 0, entry);
  };
  entries.forEach((entry, i) => score.onRun[i] && isMember(entry) && add(entry, score.groups[i], true));

  const neighbors = (rank: number, group: number): Neighbors => {
    const { run } = groupFor(group), at = lowerBound(run, rank);
    return { before: run[at - 1], after: run[run[at]?.rank === rank ? at + 1 : at] };
  };
  return {
    neighbors,
    has: (value, group) => groupFor(group).values.has(value),
    lowest: (group) => groupFor(group).lowest,
    highest: (group) => groupFor(group).highest,
    candidateGroups({ rank, season }) {
      if (score.scheme === "one") return [0];
      if (score.scheme === "season") return groups.has(season ?? -1) ? [season ?? -1] : [];
      const near = [...groups.keys()].filter((group) => {
        const { run } = groupFor(group);
        return run.length > 0 && run[0].rank <= rank && run.at(-1)!.rank >= rank;
      });
      return near.length > 0 ? near : [Math.max(...groups.keys())];
    },
    add(entry, group) {
      const { before, after } = neighbors(entry.rank, group);
      const fits = (!before || before.value <= entry.value) && (!after || entry.value <= after.value);
      add(entry, group, fits);
    },
  };
}

/** Position of the first entry with this rank or a later one. */
function lowerBound(run: readonly Entry[], rank: number): number {
  let low = 0, high = run.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (run[middle].rank < rank) low = middle + 1;
    else high = middle;
  }
  return low;
}
