/** npm run db:reset: the data of the local stack from migrations and seed again. */
import { join } from "node:path";
import { CannotStart } from "../cannot_start.ts";
import { resetStack } from "../database/reset.ts";
import { repository } from "../project.ts";

try {
  const running = await resetStack({ dataDir: join(repository, ".data"), fixedPorts: true, durable: true });
  console.log("Database and stored objects in .data are made anew from supabase/migrations and the seed.");
  console.log(running ? `The stack runs at ${running.url}.` : "The stack was not running: npm start starts it.");
} catch (error) {
  if (!(error instanceof CannotStart)) throw error;
  console.error(error.message);
  Deno.exit(1);
}
Deno.exit();
