/** npm run db:reset: recreates the data of the local stack from migrations and seed. */
import { resetStack } from "../stack/reset.ts";
import { projectPaths } from "../host/project.ts";
import { runCommand } from "./run_command.ts";

await runCommand(async () => {
  const running = await resetStack({ dataDir: projectPaths().data, fixedPorts: true, durable: true });
  console.log("Database and storage in .data were reset from supabase/migrations and the seed; emails were deleted.");
  console.log(running ? `The stack is running at ${running.url}.` : "Start the stack with npm start.");
});
