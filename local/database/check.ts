// Whether everything that is derived from sql/ is up to date, and sql/ itself as safe as the platform's advisors ask.
import { CannotStart } from "../cannot_start.ts";
import { compareCatalogs, readCatalog } from "./catalog.ts";
import { planDifference } from "./difference.ts";
import { buildBoth, type Sources, whatDiffers } from "./sources.ts";
import { connected, startScratch } from "./scratch.ts";
import { askAdvisors, generateTypes } from "./supabase_cli.ts";

/** What is wrong with the database side of the project; empty when all is well. */
export async function checkDatabase(sources: Sources): Promise<string[]> {
  await using scratch = await startScratch();
  let both;
  try {
    both = await buildBoth(scratch, sources);
  } catch (error) {
    if (error instanceof CannotStart) return [error.message];
    throw error;
  }
  const { migrated, declared } = both;
  const [types, advice, differences, planned] = await Promise.all([
    checkTypes(migrated, sources.types),
    askAdvisors(migrated),
    whatDiffers(migrated, declared),
    planBothWays(migrated, declared),
  ]);
  // Where our own comparison sees nothing, what the planner would still do is the finding.
  const stale = differences.length ? differences : planned;
  return [
    ...section("The migrations and sql/ differ (npm run db:migration NAME writes what is missing):", stale),
    ...section("private.install() is not safe to repeat:", await installAgain(declared)),
    ...types,
    ...section("supabase db advisors warns:", advice),
  ];
}

async function planBothWays(migrated: string, declared: string): Promise<string[]> {
  const ways = await Promise.all([planDifference(migrated, declared), planDifference(declared, migrated)]);
  return ways.flatMap((way) => way?.steps ?? []);
}

async function checkTypes(url: string, file: string): Promise<string[]> {
  const [written, now] = await Promise.all([Deno.readTextFile(file).catch(() => ""), generateTypes(url)]);
  return written === now ? [] : ["types/database.ts is not what the migrations lead to: npm run db:types writes it."];
}

/** What changes when install() runs once more in a database that has already had it. */
async function installAgain(url: string): Promise<string[]> {
  const before = await readCatalog(url);
  await connected(url, (sql) => sql`select private.install()`);
  return compareCatalogs(await readCatalog(url), before).map(({ what, how }) =>
    `${what}: ${{ missing: "gone after", extra: "new after", different: "changed by" }[how]} the second run`
  );
}

/** The first findings tell where to look; hundreds of them tell nothing. */
function section(title: string, lines: string[], most = 30): string[] {
  if (lines.length === 0) return [];
  const shown = lines.slice(0, most).map((line) => `- ${line}`);
  return [[title, ...shown, ...lines.length > most ? [`… and ${lines.length - most} more.`] : []].join("\n")];
}
