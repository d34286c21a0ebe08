// npm run deploy with the real CLI, to a hosted project on the loopback interface (hosted_project.ts).
import assert from "node:assert/strict";
import { commandsOf as commandsIn, readDocument } from "../../docs/commands.ts";
import { createDeployment, linesOf, PASSWORD } from "./deployment.ts";
import { projectRef } from "./hosted_project.ts";
import { commandsOf } from "./workflow.ts";

const WARNINGS = [
  "No payments (Stripe): STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET are not set.",
  "No push messages: VAPID_PRIVATE_KEY and VAPID_SUBJECT are not set.",
  "No calendars of Google: GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET are not set.",
  "No calendars of Microsoft: MICROSOFT_CLIENT_ID and MICROSOFT_CLIENT_SECRET are not set.",
  "Connections of the functions to the database are not encrypted: DATABASE_CA is not set.",
];
const STAGING_SECRETS = `# secrets
export WORKER_SECRET="a secret of the file"
STRIPE_SECRET_KEY=sk_test_1 # of the sandbox
STRIPE_WEBHOOK_SECRET='whsec_1'
`;
const UPLOADS = Array(3).fill("POST /functions/deploy");
const SENT_CONFIGURATION = ["PUT /functions", "PATCH /postgrest", "PATCH /config/auth"];

/** Whether the machine has a program that gives a command a terminal, with the options of Linux. */
const hasTerminals = () =>
  new Deno.Command("script", { args: ["--version"] }).output()
    .then(({ stdout }) => new TextDecoder().decode(stdout).includes("util-linux"), () => false);

Deno.test({ name: "npm run deploy", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using to = await createDeployment();
  const { sql, secrets, hosted } = to;
  const vaultSecret = async () =>
    (await sql`select decrypted_secret as value from vault.decrypted_secrets where name = 'worker_secret'`)[0]?.value;
  const setting = async (key: string) => (await sql`select value from private.settings where key = ${key}`)[0].value;
  const migrations = [...Deno.readDirSync(`${to.copy.folder}/supabase/migrations`)].map(({ name }) => name).sort();

  await t.step("npm run deploy --dry-run shows the plan and changes nothing", async () => {
    const { code, stdout, stderr } = await to.deploy(["--dry-run"]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.deepEqual(linesOf(stdout, "check").slice(1), WARNINGS);
    assert.deepEqual(linesOf(stdout, "plan").slice(0, 7), [
      `Migrations: ${migrations.join(", ")}`,
      "Functions: api (new), public (new), worker (new)",
      `Settings: public_url = ${hosted.url}, accepted_email_domains = public, environment = production, app_url = https://app.acme-shows.com`,
      "The worker's secret: a new one",
      "Secrets of the functions: WORKER_SECRET, DATABASE_POOLER_URL, MAIL_FROM, SMTP_URL",
      "Buckets: media, staging, made by the migrations",
      "Configuration:",
    ]);
    assert.match(stdout, /^ +auth\.site_url \[update\]\n +local: +"https:\/\/app\.acme-shows\.com"$/m);
    assert.match(stdout, /^Nothing was changed \(--dry-run\)\.\n$/m);
    assert.deepEqual([to.changes, secrets, await vaultSecret()], [[], {}, undefined]);
    assert.deepEqual([...await sql`select from pg_tables where schemaname = 'private'`], []);
  });

  await t.step("npm run deploy without --yes changes nothing when it cannot ask", async () => {
    const { code, stdout, stderr } = await to.deploy([]);
    assert.deepEqual([code, stderr], [1, "Nothing was changed: this run cannot ask. Add --yes to confirm.\n"]);
    assert.match(stdout, /^plan$/m);
    assert.deepEqual(to.changes, []);
  });

  await t.step({
    name: "npm run deploy asks on a terminal, and changes nothing without a yes",
    ignore: !await hasTerminals(),
    fn: async () => {
      const command = `npm run -s deploy -- --ref ${projectRef}`;
      const { code, stdout } = await to.copy.shell(`echo n | script -qec '${command}' /dev/null`, to.env);
      assert.equal(code, 1);
      assert.ok(stdout.includes(`Deploy to Production (${projectRef}), production? [y/N] `), stdout);
      assert.ok(stdout.includes("Nothing was changed.\r\n"), stdout);
      assert.deepEqual(to.changes, []);
    },
  });

  await t.step(
    "npm run deploy --yes deploys a fresh project, which then works, and leaves nothing of its probe",
    async () => {
      const { code, stdout, stderr } = await to.deploy(["--environment", "production", "--yes"]);
      assert.deepEqual([code, stderr], [0, ""]);
      assert.deepEqual(linesOf(stdout, "deploy_functions"), [
        "api: version 1",
        "public: version 1",
        "worker: version 1",
      ]);
      assert.deepEqual(linesOf(stdout, "smoke_test"), [
        "api, public and worker respond",
        "the database wakes the worker",
        "a probe user signs in and reads its account",
        "an upload into the bucket staging is private",
        "nothing is left of the probe",
      ]);
      assert.deepEqual(linesOf(stdout, "remaining"), [
        "Put a domain in front of functions/v1/public (DNS), and set pages_url, public_api_url and embed_url to it.",
        "Verify the domain of MAIL_FROM with the email service (DNS).",
        "Check that backups are on (Database, Backups).",
      ]);
      assert.deepEqual(to.changes, ["POST /secrets", ...UPLOADS, ...SENT_CONFIGURATION]);
      const applied =
        await sql`select version || '_' || name || '.sql' as file from supabase_migrations.schema_migrations`;
      assert.deepEqual(applied.map(({ file }) => file).sort(), migrations);
      assert.deepEqual([await setting("public_url"), await setting("app_url")], [
        hosted.url,
        "https://app.acme-shows.com",
      ]);
      assert.equal(secrets.WORKER_SECRET, await vaultSecret());
      assert.ok(secrets.WORKER_SECRET.length >= 43);
      const pooler = new URL(secrets.DATABASE_POOLER_URL);
      assert.deepEqual([pooler.username, pooler.password, pooler.pathname], ["postgres", PASSWORD, "/postgres"]);
      for (const value of [secrets.WORKER_SECRET, secrets.DATABASE_POOLER_URL]) assert.ok(!stdout.includes(value));
    },
  );

  const countLeft = async () => {
    const [counts] = await sql`
      select (select count(*) from auth.users)::int as users, (select count(*) from public.profiles)::int as profiles,
        (select count(*) from public.podcasts)::int as podcasts,
        (select count(*) from storage.objects where bucket_id = 'staging')::int as objects,
        (select count(*) from private.podcast_slugs)::int as slugs`;
    return { ...counts };
  };
  const NOTHING = { users: 0, profiles: 0, podcasts: 0, objects: 0, slugs: 0 };

  await t.step("npm run deploy on production leaves no user, object or slug, and sends no email", async () => {
    assert.deepEqual(await countLeft(), NOTHING);
    const { total } = await (await fetch(`${to.mailUrl}/api/v1/messages`)).json();
    const [{ count }] = await sql`select count(*)::int from public.notification_deliveries`;
    assert.deepEqual([total, count], [0, 0]);
  });

  await t.step("npm run deploy again writes no migration, setting or secret, and has the same result", async () => {
    const before = { ...secrets };
    await sql`select private.set_setting('public_url', 'https://api.acme-shows.com')`; // by hand; the deployment keeps it
    await sql`select private.set_setting('worker_url', ${`${hosted.url}/functions/v1/worker`})`;
    const { code, stdout } = await to.deploy(["--yes"]);
    assert.equal(code, 0);
    assert.deepEqual(linesOf(stdout, "plan").slice(0, 5), [
      "Migrations: none",
      "Functions: api (replaces version 1), public (replaces version 1), worker (replaces version 1)",
      "Settings: none",
      "Secrets of the functions: none",
      "Buckets: none",
    ]);
    assert.deepEqual(to.changes, [...UPLOADS, ...SENT_CONFIGURATION]);
    assert.deepEqual([secrets, await vaultSecret()], [before, before.WORKER_SECRET]);
    assert.deepEqual(await countLeft(), NOTHING);
  });

  await t.step("the workflow deploys to staging, where an episode is published and deleted", async () => {
    const [install, ...commands] = commandsOf("staging");
    assert.equal(install, "npm ci"); // as in .ci/run; the packages are there
    const { MAIL_FROM: _, SMTP_URL, SUPABASE_ACCESS_TOKEN, SUPABASE_DB_PASSWORD: __, ...env } = to.env;
    const SUPABASE_DB_PASSWORD = "changed/in the dashboard";
    const given = Object.entries({
      MAIL_FROM: "file@acme-shows.com",
      SMTP_URL,
      SUPABASE_ACCESS_TOKEN,
      SUPABASE_DB_PASSWORD,
    });
    const refused = await to.deploy(["--environment", "staging", "--yes"]);
    assert.match(refused.stderr, /^This project is production, not staging\. Check --ref and --environment\.$/m);
    assert.deepEqual(to.changes, []);
    await sql`select private.set_setting('environment', null)`;

    const DEPLOY_SECRETS = STAGING_SECRETS + given.map(([name, value]) => `${name}="${value}"`).join("\n");
    const MAIL_FROM = "Castbase <other@acme-shows.com>"; // the environment goes before the file
    const { code, stdout, stderr } = await to.copy.shell(commands.join("\n"), {
      ...{ ...env, MAIL_FROM, DEPLOY_SECRETS, PROJECT_REF: projectRef },
    });
    assert.deepEqual([code, stderr], [0, ""]);
    assert.deepEqual(linesOf(stdout, "plan").slice(2, 5), [
      "Settings: environment = staging, app_url = https://app.staging.acme-shows.com",
      "The worker's secret in Vault: changed",
      "Secrets of the functions: " +
      "WORKER_SECRET, PREVIOUS_WORKER_SECRET, DATABASE_POOLER_URL, MAIL_FROM, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET",
    ]);
    assert.ok(linesOf(stdout, "deploy_functions").includes("The worker's secret in Vault is the new one"));
    assert.ok(linesOf(stdout, "smoke_test").includes("an episode is published and its feed served"));
    const webhook =
      `Check the webhook endpoint in Stripe: https://api.acme-shows.com/functions/v1/api/billing/webhooks/stripe`;
    assert.ok(linesOf(stdout, "remaining").includes(webhook));
    assert.equal(await setting("app_url"), "https://app.staging.acme-shows.com");
    assert.deepEqual([secrets.WORKER_SECRET, await vaultSecret()], ["a secret of the file", "a secret of the file"]);
    assert.equal(secrets.STRIPE_WEBHOOK_SECRET, "whsec_1");
    assert.equal(secrets.MAIL_FROM, MAIL_FROM);
    assert.equal(decodeURIComponent(new URL(secrets.DATABASE_POOLER_URL).password), SUPABASE_DB_PASSWORD);
    const { slugs, ...left } = await countLeft();
    assert.deepEqual([slugs, left], [1, { users: 0, profiles: 0, podcasts: 0, objects: 0 }]);
  });

  await t.step("the replaced WORKER_SECRET wakes the worker until PREVIOUS_WORKER_SECRET is deleted", async () => {
    const { PREVIOUS_WORKER_SECRET: former, WORKER_SECRET: current } = secrets;
    const wake = async (secret: string) => {
      const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
      const response = await fetch(`${hosted.url}/functions/v1/worker`, { method: "POST", headers, body: "{}" });
      await response.body?.cancel();
      return response.status;
    };
    assert.deepEqual([await wake(former), await wake(current)], [202, 202]);
    const unset = commandsIn(readDocument("docs/operating.md")).find((one) => one.includes(" secrets unset "))!
      .replace("<project ref>", projectRef).replace("NAME", "PREVIOUS_WORKER_SECRET");
    const { code, stderr } = await to.copy.shell(unset, { ...to.env, SUPABASE_YES: "true" });
    assert.equal(code, 0, stderr);
    assert.deepEqual([await wake(former), await wake(current)], [401, 202]);
  });
});
