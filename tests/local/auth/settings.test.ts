// The auth settings of config.toml.
import { deepStrictEqual as same, ok, throws } from "node:assert";
import { authSettings } from "../../../local/auth/settings.ts";

Deno.test("authSettings has the CLI's default values", () => {
  const settings = authSettings({});
  same([settings.confirmEmails, settings.doubleConfirmChanges, settings.allowSignups], [false, true, true]);
  same([settings.maxFrequencySeconds, settings.codeLength, settings.codeExpirySeconds], [1, 6, 3600]);
  same([settings.minPasswordLength, settings.passwordCost, settings.captcha], [6, 10, null]);
});

Deno.test("authSettings reads captcha settings from the environment", () => {
  const captcha = { enabled: "env(TEST_CAPTCHA)", provider: "hcaptcha", secret: "env(TEST_CAPTCHA_SECRET)" };
  Deno.env.set("TEST_CAPTCHA", "true");
  Deno.env.set("TEST_CAPTCHA_SECRET", "xyz");
  try {
    same(authSettings({ captcha }).captcha?.secret, "xyz");
  } finally {
    Deno.env.delete("TEST_CAPTCHA");
    Deno.env.delete("TEST_CAPTCHA_SECRET");
  }
});

Deno.test("seconds parses durations of Go", () => {
  same(authSettings({ email: { max_frequency: "1m30s" } }).maxFrequencySeconds, 90);
  throws(() => authSettings({ email: { max_frequency: "soon" } }), /max_frequency/);
});

Deno.test("authSettings throws for each feature that the local stack does not support", () => {
  throws(() => authSettings({ enable_anonymous_sign_ins: true }), /Anonymous/);
  throws(() => authSettings({ email: { secure_password_change: true } }), /secure_password_change/);
});

Deno.test("emails use the project's template, and the error names an unsupported template", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/good.html`, "<p>{{ .Token }} for {{ .Data.name }}</p>");
    await Deno.writeTextFile(`${folder}/bad.html`, "{{ if .Token }}yes{{ end }}");
    const settings = (content_path: string) =>
      authSettings({ email: { template: { recovery: { subject: "Your code", content_path } } } }, folder);
    same(settings("good.html").templates.recovery.subject, "Your code");
    ok(settings("good.html").templates.signup.html.includes("{{ .ConfirmationURL }}"));
    throws(() => settings("bad.html"), /bad\.html: \{\{ if \.Token \}\} is not supported by the local stack/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
