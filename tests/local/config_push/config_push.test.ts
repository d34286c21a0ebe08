// config:push sends values of production to a hosted project, never those of a development machine.
import assert from "node:assert/strict";
import { join } from "node:path";
import { parse, type TomlTable } from "smol-toml";
import { StartupError } from "../../../local/host/startup_error.ts";
import { completeConfig } from "../../../local/config_push/config_push.ts";
import { supabaseBinary } from "../../../local/database/supabase_cli.ts";
import { repository } from "../../../local/host/project.ts";
import { projectRef, startManagementApi } from "./management_api.ts";
import { folderOfFile } from "../../temporary_folder.ts";

const read = (name: string) => parse(Deno.readTextFileSync(join(repository, "supabase", name)));
const example = join(repository, "supabase/production.example.toml");
const base = read("config.toml"), filled = Deno.readTextFileSync(example).replaceAll("example.com", "acme-shows.com");
const secrets = { SMTP_PASSWORD: "smtp secret", CAPTCHA_SECRET: "captcha secret" };

/** Auth fields that have the same value in every environment. A new one is added here once it is known to be so. */
const SHARED: Record<string, unknown> = {
  disable_signup: false,
  external_anonymous_users_enabled: false,
  external_email_enabled: true,
  jwt_exp: 3600,
  mailer_autoconfirm: false,
  mailer_otp_exp: 3600,
  mailer_otp_length: 6,
  mailer_secure_email_change_enabled: true,
  refresh_token_rotation_enabled: true,
  security_refresh_token_reuse_interval: 10,
  security_update_password_require_reauthentication: true,
};
const isTemplate = (field: string) => /^mailer_(subjects|templates)_/.test(field);

/** Auth fields that supabase/production.toml decides. */
const PRODUCTION: Record<string, unknown> = {
  site_url: "https://app.acme-shows.com",
  uri_allow_list: "https://app.acme-shows.com/**",
  password_min_length: 10,
  password_required_characters: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ:0123456789",
  rate_limit_email_sent: 100,
  smtp_max_frequency: 60,
  smtp_host: "smtp.acme-shows.com",
  smtp_port: "465",
  smtp_user: "castbase",
  smtp_pass: secrets.SMTP_PASSWORD,
  smtp_admin_email: "noreply@acme-shows.com",
  smtp_sender_name: "Castbase",
};

interface Surroundings {
  cwd?: string;
  env?: Record<string, string>;
}

/** The output of a command, and what it sent to the Management API. */
async function sentBy(command: string, args: string[], { cwd = repository, env = {} }: Surroundings = {}) {
  await using api = startManagementApi();
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args,
    cwd,
    env: { SUPABASE_AUTH_CAPTCHA_ENABLED: "", ...api.env, ...secrets, ...env }, // as in an empty environment
    stdin: "null",
  }).output();
  return { code, output: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr), sent: [...api.sent] };
}

async function authFieldsOf(command: string, args: string[], surroundings?: Surroundings) {
  const { code, output, sent } = await sentBy(command, args, surroundings);
  const auth = sent.find(({ path }) => path.endsWith("/config/auth"));
  assert.ok(auth && code === 0, `The CLI sent no auth settings:\n${output}`);
  return auth.fields;
}

const argumentsOf = (file: string, ...args: string[]) => [
  ...["run", "--allow-all", "--no-check", join(repository, "local/cli/config_push.ts"), "--ref", projectRef, "--yes"],
  ...["--file", file, ...args],
];

async function withFile<T>(text: string, use: (file: string) => Promise<T>): Promise<T> {
  const file = await Deno.makeTempFile({ suffix: ".toml" });
  await Deno.writeTextFile(file, text);
  return await use(file).finally(() => Deno.remove(file));
}

const configPush = (args: string[] = [], surroundings?: Surroundings) =>
  withFile(filled, (file) => authFieldsOf(Deno.execPath(), argumentsOf(file, ...args), surroundings));

/** The captcha protection of the local stack has no effect on it. */
const pushed = await configPush([], { env: { SUPABASE_AUTH_CAPTCHA_ENABLED: "true" } });

Deno.test("config:push sends nothing when the file has placeholders or lacks values, and names each", async () => {
  const placeholders = await sentBy(Deno.execPath(), argumentsOf(example));
  assert.deepEqual([placeholders.code, placeholders.sent], [1, []]);
  assert.deepEqual(placeholders.output.trim().split("\n"), [
    "The production configuration cannot be pushed:",
    "- settings.app_url names a placeholder or a local or private host: https://app.example.com",
    ...[
      "site_url names a placeholder or a local or private host: https://app.example.com",
      "additional_redirect_urls names a placeholder or a local or private host: https://app.example.com/**",
      "email.smtp.host names a placeholder or a local or private host: smtp.example.com",
      "email.smtp.admin_email names a placeholder or a local or private host: noreply@example.com",
    ].map((line) => `- auth.${line}`),
  ]);
  const incomplete = await withFile(
    filled.replace(/^site_url.*$/m, ""),
    (file) => sentBy(Deno.execPath(), argumentsOf(file)),
  );
  assert.deepEqual([incomplete.code, incomplete.sent], [1, []]);
  assert.match(incomplete.output, /^- auth\.site_url is missing$/m);
});

Deno.test("config:push --dry-run shows the difference and sends nothing", async () => {
  const { code, output, sent } = await withFile(
    filled,
    (file) => sentBy(Deno.execPath(), argumentsOf(file, "--dry-run")),
  );
  assert.deepEqual([code, sent], [0, []]);
  assert.match(output, /^auth\.site_url \[update\]\n +local: +"https:\/\/app\.acme-shows\.com"$/m);
});

Deno.test("supabase config push by hand sends no auth field whose local value differs from production's", async () => {
  const fields = await authFieldsOf(supabaseBinary, [
    "config",
    "push",
    `--remote=${projectRef}`,
    "--yes",
    "--agent=no",
  ]);
  const others = Object.entries(fields).filter(([field]) => !isTemplate(field));
  assert.deepEqual(Object.fromEntries(others), SHARED);
});

Deno.test("config:push sends production's value of every auth field that differs from the local one", () => {
  const others = Object.entries(pushed).filter(([field]) => !isTemplate(field) && !(field in SHARED));
  assert.deepEqual(Object.fromEntries(others), PRODUCTION);
  assert.doesNotMatch(JSON.stringify(pushed), /localhost|127\.0\.0\.1/);
});

Deno.test("config:push sends templates without ConfirmationURL, whose links open front_end.confirm_path", async () => {
  const changed = filled.replace('confirm_path = "/auth/confirm"', `confirm_path = "/guest"`);
  const other = await withFile(changed, (file) => authFieldsOf(Deno.execPath(), argumentsOf(file)));
  for (const [path, fields] of [["/auth/confirm", pushed], ["/guest", other]] as const) {
    const templates = Object.entries(fields).filter(([field]) => field.startsWith("mailer_templates_"))
      .map(([, html]) => String(html));
    assert.equal(templates.length, 5);
    for (const html of templates) {
      assert.doesNotMatch(html, /ConfirmationURL/);
      assert.ok(html.includes(`"{{ .SiteURL }}${path}#token_hash={{ .TokenHash }}&amp;type=`), html);
    }
  }
});

Deno.test("config:push rejects a confirm_path that is not a path, and ends site_url without a slash", () => {
  const push = (change: (production: TomlTable) => void) => {
    const production = parse(filled);
    change(production);
    return completeConfig(base, production, { captcha: false, env: secrets });
  };
  for (const confirm_path of ["auth/confirm", "https://app.acme-shows.com/confirm", "/confirm#x", 1]) {
    assert.throws(
      () => push((production) => production.front_end = { confirm_path }),
      /front_end\.confirm_path must be a path such as \/auth\/confirm/,
    );
  }
  const config = push((production) => {
    delete production.front_end;
    assert.ok(production.settings);
    (production.auth as TomlTable).site_url = "https://app.acme-shows.com/app/";
  });
  assert.equal((config.auth as TomlTable).site_url, "https://app.acme-shows.com/app");
  assert.deepEqual([config.front_end, config.settings], [undefined, undefined]); // not the CLI's
});

const captchaIn = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => field.startsWith("security_captcha")));

Deno.test("config:push sends captcha settings only with --captcha, regardless of the local stack's", async () => {
  assert.deepEqual(captchaIn(pushed), {});
  const cwd = await folderOfFile("castbase-push-");
  await Deno.writeTextFile(join(cwd, ".env"), "SUPABASE_AUTH_CAPTCHA_ENABLED=false\n");
  for (const surroundings of [{ cwd }, { env: { SUPABASE_AUTH_CAPTCHA_ENABLED: "false" } }]) {
    assert.deepEqual(captchaIn(await configPush(["--captcha"], surroundings)), {
      security_captcha_enabled: true,
      security_captcha_provider: "turnstile",
      security_captcha_secret: secrets.CAPTCHA_SECRET,
    });
  }
});

Deno.test("config:push --captcha turns captcha protection off when production.toml disables it", async () => {
  const disabled = filled.replace("[auth.captcha]\nenabled = true", "[auth.captcha]\nenabled = false");
  const push = (file: string) => authFieldsOf(Deno.execPath(), argumentsOf(file, "--captcha"));
  assert.deepEqual(captchaIn(await withFile(disabled, push)), { security_captcha_enabled: false });
});

function problemsOf(change: (auth: TomlTable) => void, env: Record<string, string> = secrets): string[] {
  const production = parse(filled);
  change(production.auth as TomlTable);
  try {
    completeConfig(base, production, { captcha: false, env });
    return [];
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    return error.message.split("\n").slice(1).map((line) => line.slice(2));
  }
}

const at = (auth: TomlTable, ...names: string[]) => names.reduce((table, name) => table[name] as TomlTable, auth);

Deno.test("config:push accepts the filled-in example once its secrets are in the environment", () => {
  assert.deepEqual(problemsOf(() => {}), []);
  assert.deepEqual(problemsOf(() => {}, {}), [
    "auth.email.smtp.pass needs SMTP_PASSWORD in the environment",
    "auth.captcha.secret needs CAPTCHA_SECRET in the environment",
  ]);
});

for (
  const [path, invalid] of [
    ["site_url", "http://app.example.com"],
    ["additional_redirect_urls", []],
    ["minimum_password_length", 6],
    ["password_requirements", ""],
    ["rate_limit.email_sent", 0],
    ["email.max_frequency", "1s"],
    ["email.smtp.enabled", false],
    ["email.smtp.host", ""],
    ["email.smtp.port", "465"],
    ["email.smtp.user", ""],
    ["email.smtp.pass", "in the open"],
    ["email.smtp.admin_email", 1],
    ["email.smtp.sender_name", ""],
    ["captcha.enabled", "yes"],
    ["captcha.provider", ""],
    ["captcha.secret", "in the open"],
  ] as const
) {
  Deno.test(`config:push requires a production value of auth.${path}`, () => {
    const names = path.split("."), last = names.pop()!;
    const missing = problemsOf((auth) => delete at(auth, ...names)[last]);
    assert.deepEqual(missing, [`auth.${path} is missing`]);
    const [problem] = problemsOf((auth) => at(auth, ...names)[last] = invalid as never);
    assert.match(problem, new RegExp(`^auth\\.${path} must be `));
  });
}

const problem = "names a placeholder or a local or private host";

Deno.test("config:push rejects placeholders and local or private hosts, and accepts public ones", () => {
  const invalid = ["localhost:3000", "app.localhost", "127.0.0.1", "127.1", "[::1]", "castbase.local", "inbucket"]
    .concat("example.com", "app.example.net", "EXAMPLE.org.", "app.example", "shop.test", "x.invalid", "mailpit:8025")
    .concat(
      "host.docker.internal",
      "10.1.2.3",
      "172.16.0.1",
      "192.168.1.2:3000",
      "169.254.1.1",
      "[fd00::1]",
      "[fe80::1]",
    );
  for (const host of invalid) {
    const url = `https://${host}/`;
    assert.deepEqual(problemsOf((auth) => auth.site_url = url), [`auth.site_url ${problem}: ${url}`]);
    const email = `noreply@${host.replace(/:\d+$/, "")}`;
    assert.deepEqual(problemsOf((auth) => at(auth, "email", "smtp").admin_email = email), [
      `auth.email.smtp.admin_email ${problem}: ${email}`,
    ]);
  }
  const redirects = (...urls: string[]) => problemsOf((auth) => auth.additional_redirect_urls = urls);
  assert.deepEqual(
    redirects("https://*.acme-shows.com/**", "https://8.8.8.8/", "castbase://callback", "castbase:///x"),
    [],
  );
  assert.deepEqual(redirects("exp://127.0.0.1:8081", "https://*/**"), [
    `auth.additional_redirect_urls ${problem}: exp://127.0.0.1:8081`,
    `auth.additional_redirect_urls ${problem}: https://*/**`,
  ]);
  assert.deepEqual(redirects("http://localhost:3000/**"), [
    "auth.additional_redirect_urls must be a list of https URLs",
    `auth.additional_redirect_urls ${problem}: http://localhost:3000/**`,
  ]);
});

Deno.test("config:push checks hosts from the environment without showing them, and leaves secrets alone", () => {
  const host = (auth: TomlTable) => at(auth, "email", "smtp").host = "env(SMTP_HOST)";
  assert.deepEqual(problemsOf(host, { ...secrets, SMTP_HOST: "smtp.acme-shows.com" }), []);
  for (const SMTP_HOST of ["127.0.0.1", "inbucket", "smtp.example.com", "::1"]) {
    assert.deepEqual(problemsOf(host, { ...secrets, SMTP_HOST }), [`auth.email.smtp.host ${problem}: env(SMTP_HOST)`]);
  }
  assert.deepEqual(problemsOf(() => {}, { ...secrets, SMTP_PASSWORD: "a@localhost" }), []);
});

Deno.test("config:push reports invalid arguments and files", async () => {
  const run = async (...args: string[]) => {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--allow-all", "--no-check", join(repository, "local/cli/config_push.ts"), ...args],
      stdin: "null",
    }).output();
    return [code, new TextDecoder().decode(stderr).split("\n")[0]];
  };
  assert.deepEqual(await run(), [1, "--ref must be the project's reference: 20 lowercase letters."]);
  assert.deepEqual(await run("--ref", projectRef, "--file", "/nowhere/production.toml"), [
    1,
    "/nowhere/production.toml cannot be read. Copy supabase/production.example.toml there and fill it in.",
  ]);
});
