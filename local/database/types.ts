// types/database.ts: the database as a front end's compiler sees it.
import { replayMigrations } from "./load.ts";
import type { Sources } from "./sources.ts";
import { startScratch } from "./scratch.ts";
import { generateTypes } from "./supabase_cli.ts";

/** Replays the migrations and writes the types of what they lead to. */
export async function writeTypes(sources: Sources) {
  await using scratch = await startScratch();
  const url = await scratch.create("migrated");
  await replayMigrations(url, sources.migrations);
  await Deno.writeTextFile(sources.types, await generateTypes(url));
}
