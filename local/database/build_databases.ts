// The two databases of one project that must be the same: built from its migrations, and from sql/.
import type { ProjectPaths } from "../host/project.ts";
import { compareCatalogs, type Finding, readCatalog } from "./catalog.ts";
import { loadDeclared, normalizeExpressions } from "./load.ts";
import { migrate } from "./migrations.ts";
import type { Scratch } from "./scratch.ts";

export type Sources = Pick<ProjectPaths, "sql" | "migrations" | "types" | "serviceFunctions">;

/** Builds both databases and returns their URLs. */
export async function buildDatabases(scratch: Scratch, { migrations, sql }: Sources) {
  const [migrated, declared] = await Promise.all([
    build("migrated", (url) => migrate(url, { migrations })),
    build("declared", (url) => loadDeclared(url, sql)),
  ]);
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
