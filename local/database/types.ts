// types/database.ts: the database as a front end's compiler sees it.
import { replayMigrations } from "./load.ts";
import type { Project } from "./project.ts";
import { startScratch } from "./scratch.ts";
import { generateTypes } from "./supabase_cli.ts";

/** Replays the migrations and writes the types of what they lead to. */
export async function writeTypes(project: Project) {
  await using scratch = await startScratch();
  const url = await scratch.create("migrated");
  await replayMigrations(url, project.migrations);
  await Deno.writeTextFile(project.types, await generateTypes(url));
}
