/** npm run db:types: writes types/database.ts from the migrations. */
import { writeTypes } from "../database/types.ts";
import { projectPaths } from "../host/project.ts";
import { runCommand } from "./run_command.ts";

await runCommand(async () => {
  await writeTypes(projectPaths());
  console.log("Wrote types/database.ts.");
});
