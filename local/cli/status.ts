/** npm run status [-- --json]: where the stack of npm start is reached. */
import { type Running, runningStack } from "../data_folder.ts";
import { asText, asVariables, dataDir } from "./describe.ts";

const stack = await runningStack(dataDir);
if (!stack?.url) {
  console.error(
    stack ? "The stack is starting: ask again in a moment." : "The stack is not running: npm start starts it.",
  );
  Deno.exit(1);
}
const running = stack as Running; // it tells all at once
console.log(Deno.args.includes("--json") ? JSON.stringify(await asVariables(running), null, 2) : await asText(running));
