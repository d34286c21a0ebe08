// [auth.captcha] of config.toml and of the environment.
import { deepStrictEqual as same, throws } from "node:assert";
import { join } from "node:path";
import { parse } from "smol-toml";
import { captchaSettings, type Environment } from "../../../local/auth/captcha_settings.ts";
import { repository } from "../../../local/host/project.ts";
import { StartupError } from "../../../local/host/startup_error.ts";

const config = parse(Deno.readTextFileSync(join(repository, "supabase/config.toml")));
const { captcha } = config.auth as { captcha: Record<string, unknown> };
const ON = { SUPABASE_AUTH_CAPTCHA_ENABLED: "true", CAPTCHA_SECRET: " xyz " };
const TURNSTILE = "https://challenges.cloudflare.com/turnstile/v0/siteverify";

const settings = (env: Environment, table: unknown = captcha) => captchaSettings(table, env);
const rejects = (message: string, env: Environment, table: unknown = captcha) =>
  throws(
    () => captchaSettings(table, env),
    (error) => error instanceof StartupError && error.message.startsWith(message),
  );

Deno.test("captcha protection is off by default, and two variables turn it on", () => {
  same(settings({}), null);
  same(settings({ CAPTCHA_SECRET: "xyz" }), null);
  same(settings(ON), { verifyUrl: TURNSTILE, secret: "xyz", timeoutMs: 10_000 });
});

Deno.test("captchaSettings reads flags as the CLI does, and rejects other values", () => {
  for (const value of ["", "0", "f", "F", "false", "False", "FALSE"]) {
    same(settings({ ...ON, SUPABASE_AUTH_CAPTCHA_ENABLED: value }), null);
  }
  for (const value of ["1", "t", "T", "true", "True", "TRUE"]) {
    same(settings({ ...ON, SUPABASE_AUTH_CAPTCHA_ENABLED: value })?.secret, "xyz");
  }
  rejects("[auth.captcha] enabled must be true or false (got yes).", { ...ON, SUPABASE_AUTH_CAPTCHA_ENABLED: "yes" });
  const table = { ...captcha, enabled: "env(CAPTCHA_ENABLED)" };
  same(settings({ CAPTCHA_SECRET: "xyz", CAPTCHA_ENABLED: "true" }, table)?.secret, "xyz");
  rejects("[auth.captcha] enabled must be true or false (got env(CAPTCHA_ENABLED)).", {}, table);
});

Deno.test("variables override config.toml, but only if it has the table", () => {
  const table = { enabled: true, provider: "turnstile", secret: "in the file" };
  same(settings({}, table)?.secret, "in the file");
  same(settings({ SUPABASE_AUTH_CAPTCHA_ENABLED: "false" }, table), null);
  const env = { SUPABASE_AUTH_CAPTCHA_PROVIDER: "hcaptcha", SUPABASE_AUTH_CAPTCHA_SECRET: "abc" };
  same(settings(env, table), { verifyUrl: "https://hcaptcha.com/siteverify", secret: "abc", timeoutMs: 10_000 });
  same(captchaSettings(undefined, ON), null);
});

Deno.test("captchaSettings names what is missing or invalid", () => {
  rejects("[auth.captcha] requires a secret; set CAPTCHA_SECRET.", { SUPABASE_AUTH_CAPTCHA_ENABLED: "true" });
  rejects("[auth.captcha] requires a secret; set CAPTCHA_SECRET.", { ...ON, CAPTCHA_SECRET: "" });
  rejects("[auth.captcha] requires a secret.", { ...ON, CAPTCHA_SECRET: " " });
  for (const provider of ["recaptcha", "toString"]) {
    rejects("[auth.captcha] provider must be hcaptcha or turnstile (got ", {
      ...ON,
      SUPABASE_AUTH_CAPTCHA_PROVIDER: provider,
    });
  }
});

Deno.test("CAPTCHA_VERIFY_URL replaces the provider's verifier", () => {
  const verifyUrl = "http://127.0.0.1:9999/siteverify";
  same(settings({ ...ON, CAPTCHA_VERIFY_URL: verifyUrl })?.verifyUrl, verifyUrl);
  same(settings({ ...ON, CAPTCHA_VERIFY_URL: "" })?.verifyUrl, TURNSTILE);
  for (const value of ["127.0.0.1:9999", "localhost/siteverify", "file:///etc/passwd"]) {
    rejects("CAPTCHA_VERIFY_URL must be an http or https URL", { ...ON, CAPTCHA_VERIFY_URL: value });
  }
});
