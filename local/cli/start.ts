/** npm start: the whole stack on .data/, until Ctrl-C. */
import { projectPaths } from "../host/project.ts";
import { runStack } from "../stack/run_stack.ts";
import { readStatus, toText } from "../stack/stack_status.ts";
import { runCommand } from "./run_command.ts";

const { data: dataDir, functionsEnv: functionsEnvFile } = projectPaths();
await runCommand(() =>
  runStack({ dataDir, functionsEnvFile, fixedPorts: true, durable: true, watch: true }, async (stack, isReset) => {
    const headline = isReset ? "The stack restarted." : "The stack is running. Press Ctrl-C to stop.";
    console.log(`\n${headline}\n\n${toText(await readStatus(stack))}\n`);
  })
);
