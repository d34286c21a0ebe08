import { sentenceOf } from "../cannot_start.ts";

/** Runs a command to its end and leaves with its exit code; what a person can put right is one sentence, not a stack trace. */
export async function runCommand(work: () => Promise<number | void>): Promise<never> {
  let code = 1;
  try {
    code = await work() ?? 0;
  } catch (error) {
    console.error(sentenceOf(error) ?? error);
  }
  Deno.exit(code);
}
