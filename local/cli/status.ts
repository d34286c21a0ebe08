/** npm run status [-- --json | --env]: where the stack of npm start is reached, and its keys. */
import { type Running, runningStack } from "../data_folder.ts";
import { asText, asVariables, dataDir } from "./describe.ts";
import { runCommand } from "./run_command.ts";

await runCommand(async () => {
  const stack = await runningStack(dataDir);
  if (!stack?.url) {
    console.error(
      stack ? "The stack is starting: ask again in a moment." : "The stack is not running: npm start starts it.",
    );
    return 1;
  }
  const running = stack as Running; // it tells all at once
  if (Deno.args.includes("--json")) console.log(JSON.stringify(await asVariables(running), null, 2));
  else if (Deno.args.includes("--env")) console.log(asShell(await asVariables(running)));
  else console.log(await asText(running));
});

/** For `eval`: NAME='value', a line each. */
function asShell(variables: Record<string, string>): string {
  return Object.entries(variables).map(([name, value]) => `${name}='${value.replaceAll("'", "'\\''")}'`).join("\n");
}
