// The commands and statements in docs/operating.md work as printed.
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../local/project.ts";
import { connectTo } from "../database.ts";
import { stack } from "../stack.ts";

const at = await stack();
const operating = await Deno.readTextFile(join(repository, "docs/operating.md"));
const blocksOf = (language: string) =>
  [...operating.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(([, text]) => text);

class RolledBack extends Error {}

Deno.test("the SQL of docs/operating.md runs as postgres", async () => {
  const blocks = blocksOf("sql");
  assert.ok(blocks.length >= 4);
  const sql = connectTo(at.dbUrl, 1);
  try {
    await assert.rejects(
      sql.begin(async (tx) => {
        await tx`delete from vault.secrets where name = 'worker_secret'`; // a hosted project has none yet
        for (const block of blocks) await tx.unsafe(block);
        throw new RolledBack();
      }),
      RolledBack,
    );
  } finally {
    await sql.end();
  }
});

Deno.test("the standalone worker starts with the permissions that docs/operating.md names, and ends on SIGTERM", async () => {
  const line = blocksOf("sh").join("").split("\n").find((line) => line.startsWith("deno run "))!;
  const args = line.split(" ").slice(1);
  const worker = new Deno.Command(Deno.execPath(), {
    args: [args[0], "--no-prompt", ...args.slice(1, -1), "storage_gc"], // work of other tests that any worker may do
    cwd: repository,
    clearEnv: true,
    env: {
      HOME: Deno.env.get("HOME") ?? "/",
      SUPABASE_URL: at.url,
      SUPABASE_DB_URL: at.dbUrl,
      SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: at.publishableKey }),
      SUPABASE_SECRET_KEYS: JSON.stringify({ default: at.secretKey }),
      SUPABASE_JWKS: await (await fetch(`${at.url}/auth/v1/.well-known/jwks.json`)).text(),
      WORKER_SECRET: crypto.randomUUID(),
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const output = worker.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const errors = new Response(worker.stderr).text();
  const { value } = await output.read();
  worker.kill("SIGTERM");
  while (!(await output.read()).done); // a closed pipe would make its last logs fail
  assert.deepEqual([(await worker.status).code, await errors], [0, ""]);
  assert.ok(value);
});
