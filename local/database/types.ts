// types/: what TypeScript knows of the database, for front ends (database.ts) and for the back end (service.ts,
// constraints.ts).
import { readOptionalText } from "../host/optional_file.ts";
import type { Sources } from "./build_databases.ts";
import { migrate } from "./migrations.ts";
import { startScratch } from "./scratch.ts";
import { generateConstraintMessages } from "./constraint_messages.ts";
import { generateServiceFunctions } from "./service_functions.ts";
import { generateTypes } from "./supabase_cli.ts";

/** Replays the migrations and writes the types of the resulting database. Returns the files. */
export async function writeTypes(sources: Sources): Promise<string[]> {
  await using scratch = await startScratch();
  const url = await scratch.create("migrated");
  await migrate(url, sources);
  const files = await generateFiles(url, sources);
  await Promise.all(files.map(({ path, text }) => Deno.writeTextFile(path, text)));
  return files.map(({ path }) => path);
}

/** Returns the generated files whose text differs from that of the database at `url`. */
export async function findStaleTypes(url: string, sources: Sources): Promise<string[]> {
  const files = await generateFiles(url, sources);
  const stale = await Promise.all(files.map(async ({ path, text }) => await readOptionalText(path) !== text));
  return files.flatMap(({ path }, n) => stale[n] ? path : []);
}

/** A project without functions for its service has no types/service.ts, one without comments no types/constraints.ts. */
async function generateFiles(url: string, { types, serviceFunctions, constraintMessages }: Sources) {
  const files = [{ path: types, text: await generateTypes(url) }];
  for (
    const [path, text] of [
      [serviceFunctions, await generateServiceFunctions(url)],
      [constraintMessages, await generateConstraintMessages(url)],
    ]
  ) if (text || await readOptionalText(path)) files.push({ path, text });
  return files;
}
