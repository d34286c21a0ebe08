// What npm run deploy says when something is missing or fails. A repaired deployment is repeated as a whole.
import assert from "node:assert/strict";
import { createDeployment, linesOf } from "./deployment.ts";
import type { Faults } from "./hosted_project.ts";

Deno.test({ name: "npm run deploy that fails", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using to = await createDeployment();
  const { sql, secrets, hosted, copy } = to;
  const vaultSecret = async () =>
    (await sql`select decrypted_secret as value from vault.decrypted_secrets where name = 'worker_secret'`)[0]?.value;

  async function withFaults<T>(faults: Faults, work: () => Promise<T>): Promise<T> {
    hosted.faults = faults;
    return await work().finally(() => hosted.faults = {});
  }

  /** Asserts the message of a deployment that fails before it changes anything. */
  async function assertRefused(args: string[], changes: Record<string, string>, ...lines: (string | RegExp)[]) {
    const { code, stderr } = await to.deploy(args, changes);
    assert.deepEqual([code, to.changes], [1, []]);
    for (const line of lines) {
      if (typeof line === "string") assert.ok(stderr.split("\n").includes(line), stderr);
      else assert.match(stderr, line);
    }
  }

  /** Asserts the step at which a deployment fails, and its message. */
  async function assertFails(
    step: string,
    message: RegExp,
    { faults = {}, env = {} }: { faults?: Faults; env?: Record<string, string> } = {},
  ) {
    const { code, stdout, stderr } = await withFaults(faults, () => to.deploy(["--yes"], env));
    assert.equal(code, 1);
    assert.match(stderr, message);
    const done = [...stdout.matchAll(/^(?! )(\w+)$/gm)].map(([name]) => name).slice(0, -1);
    assert.match(stderr, new RegExp(`^${step} failed\\. Done before: ${done.join(", ")}\\. Repair it`, "m"));
  }

  await t.step(
    "npm run deploy names a missing or rejected token, and a project that the token does not reach",
    async () => {
      await assertRefused(
        ["--yes"],
        { SUPABASE_ACCESS_TOKEN: "" },
        /^Not logged in: SUPABASE_ACCESS_TOKEN is not set\./,
      );
      const other = `sbp_${"f".repeat(40)}`;
      await assertRefused(
        ["--yes"],
        { SUPABASE_ACCESS_TOKEN: other },
        /^Not logged in: .* is rejected \(Unauthorized\)\.$/m,
      );
      const ref = "zyxwvutsrqponmlkjihg";
      await assertRefused(
        ["--yes", "--ref", ref],
        {},
        `Your token reaches no project ${ref} (Project not found). Check --ref.`,
        "check failed. Done before: nothing. Repair it, and run the command again.",
      );
    },
  );

  await t.step("npm run deploy names each missing and each malformed secret", async () => {
    const changes = {
      SUPABASE_DB_PASSWORD: "",
      MAIL_FROM: "",
      VAPID_SUBJECT: "mailto:ops@acme-shows.com",
      STRIPE_SECRET_KEY: "not a key",
      GOOGLE_CLIENT_SECRET: "secret",
      WORKER_SECRET: "short",
    };
    await assertRefused(
      ["--yes"],
      changes,
      "Production (abcdefghijklmnopqrst) is not ready:",
      "- STRIPE_WEBHOOK_SECRET is missing, which payments (Stripe) need too.",
      "- VAPID_PRIVATE_KEY is missing, which push messages need too.",
      "- GOOGLE_CLIENT_ID is missing, which calendars of Google need too.",
      "- MAIL_FROM is missing, which SMTP_URL needs.",
      "- SUPABASE_DB_PASSWORD is missing: the password of the database (Settings, Database).",
      "- STRIPE_SECRET_KEY must be a secret or restricted key of Stripe",
      /^- WORKER_SECRET must /m,
    );
  });

  await t.step("npm run deploy names a project that is paused, too old, or lacks an extension", async () => {
    const rows: Faults["rows"] = (query, rows) =>
      query.includes("server_version")
        ? [{ version: "15.8" }]
        : query.includes("pg_available_extensions")
        ? rows.filter(({ name }) => name !== "pgmq" && name !== "pg_net")
        : rows;
    await withFaults({ status: "INACTIVE", rows }, () =>
      assertRefused(
        ["--yes"],
        {},
        "- The project is INACTIVE; it must be ACTIVE_HEALTHY.",
        "- Postgres is 15.8; it must be 17 or later: upgrade the project.",
        "- The extension pg_net is not available.",
        "- The extension pgmq is not available.",
      ));
  });

  await t.step("npm run deploy names a worker's secret that only the functions have", async () => {
    secrets.WORKER_SECRET = "a value that is in no other place";
    await assertRefused(["--yes"], {}, /^The functions' WORKER_SECRET is not Vault's worker_secret/);
    delete secrets.WORKER_SECRET;
  });

  await t.step("npm run deploy names what is missing in the configuration of the environment", async () => {
    const former = await copy.change("supabase/production.toml", (text) => text.replace(/^site_url.*$/m, ""));
    await assertRefused(
      ["--yes"],
      { SMTP_PASSWORD: "" },
      "- auth.site_url is missing",
      /pass needs SMTP_PASSWORD in the/,
    );
    await copy.change("supabase/production.toml", () => undefined);
    await assertRefused(["--yes"], {}, /production\.toml is missing\. Copy supabase\/production\.example\.toml there/);
    await copy.change("supabase/production.toml", () => former);
  });

  await t.step("npm run deploy names a file that the build did not write, and one that is empty", async () => {
    const build = await copy.change(
      "scripts/build_browser.ts",
      (text) => text.replace('  player: "player/player.ts",\n', ""),
    );
    await copy.change("scripts/build_browser.ts", (text) => text.replace(/^scripts\.player = .*$/m, ""));
    await copy.change("functions/built/player.json", () => undefined);
    const asset = await copy.change("functions/public/asset.ts", () => "");
    await assertRefused(
      ["--yes"],
      {},
      "The functions cannot be deployed:",
      "- functions/built/player.json of the function public is missing.",
      "- functions/public/asset.ts of the function public is empty.",
    );
    await copy.change("functions/public/asset.ts", () => asset);
    await copy.change("scripts/build_browser.ts", () => build);
  });

  const migrations = async () =>
    (await sql`select version from supabase_migrations.schema_migrations order by version`).map(({ version }) =>
      version
    );
  const [first, second] = ["supabase/migrations/20990101000000_one.sql", "supabase/migrations/20990102000000_two.sql"];

  await t.step(
    "a push that fails half-way keeps the migrations before it, and applies the others when it is repeated",
    async () => {
      await copy.change(first, () => "create table private.first_step (id int);\n");
      await copy.change(second, () => "create table private.second_step (id int);\nselect 1 / 0;\n");
      await assertFails(
        "push_migrations",
        /^Applying migration 20990102000000_two\.sql\.\.\.\nERROR: division by zero/m,
      );
      assert.deepEqual((await migrations()).slice(-1), ["20990101000000"]);
      const [{ exists }] = await sql`select to_regclass('private.second_step') is not null as exists`;
      assert.equal(exists, false);
      await copy.change(second, () => "create table private.second_step (id int);\n");
      const rows: Faults["rows"] = (query, rows) => query.includes("schema_migrations") ? rows.slice(0, 1) : rows;
      const message = /^The CLI reported success, but the database lacks 20990102000000_two\.sql\.$/m;
      await assertFails("push_migrations", message, { faults: { rows } });
    },
  );

  await t.step("secrets that the platform refuses leave Vault as it was", async () => {
    const message = /^POST \/secrets of the management API returned 400: The platform refuses this$/m;
    await assertFails("configure", message, { faults: { rejects: /^POST \/secrets/ } });
    assert.deepEqual((await migrations()).slice(-2), ["20990101000000", "20990102000000"]); // the repeated push
    assert.deepEqual([await vaultSecret(), secrets], [undefined, {}]);
  });

  await t.step(
    "a function that the platform does not list, or a file that the CLI cannot read, fails the deployment",
    async () => {
      const former = await copy.change("functions/public/index.ts", (text) => `// import "./absent.ts";\n${text}`);
      const message =
        /^- WARN: failed to read file: open functions\/public\/absent\.ts: .*\n- worker is not deployed\.$/m;
      await assertFails("deploy_functions", message, { faults: { hides: "worker" } });
      await copy.change("functions/public/index.ts", () => former);
      assert.equal(secrets.WORKER_SECRET, await vaultSecret());
    },
  );

  await t.step("a new worker's secret that the platform refuses leaves Vault's old one", async () => {
    const before = secrets.WORKER_SECRET;
    await assertFails("configure", /The platform refuses this/, {
      faults: { rejects: /^POST \/secrets/ },
      env: { WORKER_SECRET: "another secret of the worker" },
    });
    assert.deepEqual([secrets.WORKER_SECRET, await vaultSecret()], [before, before]);
  });

  await t.step("configuration that the platform refuses fails the deployment", async () => {
    const message = /^unexpected status 400: \{"message":"The platform refuses this"\}$/m;
    await assertFails("send_config", message, { faults: { rejects: /^PATCH \/config\/auth/ } });
  });

  await t.step("a function that does not start fails the smoke test, which names it", async () => {
    const former = await copy.change("functions/public/index.ts", (text) => `throw new Error("broken");\n${text}`);
    await assertFails(
      "smoke_test",
      /^public does not work: http:\S+\/public\/v1\/openapi\.json must return 200, not 503 /m,
    );
    await copy.change("functions/public/index.ts", () => former);
  });

  await t.step("a smoke test that fails deletes its user", async () => {
    await sql`revoke select on public.profiles from authenticated`;
    await assertFails("smoke_test", /^The probe user does not see its profile: permission denied/m);
    assert.deepEqual([...await sql`select from auth.users`], []);
    await sql`grant select on public.profiles to authenticated`;
  });

  await t.step("npm run deploy names a setting that does not exist, and one that has a wrong value", async () => {
    const settings = `app_url = "app.acme-shows.com"\nhome_url = "https://acme-shows.com"`;
    const former = await copy.change("supabase/production.toml", (text) => text.replace(/^app_url = .*$/m, settings));
    await assertRefused(
      ["--yes"],
      {},
      "[settings] of supabase/production.toml is wrong:",
      /^- app_url must be an http or https URL/m,
      "- home_url is not a setting: docs/limits.md lists them.",
    );
    await copy.change("supabase/production.toml", () => former);
  });

  await t.step("npm run deploy succeeds once all is repaired", async () => {
    const { code, stdout, stderr } = await to.deploy(["--yes"]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.ok(linesOf(stdout, "smoke_test").includes("nothing is left of the probe"));
  });
});
