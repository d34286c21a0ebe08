// Labeled feeds of our own making (bench/import/ground_truth/side_series): a main series with named side series beside it. Each
// line has the number of an episode, or `-`, and its title; oldest first.
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";
import type { NumberedItem } from "../../functions/episode_numbers/numbering.ts";
import { weeklyItems } from "./weekly_items.ts";

export interface LabeledFeed {
  name: string;
  items: NumberedItem[];
  /** Episode number by GUID. */
  truth: Map<string, number | null>;
}

const FOLDER = join(repository, "bench/import/ground_truth/side_series");

export async function labeledFeeds(): Promise<LabeledFeed[]> {
  const names = (await Array.fromAsync(Deno.readDir(FOLDER))).map(({ name }) => name).sort();
  return await Promise.all(names.map(async (name) => {
    const lines = (await Deno.readTextFile(join(FOLDER, name))).trimEnd().split("\n").map((line) => line.split("\t"));
    const truth = lines.map(([number], i): [string, number | null] => [
      `guid-${i}`,
      number === "-" ? null : Number(number),
    ]);
    return {
      name: name.replace(".txt", ""),
      items: weeklyItems(lines.map(([, title]) => title)),
      truth: new Map(truth),
    };
  }));
}
