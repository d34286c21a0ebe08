/** npm run worker: the worker as a process that lives on, for the stack of npm start or for the project in the environment. */
import { join } from "node:path";
import { type Running, runningStack } from "../local/data_folder.ts";
import { readProject, repository } from "../local/project.ts";
import { dataDir } from "../local/cli/describe.ts";

if (!Deno.env.has("SUPABASE_DB_URL")) {
  const stack = await runningStack(dataDir);
  if (!stack?.url) {
    console.error(
      "Nothing to work for: npm start starts a stack, or set the functions' environment (docs/operating.md).",
    );
    Deno.exit(1);
  }
  for (const [name, value] of Object.entries(await environmentOf(stack as Running))) Deno.env.set(name, value);
}
await import(join(repository, "functions/worker/standalone.ts"));

/** What the functions of a stack get. */
async function environmentOf({ url, dbUrl, publishableKey, secretKey }: Running): Promise<Record<string, string>> {
  const { ports } = await readProject();
  return {
    SMTP_URL: `smtp://127.0.0.1:${ports.smtp}`,
    MAIL_FROM: "Castbase <noreply@castbase.local>",
    SUPABASE_URL: url,
    SUPABASE_DB_URL: dbUrl,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: publishableKey }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: secretKey }),
    SUPABASE_JWKS: await (await fetch(`${url}/auth/v1/.well-known/jwks.json`)).text(),
    WORKER_SECRET: crypto.randomUUID(), // nobody wakes this one
  };
}
