/** The numbers of a series by group, for questions about what stands around a rank. */
import type { Entry } from "./score.ts";
import type { Series } from "./series.ts";

/** The members of a count before and after a rank. */
export interface Neighbours {
  before?: Entry;
  after?: Entry;
}

export interface Counts {
  /** Members of the run; an entry's own rank is left out. */
  around(rank: number, group: number): Neighbours;
  has(value: number, group: number): boolean;
  /** Lowest and highest number. */
  least(group: number): number;
  most(group: number): number;
  /** Where an entry that is not in the series would be counted. */
  groupsOf(entry: Entry): number[];
  add(entry: Entry, group: number): void;
}

interface Group {
  run: Entry[];
  values: Set<number>;
  least: number;
  most: number;
}

/** The run's members that `isMember` are in it from the start. */
export function counts({ entries, verdict }: Series, isMember: (entry: Entry) => boolean): Counts {
  const groups = new Map<number, Group>();
  const of = (group: number): Group => {
    let found = groups.get(group);
    if (!found) groups.set(group, found = { run: [], values: new Set(), least: Infinity, most: -Infinity });
    return found;
  };
  const add = (entry: Entry, group: number, isOnRun: boolean) => {
    const { run, values, least, most } = of(group);
    values.add(entry.value);
    Object.assign(of(group), { least: Math.min(least, entry.value), most: Math.max(most, entry.value) });
    if (isOnRun) run.splice(firstFrom(run, entry.rank), 0, entry);
  };
  entries.forEach((entry, i) => verdict.onRun[i] && isMember(entry) && add(entry, verdict.groups[i], true));

  const around = (rank: number, group: number): Neighbours => {
    const { run } = of(group), at = firstFrom(run, rank);
    return { before: run[at - 1], after: run[run[at]?.rank === rank ? at + 1 : at] };
  };
  return {
    around,
    has: (value, group) => of(group).values.has(value),
    least: (group) => of(group).least,
    most: (group) => of(group).most,
    groupsOf({ rank, season }) {
      if (verdict.way === "one") return [0];
      if (verdict.way === "season") return groups.has(season ?? -1) ? [season ?? -1] : [];
      const near = [...groups.keys()].filter((group) => {
        const { run } = of(group);
        return run.length > 0 && run[0].rank <= rank && run.at(-1)!.rank >= rank;
      });
      return near.length > 0 ? near : [Math.max(...groups.keys())];
    },
    add(entry, group) {
      const { before, after } = around(entry.rank, group);
      const fits = (!before || before.value <= entry.value) && (!after || entry.value <= after.value);
      add(entry, group, fits);
    },
  };
}

/** The position of the first with this rank or a later one. */
function firstFrom(run: readonly Entry[], rank: number): number {
  let low = 0, high = run.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (run[middle].rank < rank) low = middle + 1;
    else high = middle;
  }
  return low;
}
