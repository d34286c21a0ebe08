/** npm run status [-- --json | --env]: the URLs and keys of the stack of npm start. */
import { type RunningStack, runningStack } from "../host/data_folder.ts";
import { projectPaths } from "../host/project.ts";
import { readStatus, toShell, toText, toVariables } from "../stack/stack_status.ts";
import { runCommand } from "./run_command.ts";

await runCommand(async () => {
  const stack = await runningStack(projectPaths().data);
  if (!stack?.url) {
    console.error(
      stack
        ? "The stack is still starting. Try again in a moment."
        : "The stack is not running. Start it with npm start.",
    );
    return 1;
  }
  const status = await readStatus(stack as RunningStack); // a state with a URL is complete
  if (Deno.args.includes("--json")) console.log(JSON.stringify(toVariables(status), null, 2));
  else console.log(Deno.args.includes("--env") ? toShell(status) : toText(status));
});
