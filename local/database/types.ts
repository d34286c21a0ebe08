// types/database.ts: the types of the database for front ends.
import { replayMigrations } from "./load.ts";
import type { Sources } from "./build_databases.ts";
import { startScratch } from "./scratch.ts";
import { generateTypes } from "./supabase_cli.ts";

/** Replays the migrations and writes the types of the resulting database. */
export async function writeTypes(sources: Sources) {
  await using scratch = await startScratch();
  const url = await scratch.create("migrated");
  await replayMigrations(url, sources.migrations);
  await Deno.writeTextFile(sources.types, await generateTypes(url));
}
