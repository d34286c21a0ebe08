// Checks that everything derived from sql/ is up to date, and that the platform's advisors have no warning.
import { basename } from "node:path";
import { StartupError } from "../host/startup_error.ts";
import { compareCatalogs, readCatalog } from "./catalog.ts";
import { planBothWays } from "./difference.ts";
import { buildDatabases, diffCatalogs, type Sources } from "./build_databases.ts";
import { connected } from "../postgres/client.ts";
import { findReleasedChanges, lastRelease } from "./release.ts";
import { startScratch } from "./scratch.ts";
import { runAdvisors } from "./supabase_cli.ts";
import { findStaleTypes } from "./types.ts";

/** Returns each problem of the project's database sources. */
export async function checkDatabase(sources: Sources): Promise<string[]> {
  await using scratch = await startScratch();
  let databases;
  try {
    databases = await buildDatabases(scratch, sources);
  } catch (error) {
    if (error instanceof StartupError) return [error.message];
    throw error;
  }
  const { migrated, declared } = databases;
  const release = await lastRelease(sources);
  const [released, types, warnings, differences, planned] = await Promise.all([
    release ? findReleasedChanges(sources, release) : [],
    findStaleTypes(migrated, sources),
    runAdvisors(migrated),
    diffCatalogs(migrated, declared),
    planBothWays(migrated, declared),
  ]);
  // A difference that only the planner reports is a finding too
  const stale = differences.length ? differences : planned;
  return [
    ...section("Released migrations:", released),
    ...section("Migrations and sql/ differ (run npm run db:migration NAME):", stale),
    ...section("private.install() is not idempotent:", await reinstall(declared)),
    ...types.map((path) => `types/${basename(path)} is out of date. Run npm run db:types.`),
    ...section("supabase db advisors warnings:", warnings),
  ];
}

/** Lists what a second run of private.install() changes. */
async function reinstall(url: string): Promise<string[]> {
  const before = await readCatalog(url);
  await connected(url, (sql) => sql`select private.install()`);
  return compareCatalogs(await readCatalog(url), before).map(({ what, kind }) =>
    `${what}: ${{ missing: "removed", extra: "added", different: "changed" }[kind]} by the second run`
  );
}

/** Formats at most `max` findings below a title. */
function section(title: string, lines: string[], max = 30): string[] {
  if (lines.length === 0) return [];
  const shown = lines.slice(0, max).map((line) => `- ${line}`);
  return [[title, ...shown, ...lines.length > max ? [`… and ${lines.length - max} more.`] : []].join("\n")];
}
