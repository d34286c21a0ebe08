/** npm run db:types: writes types/ from the migrations. */
import { relative } from "node:path";
import { writeTypes } from "../database/types.ts";
import { projectPaths } from "../host/project.ts";
import { runCommand } from "./run_command.ts";

await runCommand(async () => {
  const paths = projectPaths();
  const files = await writeTypes(paths);
  console.log(`Wrote ${files.map((file) => relative(paths.folder, file)).join(" and ")}.`);
});
