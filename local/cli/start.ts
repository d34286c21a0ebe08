/** npm start: the whole stack on .data/, until Ctrl-C. */
import { runStack } from "../run_stack.ts";
import { asText, dataDir } from "./describe.ts";
import { runCommand } from "./run_command.ts";

await runCommand(() =>
  runStack({ dataDir, fixedPorts: true, durable: true, watch: true }, async (stack, isReset) => {
    const headline = isReset ? "Castbase starts anew." : "Castbase runs. Ctrl-C stops it.";
    console.log(`\n${headline}\n\n${await asText(stack)}\n`);
  })
);
