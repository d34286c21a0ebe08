// Where a project keeps what the database workflow reads and writes.
import { join } from "node:path";
import { repository } from "../project.ts";
import { compareCatalogs, type Finding, readCatalog } from "./catalog.ts";
import { loadDeclared, replayMigrations, settle } from "./load.ts";
import type { Scratch } from "./scratch.ts";

export interface Sources {
  sql: string;
  migrations: string;
  types: string;
}

/** Castbase itself, or another folder of the same shape. */
export function sourcesIn(folder = repository): Sources {
  return {
    sql: join(folder, "sql"),
    migrations: join(folder, "supabase/migrations"),
    types: join(folder, "types/database.ts"),
  };
}

/** The two databases that must be the same: what the migrations lead to, and what sql/ says. */
export async function buildBoth(scratch: Scratch, sources: Sources) {
  const [migrated, declared] = await Promise.all([
    build(replayMigrations, "migrated"),
    build(loadDeclared, "declared"),
  ]);
  return { migrated, declared };

  async function build(fill: typeof replayMigrations, name: "migrated" | "declared") {
    const url = await scratch.create(name);
    await fill(url, name === "migrated" ? sources.migrations : sources.sql);
    await settle(url);
    return url;
  }
}

/** What the migrations do otherwise than sql/ says, in sentences. */
export async function whatDiffers(migrated: string, declared: string): Promise<string[]> {
  const [here, there] = await Promise.all([readCatalog(migrated), readCatalog(declared)]);
  return compareCatalogs(here, there).map(sentence);
}

function sentence({ what, how, here, there }: Finding): string {
  if (how === "missing") return `${what}: in sql/, but not in the migrations`;
  if (how === "extra") return `${what}: in the migrations, but not in sql/`;
  return `${what}: differs\n    sql/:       ${there?.trim()}\n    migrations: ${here?.trim()}`;
}
