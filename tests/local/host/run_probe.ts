// Runs the stack as npm start does, with the options of a test.
import { runCommand } from "../../../local/cli/run_command.ts";
import { runStack } from "../../../local/stack/run_stack.ts";

await runCommand(() => runStack(JSON.parse(Deno.args[0]), () => Promise.resolve()));
