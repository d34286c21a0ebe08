/** npm run worker: the standalone worker, for the stack of npm start or for the project in the environment. */
import { join } from "node:path";
import postgres from "postgres";
import { readStackStatus, root } from "./local_stack.ts";

if (!Deno.env.has("SUPABASE_DB_URL")) {
  const status = await readStackStatus();
  if ("reason" in status) {
    console.error(`${status.reason} Or set the functions' environment variables (docs/operating.md).`);
    Deno.exit(1);
  }
  for (const [name, value] of Object.entries(await environmentOf(status.stack))) Deno.env.set(name, value);
}
await import(join(root, "functions/worker/standalone.ts"));

/** The environment of the stack's edge functions. */
async function environmentOf(stack: Record<string, string>): Promise<Record<string, string>> {
  return {
    SMTP_URL: stack.SMTP_URL,
    MAIL_FROM: "Castbase <noreply@castbase.local>",
    SUPABASE_URL: stack.API_URL,
    SUPABASE_DB_URL: stack.DB_URL,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: stack.PUBLISHABLE_KEY }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: stack.SECRET_KEY }),
    SUPABASE_JWKS: await (await fetch(`${stack.API_URL}/auth/v1/.well-known/jwks.json`)).text(),
    WORKER_SECRET: await readWorkerSecret(stack.DB_URL),
    ...JSON.parse(await Deno.readTextFile(join(root, "supabase/local/functions.json"))),
  };
}

/** All workers share it, because tokens in emails derive from it. */
async function readWorkerSecret(databaseUrl: string): Promise<string> {
  const sql = postgres(databaseUrl, { max: 1 });
  try {
    const [{ secret }] = await sql`
      select decrypted_secret as secret from vault.decrypted_secrets where name = 'worker_secret'`;
    return secret;
  } finally {
    await sql.end();
  }
}
