// Real feeds, which the repository does not hold: those of the folder CASTBASE_FEEDS, or ../shared/feeds.
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";

const folder = Deno.env.get("CASTBASE_FEEDS") ?? join(repository, "../shared/feeds");

/** Empty without the folder. */
export const realFeeds: string[] = (() => {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => !name.startsWith("not-")).sort();
  } catch {
    return [];
  }
})();
if (!realFeeds.length) console.log(`tests/round_trip: no real feeds are compared, because ${folder} does not exist`);

export const readRealFeed = (name: string) => Deno.readFileSync(join(folder, name));
