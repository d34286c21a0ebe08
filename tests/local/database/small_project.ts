// A copy of the small project, with one database object of each kind.
import { ok } from "node:assert";
import { join } from "node:path";
import { writeMigration } from "../../../local/database/write_migration.ts";
import type { Sources } from "../../../local/database/build_databases.ts";
import { projectPaths } from "../../../local/host/project.ts";
import { writeTypes } from "../../../local/database/types.ts";
import { tagFiles } from "../../git_repository.ts";
import { copySource } from "../../source_files.ts";

/** A copy of the small project, deleted after the test; `edit` changes one file of its sql/. */
export async function smallProject() {
  const folder = await Deno.makeTempDir({ prefix: "castbase-project-" });
  const project = projectPaths(folder);
  await copySource("tests/local/database/project/sql", project.sql);
  for (const made of ["supabase/migrations", "types"]) await Deno.mkdir(join(folder, made), { recursive: true });
  return {
    project,
    edit: (file: string, from: string | RegExp, to: string) => replace(join(project.sql, file), from, to),
    migrate: (options: { name: string; allowDrops?: boolean }) =>
      writeMigration(project, { ...options, at: new Date(Date.UTC(2026, 0, 1, 0, 0, names(project).length)) }),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/** The same with its first migration, which is written once. */
export async function startedProject() {
  const small = await smallProject();
  if (!start) {
    const [file] = await small.migrate({ name: "start" });
    start = await Deno.readTextFile(file);
  } else {
    await Deno.writeTextFile(join(small.project.migrations, START), start);
  }
  return small;
}

export const START = "20260101000000_start.sql";
let start: string | undefined;

export async function replace(file: string, from: string | RegExp, to: string) {
  const text = await Deno.readTextFile(file);
  ok(typeof from === "string" ? text.includes(from) : from.test(text), `${file} has no ${from}`);
  await Deno.writeTextFile(file, text.replace(from, to));
}

export const names = (sources: Sources) => [...Deno.readDirSync(sources.migrations)].map(({ name }) => name).sort();

/** The small project with its first migration, released as v1.0.0. */
export async function releasedProject() {
  const small = await startedProject();
  await writeTypes(small.project);
  await tagFiles(small.project.folder, "v1.0.0");
  return { ...small, read: (name: string) => Deno.readTextFile(join(small.project.migrations, name)) };
}
