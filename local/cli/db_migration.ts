/** npm run db:migration NAME [-- --allow-drops]: writes the migration that brings a project to what sql/ says. */
import { relative } from "node:path";
import { SqlFileError } from "../database/load.ts";
import { MigrationRefused, writeMigration } from "../database/migration.ts";
import { projectIn } from "../database/project.ts";
import { root } from "../database/scratch.ts";
import { writeTypes } from "../database/types.ts";

const names = Deno.args.filter((argument) => !argument.startsWith("--"));
const unknown = Deno.args.filter((argument) => argument.startsWith("--") && argument !== "--allow-drops");
if (names.length !== 1 || unknown.length) {
  console.error("Usage: npm run db:migration NAME [-- --allow-drops]");
  Deno.exit(2);
}

try {
  const project = projectIn();
  const files = await writeMigration(project, { name: names[0], allowDrops: Deno.args.includes("--allow-drops") });
  if (files.length === 0) {
    console.log("The migrations already lead to what sql/ says: nothing to write.");
  } else {
    await writeTypes(project);
    console.log(
      `Wrote ${
        files.map((file) => relative(root, file)).join(", ")
      } and types/database.ts. Read them before you commit.`,
    );
  }
} catch (error) {
  if (!(error instanceof MigrationRefused || error instanceof SqlFileError)) throw error;
  console.error(error.message);
  Deno.exit(1);
}
