// The two databases of one project that must be the same: built from its migrations, and from sql/.
import type { ProjectPaths } from "../host/project.ts";
import { compareCatalogs, type Finding, readCatalog } from "./catalog.ts";
import { loadDeclared, normalizeExpressions } from "./load.ts";
import { migrate } from "./migrations.ts";
import type { Scratch } from "./scratch.ts";

export type Sources = Pick<
  ProjectPaths,
  "folder" | "sql" | "migrations" | "types" | "serviceFunctions" | "constraintMessages"
>;

/**
 * Builds both databases and returns their URLs. One after the other: private.install() may write settings of roles, which
 * the databases of a server share, and Postgres rejects two such writes at a time.
 */
export async function buildDatabases(scratch: Scratch, { migrations, sql }: Pick<Sources, "migrations" | "sql">) {
  const migrated = await build("migrated", (url) => migrate(url, { migrations }));
  const declared = await build("declared", (url) => loadDeclared(url, sql));
  return { migrated, declared };

  async function build(name: string, fill: (url: string) => Promise<void>) {
    const url = await scratch.create(name);
    await fill(url);
    await normalizeExpressions(url);
    return url;
  }
}

/** Describes each difference between the migrations and sql/ in a line. */
export async function diffCatalogs(migrated: string, declared: string): Promise<string[]> {
  const [here, there] = await Promise.all([readCatalog(migrated), readCatalog(declared)]);
  return compareCatalogs(here, there).map(describeFinding);
}

function describeFinding({ what, kind, here, there }: Finding): string {
  if (kind === "missing") return `${what}: in sql/, but not in the migrations`;
  if (kind === "extra") return `${what}: in the migrations, but not in sql/`;
  return `${what}: differs\n    sql/:       ${there?.trim()}\n    migrations: ${here?.trim()}`;
}
