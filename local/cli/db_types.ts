/** npm run db:types: writes types/database.ts from the migrations. */
import { sourcesIn } from "../database/sources.ts";
import { writeTypes } from "../database/types.ts";
import { runCommand } from "./run_command.ts";

await runCommand(async () => {
  await writeTypes(sourcesIn());
  console.log("types/database.ts is what the migrations lead to.");
});
