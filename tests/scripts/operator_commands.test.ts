// npm run doctor and npm run queues on a stack of their own: a healthy installation, and broken ones.
import assert from "node:assert/strict";
import { join } from "node:path";
import type postgres from "postgres";
import { repository } from "../../local/host/project.ts";
import { connectTo } from "../database.ts";
import { startTestStack } from "../stack.ts";
import { waitFor } from "../wait_for.ts";

const MONITORING_SECRET = "monitoring-of-this-test";

interface Result {
  code: number;
  lines: string[];
  errors: string;
}

async function run(script: string, args: string[], env: Record<string, string> = {}): Promise<Result> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-check", join(repository, script), ...args],
    env,
    stdin: "null",
  }).output();
  const text = new TextDecoder();
  return { code, lines: text.decode(stdout).trimEnd().split("\n"), errors: text.decode(stderr).trimEnd() };
}

Deno.test({ name: "the commands of operators", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using at = await startTestStack({ functionsEnv: { MONITORING_SECRET } });
  const sql = connectTo(at.dbUrl, 1), remote = ["--remote", at.dbUrl];
  await using _ = { [Symbol.asyncDispose]: () => sql.end() };
  const doctor = (env: Record<string, string> = { MONITORING_SECRET }) => run("scripts/doctor/doctor.ts", remote, env);
  const queues = (...args: string[]) => run("scripts/queues.ts", [...args, ...remote]);
  /** The lines of faults without the remedy, and the exit code. */
  const faults = async () => {
    const { code, lines } = await doctor();
    return [code, ...lines.slice(0, -1).filter((line) => !line.startsWith("ok ")).map((line) => line.split(". → ")[0])];
  };
  await waitFor("the frequent jobs have run", async () => {
    const [{ idle }] = await sql`select count(*) filter (where last_run_at is null) as idle from private.frequent_jobs`;
    return idle === "0";
  }, 90);

  await t.step("doctor says ok of each part of a healthy installation, and exits with 0", async () => {
    const { code, lines, errors } = await doctor();
    assert.deepEqual([code, errors], [0, ""]);
    assert.equal(lines.pop(), `${new URL(at.dbUrl).host}: 0 problems, 0 warnings`);
    for (const line of lines) assert.match(line, /^ok {7}\S/);
    const checks = lines.map((line) => line.slice(9).split(/ {2,}/)[0]);
    for (
      const check of ["migrations", "clock", "urls", "functions", "grants", "jobs", "variables", "email", "storage"]
    ) {
      assert.ok(checks.includes(check), `${check} of ${checks}`);
    }
  });

  await t.step("doctor prints JSON", async () => {
    const { code, lines } = await run("scripts/doctor/doctor.ts", [...remote, "--json"], { MONITORING_SECRET });
    const { status, findings } = JSON.parse(lines.join("\n"));
    assert.deepEqual([code, status], [0, "ok"]);
    assert.deepEqual(Object.keys(findings[0]), ["check", "level", "message"]);
  });

  await t.step("doctor without MONITORING_SECRET says what it could not check", async () => {
    const { code, lines } = await doctor({ MONITORING_SECRET: "" });
    assert.equal(code, 0);
    assert.match(
      lines.join("\n"),
      /\nwarning +functions +Their variables and providers were not checked\. → Set MONIT/,
    );
  });

  const broken: [title: string, breakIt: () => Promise<unknown>, repair: () => Promise<unknown>, expected: RegExp[]][] =
    [
      [
        "a scheduled job that fails",
        () =>
          sql.unsafe(`create or replace function private.purge_rate_limits(at timestamptz default now()) returns int
        language plpgsql as $$ begin raise 'the table is missing'; end $$;
        update private.frequent_jobs set last_error = 'the table is missing', failed_at = now()
        where name = 'fold_notification_counts'`).simple(),
        () => sql`update private.frequent_jobs set last_error = null`,
        [/^problem +jobs +The last run failed of fold_notification_counts: the table is missing$/],
      ],
      [
        "jobs, queues and a publication that a restore lacks, and grants of older defaults",
        () =>
          sql.unsafe(`select cron.unschedule('sweep_storage'); select pgmq.drop_queue('feed_pings_dlq');
          alter publication supabase_realtime drop table public.bookings;
          grant execute on function private.set_setting to anon`).simple(),
        () => sql`select private.install()`,
        [
          /^problem +objects +Missing: cron job sweep_storage, publication public\.bookings in .+, queue feed_pings_dlq$/,
          /^problem +grants +Not in sql\/: EXECUTE on private\.set_setting to anon$/,
        ],
      ],
      [
        "a worker that no longer knows the secret",
        () => sql`select vault.update_secret(id, 'another-secret') from vault.secrets where name = 'worker_secret'`,
        async () => {
          const [{ secret }] = await sql`select ${originalSecret} as secret`;
          await sql`select vault.update_secret(id, ${secret}) from vault.secrets where name = 'worker_secret'`;
          await sql`delete from net._http_response`;
        },
        [/^problem +wake-ups +The worker_secret of Vault is not the WORKER_SECRET of the functions$/],
      ],
      [
        "dead letters and a paused queue",
        async () => {
          await sql`select private.pause_queue('storage_gc')`;
          await sql`select private.enqueue('storage_gc', '{"n": 1}')`;
          await sql`select private.fail_job('storage_gc', msg_id, 'no', true) from pgmq.q_storage_gc`;
        },
        () => sql`select private.resume_queue('storage_gc'), pgmq.purge_queue('storage_gc_dlq')`,
        [/^warning +queues +Dead letters: 1 in storage_gc$/, /^warning +queues +Paused: storage_gc \(0 messages\)$/],
      ],
      [
        "URLs that lead nowhere",
        () => sql`select private.set_setting('public_api_url', 'http://127.0.0.1:1/public')`,
        () => sql`select private.set_setting('public_api_url', null)`,
        [
          /^problem +urls +public_api_url \(http:\/\/127\.0\.0\.1:1\/public\/v1\/openapi\.json\): /,
          /^problem +urls +pages_url \(http:\/\/127\.0\.0\.1:1\/public\/robots\.txt\): /,
        ],
      ],
      [
        "migrations that were not pushed",
        () => sql`update supabase_migrations.schema_migrations set version = '20200101000000'`,
        () => sql`update supabase_migrations.schema_migrations set version = ${newest}`,
        [/^warning +migrations +1 migrations of this checkout are not pushed; the newest one that is: 20200101000000$/],
      ],
    ];
  const [{ secret: originalSecret }] = await sql`
    select decrypted_secret as secret from vault.decrypted_secrets where name = 'worker_secret'`;
  const [{ version: newest }] = await sql`select max(version) as version from supabase_migrations.schema_migrations`;
  for (const [title, breakIt, repair, expected] of broken) {
    await t.step(`doctor finds ${title}`, async () => {
      await breakIt();
      const [code, ...found] = await faults();
      await repair();
      assert.equal(code, found.some((line) => String(line).startsWith("problem")) ? 1 : 0);
      for (const pattern of expected) {
        assert.ok(found.some((line) => pattern.test(String(line))), `${pattern}\n${found.join("\n")}`);
      }
      assert.equal(found.length, expected.length, found.join("\n"));
    });
  }

  await t.step("doctor exits with 1 if the database refuses it, and with 2 if it was called wrongly", async () => {
    const refused = await run("scripts/doctor/doctor.ts", ["--remote", "postgresql://nobody:x@127.0.0.1:1/x"]);
    assert.equal(refused.code, 1);
    assert.match(refused.lines[0], /^problem +database +127\.0\.0\.1:1: .*\. → Check the URL, the password/);
    for (const args of [["--remote", "mysql://x"], ["--remote"], ["now", ...remote]]) {
      const { code, lines, errors } = await run("scripts/doctor/doctor.ts", args, { SUPABASE_DB_URL: "" });
      assert.deepEqual([code, lines], [2, [""]], args.join(" "));
      assert.ok(errors);
    }
  });

  await t.step("doctor finds a database without Castbase", async () => {
    await using empty = await emptyDatabase(sql, at.dbUrl);
    const { code, lines } = await run("scripts/doctor/doctor.ts", ["--remote", empty.url]);
    assert.equal(code, 1);
    assert.match(lines[0], /has no private\.get_installation_report\. → Push the migrations: npm run deploy$/);
  });

  await t.step("queues lists the queues with their messages", async () => {
    const { code, lines } = await queues();
    assert.equal(code, 0);
    assert.match(lines[0], /^queue +messages +visible +waiting +dead letters$/);
    assert.match(
      lines.find((line) => line.startsWith("large_images"))!,
      /^large_images +0 +0 +0 s +0 {2}standalone worker$/,
    );
  });

  await t.step("queues finds, shows, retries and drops what a request caused", async () => {
    assert.deepEqual((await queues("pause", "storage_gc")).lines, ["storage_gc is paused"]);
    const [{ id }] = await sql`select private.enqueue('storage_gc', '{"paths": []}', _request_id => 'req-1') as id`;
    await sql`select private.fail_job('storage_gc', ${id}, 'peer said no', true)`;
    const found = await queues("list", "--request", "req-1");
    assert.match(found.lines[0], new RegExp(`^storage_gc ${id} dead, attempts: 0, enqueued 20`));
    assert.deepEqual(found.lines.slice(1), ["  request req-1", '  {"paths": []}', "  last error: peer said no"]);
    assert.deepEqual((await queues("list", "storage_gc")).lines, found.lines);
    assert.deepEqual((await queues("list", "feed_pings")).lines, ["No messages."]);
    const shown = JSON.parse((await queues("show", "storage_gc", id)).lines.join("\n"));
    assert.deepEqual([shown.state, shown.requestId, shown.lastError], ["dead", "req-1", "peer said no"]);
    assert.deepEqual((await queues("retry", "storage_gc", id)).lines, ["1 retried"]);
    const [{ next }] = await sql`select msg_id as next from pgmq.q_storage_gc`;
    assert.match((await queues("drop", "storage_gc", next)).lines[0], /^Dropped: \{.*"req-1"/);
    assert.deepEqual((await queues("list", "storage_gc")).lines, ["No messages."]);
    assert.deepEqual((await queues("resume", "storage_gc")).lines, ["storage_gc is not paused"]);
  });

  await t.step("queues exits with 2 and a reason if it cannot do what it is asked for", async () => {
    for (
      const args of [["purge"], ["show", "storage_gc"], ["show", "storage_gc", "x"], ["drop"], ["list", "--request"]]
    ) {
      const { code, errors } = await queues(...args);
      assert.equal(code, 2);
      assert.match(errors, /^npm run queues +all queues\n/, args.join(" "));
    }
    const missing = await queues("show", "no_queue", "1");
    assert.deepEqual([missing.code, missing.errors.split(": ")[0]], [2, "Queue not found. Queues"]);
    assert.match((await queues("retry", "email_deliveries")).errors, /retry_failed_deliveries starts it again/);
  });
});

async function emptyDatabase(sql: postgres.Sql, dbUrl: string): Promise<{ url: string } & AsyncDisposable> {
  const name = `empty_${crypto.randomUUID().slice(0, 8)}`, url = new URL(dbUrl);
  await sql.unsafe(`create database ${name}`);
  url.pathname = `/${name}`;
  return { url: url.href, [Symbol.asyncDispose]: async () => void await sql.unsafe(`drop database ${name}`) };
}
