// This repository as a release, v0.1.0, in a Git repository of its own, where tests write migrations.
import { ok } from "node:assert";
import { join } from "node:path";
import { writeMigration } from "../../local/database/write_migration.ts";
import { projectPaths } from "../../local/host/project.ts";
import { makeScratchFolder } from "../../local/host/scratch_folder.ts";
import { shareCache } from "../local/host/project_folder.ts";
import { tagFiles } from "../git_repository.ts";
import { copySource } from "../source_files.ts";

/** Releases the files as they are, deleted after the test. */
export async function trialRelease() {
  const folder = await makeScratchFolder("castbase-trial-"), project = projectPaths(folder);
  await copySource("", folder);
  await tagFiles(folder, "v0.1.0");
  await shareCache(folder);
  await Deno.symlink(projectPaths().packages, project.packages);
  return {
    project,
    /** Replaces a text in a file of sql/. */
    async edit(path: string, from: string | RegExp, to: string) {
      const file = join(project.sql, path), text = await Deno.readTextFile(file);
      ok(typeof from === "string" ? text.includes(from) : from.test(text), `${path} has no ${from}`);
      await Deno.writeTextFile(file, text.replace(from, to));
    },
    /** Writes the migration, as npm run db:migration does. Returns the texts of its files. */
    async migrate(options: { name: string; allowDrops?: boolean }): Promise<string[]> {
      return await Promise.all((await writeMigration(project, options)).map((file) => Deno.readTextFile(file)));
    },
    /** Writes a migration by hand. */
    write: (name: string, text: string) => Deno.writeTextFile(join(project.migrations, name), text),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
