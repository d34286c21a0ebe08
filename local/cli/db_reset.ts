/** npm run db:reset: the data of the local stack from migrations and seed again. */
import { resetStack } from "../database/reset.ts";
import { dataDir } from "./describe.ts";
import { runCommand } from "./run_command.ts";

await runCommand(async () => {
  const running = await resetStack({ dataDir, fixedPorts: true, durable: true });
  console.log(
    "Database and stored objects in .data are made anew from supabase/migrations and the seed; no mail is left.",
  );
  console.log(running ? `The stack runs at ${running.url}.` : "The stack was not running: npm start starts it.");
});
