// The auth settings of config.toml.
import { deepStrictEqual as same, ok, throws } from "node:assert";
import { createLimit } from "../../../local/auth/limit.ts";
import { authSettings } from "../../../local/auth/settings.ts";
import { folderOfFile } from "../../temporary_folder.ts";

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
  const { sessionSeconds, sessionInactivitySeconds } = authSettings({ sessions: { timebox: "24h" } });
  same([sessionSeconds, sessionInactivitySeconds], [86_400, 0]);
});

Deno.test("authSettings throws for a missing feature that other requests depend on", () => {
  throws(
    () => authSettings({ hook: { custom_access_token: { enabled: true } } }),
    /\[auth\.hook\.custom_access_token\]/,
  );
  same(authSettings({ hook: { custom_access_token: { enabled: false } } }).warnings, []);
});

Deno.test("authSettings warns of enabled features that are missing", () => {
  const auth = {
    mfa: { totp: { enroll_enabled: true }, phone: { enroll_enabled: false }, web_authn: { verify_enabled: true } },
    external: { google: { enabled: true }, apple: { enabled: false } },
    web3: { solana: { enabled: true } },
    passkey: { enabled: true },
    oauth_server: { enabled: true },
    sms: { enable_signup: true },
    email: { smtp: { enabled: true }, notification: { password_changed: { enabled: true } } },
  };
  const tables = authSettings(auth).warnings.map((warning) =>
    [...warning.matchAll(/\[auth\.(.*?)\]/g)].map((m) => m[1])
  );
  same(tables, [
    ["mfa.totp", "mfa.web_authn", "external.google", "web3.solana", "passkey", "oauth_server", "sms"],
    ["email.smtp", "email.notification.password_changed"],
  ]);
  same(authSettings({ mfa: "totp", external: null, hook: [] }).warnings, []);
});

Deno.test("authSettings reads the rules of passwords, sign-ups and tokens", () => {
  const settings = authSettings({
    enable_anonymous_sign_ins: true,
    enable_manual_linking: true,
    password_requirements: "letters_digits",
    jwt_issuer: "https://auth.example",
    rate_limit: { anonymous_users: 7 },
    email: { enable_signup: false, secure_password_change: true },
  });
  same([settings.allowAnonymous, settings.anonymousUsersPerHour, settings.allowManualLinking], [true, 7, true]);
  same([settings.allowEmail, settings.securePasswordChange, settings.jwtIssuer], [false, true, "https://auth.example"]);
  same(settings.requiredCharacters.map((set) => set.length), [52, 10]);
  throws(() => authSettings({ password_requirements: "emojis" }), /password_requirements must be empty or one of/);
});

Deno.test("createLimit forgets the least recent of more keys than it holds", () => {
  const limit = createLimit(60);
  for (let i = 0; i < 3; i++) limit.add("10.0.0.1");
  same(limit.count("10.0.0.1"), 3);
  for (let i = 0; i < 10_000; i++) limit.add(`client ${i}`);
  same([limit.count("10.0.0.1"), limit.count("client 9999")], [0, 1]);
});

Deno.test("emails use the project's template, and the error names an unsupported template", async () => {
  const folder = await folderOfFile("castbase-templates-");
  await Deno.writeTextFile(`${folder}/good.html`, "<p>{{ .Token }} for {{ .Data.name }}</p>");
  await Deno.writeTextFile(`${folder}/bad.html`, "{{ if .Token }}yes{{ end }}");
  const settings = (content_path: string) =>
    authSettings({ email: { template: { recovery: { subject: "Your code", content_path } } } }, folder);
  same(settings("good.html").templates.recovery.subject, "Your code");
  ok(settings("good.html").templates.signup.html.includes("{{ .ConfirmationURL }}"));
  throws(() => settings("bad.html"), /bad\.html: \{\{ if \.Token \}\} is not supported by the local stack/);
});
