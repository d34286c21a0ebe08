/** npm run db:migration NAME [-- --allow-drops]: writes the migration that brings a project to what sql/ says. */
import { relative } from "node:path";
import { writeMigration } from "../database/migration.ts";
import { sourcesIn } from "../database/sources.ts";
import { repository } from "../project.ts";
import { writeTypes } from "../database/types.ts";
import { runCommand } from "./run_command.ts";

const names = Deno.args.filter((argument) => !argument.startsWith("--"));
const unknown = Deno.args.filter((argument) => argument.startsWith("--") && argument !== "--allow-drops");
if (names.length !== 1 || unknown.length) {
  console.error("Usage: npm run db:migration NAME [-- --allow-drops]");
  Deno.exit(2);
}

await runCommand(async () => {
  const sources = sourcesIn();
  const allowDrops = Deno.args.includes("--allow-drops");
  const files = await writeMigration(sources, { name: names[0], allowDrops });
  if (files.length === 0) {
    return console.log("The migrations already lead to what sql/ says: nothing to write.");
  }
  await writeTypes(sources);
  const written = files.map((file) => relative(repository, file)).join(", ");
  console.log(`Wrote ${written} and types/database.ts. Read them before you commit.`);
});
