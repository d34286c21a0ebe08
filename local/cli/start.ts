/** npm start: the whole stack on .data/, until Ctrl-C. */
import { CannotStart } from "../cannot_start.ts";
import { startResettableStack } from "../database/reset.ts";
import { asText, dataDir } from "./describe.ts";

const asked = Promise.withResolvers<"asked">();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, () => asked.resolve("asked"));
}

try {
  const options = { dataDir, fixedPorts: true, durable: true, watch: true };
  const stack = await startResettableStack(options, async (stack) => {
    console.log(`\nCastbase starts anew.\n\n${await asText(stack)}\n`);
  });
  console.log(`\nCastbase runs. Ctrl-C stops it.\n\n${await asText(stack)}\n`);
  const why = await Promise.race([asked.promise, stack.ended]);
  if (why !== "asked") console.error("PostgreSQL ended unexpectedly: .data/postgres.log says why. Stopping.");
  await stack.stop();
  Deno.exit(why === "asked" ? 0 : 1);
} catch (error) {
  console.error(error instanceof CannotStart ? error.message : error);
  Deno.exit(1);
}
