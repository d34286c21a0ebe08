// The commands and statements in docs/operating.md work as printed, and its generated tables are complete.
import assert from "node:assert/strict";
import { repository } from "../../local/host/project.ts";
import { asPostgres } from "../database.ts";
import { jobsOf, planLimitsOf, queuesOf, rowsText, settingsOf } from "../reference_rows.ts";
import { sourceFiles } from "../source_files.ts";
import { stack } from "../stack.ts";
import { blocksOf, inlineCodeOf, readDocument } from "./commands.ts";

const at = await stack();
const operating = readDocument("docs/operating.md");

class RolledBack extends Error {}

Deno.test("the rows that npm run docs reads are those of a new database", async () => {
  await using sql = asPostgres(at);
  const sources = sourceFiles(["sql"], /\.sql$/), text = rowsText(sources);
  const jobs =
    await sql`select name, schedule from private.list_scheduled_jobs() where is_active order by name collate "C"`;
  assert.deepEqual(
    jobsOf(sources).map(({ name, schedule }) => ({ name, schedule })).toSorted((a, b) => a.name < b.name ? -1 : 1),
    jobs.map((row) => ({ ...row })),
  );
  const settings = await sql`
    select key, kind::text, default_value as "defaultValue", description from private.settings order by key collate "C"`;
  assert.deepEqual(settingsOf(text).toSorted((a, b) => a.key < b.key ? -1 : 1), settings.map((row) => ({ ...row })));
  const queues = await sql<{ name: string; maxAttempts: number; atOnce: string | null }[]>`
    select name, max_attempts as "maxAttempts", max_concurrency::text as "atOnce" from private.queues
    order by name collate "C"`;
  assert.deepEqual(
    queuesOf(text).toSorted((a, b) => a.name < b.name ? -1 : 1)
      .map(({ name, maxAttempts, atOnce = null }) => ({ name, maxAttempts, atOnce })),
    queues.map((row) => ({ ...row })),
  );
  const limits = await sql<{ count: number }[]>`select count(*)::int from private.plan_limits`;
  assert.equal(planLimitsOf(text).length, limits[0].count);
});

Deno.test("docs/operating.md enables captcha protection after every form has a widget, and disables it before", () => {
  const steps = (heading: string) => operating.split(`### ${heading}\n`)[1].split("\n### ")[0];
  assert.match(steps("Enabling"), /Show the widget in every form[^]+`enabled = true`/);
  assert.match(steps("Disabling"), /`enabled = false`[^]+remove the widget/);
});

Deno.test("the SQL of docs/operating.md runs as postgres", async () => {
  const inline = inlineCodeOf(operating).filter((code) => /^(?:delete|insert|select|update) /.test(code));
  const blocks = [...blocksOf(operating, "sql"), ...inline];
  assert.ok(blocks.length >= 20 && inline.length >= 3);
  await using sql = asPostgres(at);
  await assert.rejects(
    sql.begin(async (tx) => {
      await tx`delete from vault.secrets where name = 'worker_secret'`; // a hosted project has none yet
      for (const block of blocks) {
        await tx.unsafe(block).catch((error) => assert.fail(`${block}\n${error.message}`));
      }
      throw new RolledBack();
    }),
    RolledBack,
  );
});

Deno.test("the standalone worker starts with the permissions that docs/operating.md names, and ends on SIGTERM", async () => {
  const line = blocksOf(operating, "sh").join("").split("\n").find((line) => line.startsWith("deno run "))!;
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
