import { explain } from "../host/startup_error.ts";

/** Runs a command and exits with its code. Prints a StartupError as one message, any other error with its stack. */
export async function runCommand(work: () => Promise<number | void>): Promise<never> {
  let code = 1;
  try {
    code = await work() ?? 0;
  } catch (error) {
    console.error(explain(error) ?? error);
  }
  Deno.exit(code);
}
