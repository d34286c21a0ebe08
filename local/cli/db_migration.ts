/** npm run db:migration NAME [-- --allow-drops]: writes the migration that brings a project to the state of sql/. */
import { relative } from "node:path";
import { writeMigration } from "../database/write_migration.ts";
import { writeTypes } from "../database/types.ts";
import { lastRelease, NO_RELEASE } from "../database/release.ts";
import { projectPaths } from "../host/project.ts";
import { runCommand } from "./run_command.ts";

const names = Deno.args.filter((argument) => !argument.startsWith("--"));
const unknown = Deno.args.filter((argument) => argument.startsWith("--") && argument !== "--allow-drops");
if (names.length !== 1 || unknown.length) {
  console.error("Usage: npm run db:migration NAME [-- --allow-drops]");
  Deno.exit(2);
}

await runCommand(async () => {
  const paths = projectPaths();
  const allowDrops = Deno.args.includes("--allow-drops");
  if (!await lastRelease(paths)) console.log(NO_RELEASE);
  const files = await writeMigration(paths, { name: names[0], allowDrops });
  if (files.length === 0) return console.log("Migrations already match sql/; nothing to write.");
  const written = [...files, ...await writeTypes(paths)].map((file) => relative(paths.folder, file));
  console.log(`Wrote ${written.join(", ")}. Review them before committing.`);
});
