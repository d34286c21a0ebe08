/** npm run db:migration NAME [-- --allow-drops]: writes the migration that brings a project to what sql/ says. */
import { relative } from "node:path";
import { CannotStart } from "../cannot_start.ts";
import { MigrationRefused, writeMigration } from "../database/migration.ts";
import { sourcesIn } from "../database/sources.ts";
import { repository } from "../project.ts";
import { writeTypes } from "../database/types.ts";

const names = Deno.args.filter((argument) => !argument.startsWith("--"));
const unknown = Deno.args.filter((argument) => argument.startsWith("--") && argument !== "--allow-drops");
if (names.length !== 1 || unknown.length) {
  console.error("Usage: npm run db:migration NAME [-- --allow-drops]");
  Deno.exit(2);
}

try {
  const sources = sourcesIn();
  const files = await writeMigration(sources, { name: names[0], allowDrops: Deno.args.includes("--allow-drops") });
  if (files.length === 0) {
    console.log("The migrations already lead to what sql/ says: nothing to write.");
  } else {
    await writeTypes(sources);
    console.log(
      `Wrote ${
        files.map((file) => relative(repository, file)).join(", ")
      } and types/database.ts. Read them before you commit.`,
    );
  }
} catch (error) {
  if (!(error instanceof MigrationRefused || error instanceof CannotStart)) throw error;
  console.error(error.message);
  Deno.exit(1);
}
