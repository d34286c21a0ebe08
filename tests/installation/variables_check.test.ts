// The functions' variables: those that belong together, without their values.
import assert from "node:assert/strict";
import { checkVariables } from "../../functions/installation/variables_check.ts";
import { healthyReport } from "./healthy_report.ts";

const COMPLETE = {
  WORKER_SECRET: "a-secret-of-the-worker",
  MAIL_FROM: "Casts <noreply@example.org>",
  RESEND_API_KEY: "re_123",
  RESEND_WEBHOOK_SECRET: "whsec_c2VjcmV0",
  STRIPE_SECRET_KEY: "sk_live_123",
  STRIPE_WEBHOOK_SECRET: "whsec_123",
  GOOGLE_CLIENT_ID: "id",
  GOOGLE_CLIENT_SECRET: "secret",
};

const check = (changes: Record<string, string | undefined>, report = healthyReport) =>
  checkVariables({ ...COMPLETE, ...changes }, report).map(({ level, message }) => `${level}: ${message}`);

Deno.test("complete variables are ok", () => assert.deepEqual(check({}), ["ok: 8 are set"]));

const cases: [changes: Record<string, string | undefined>, expected: string][] = [
  [{ WORKER_SECRET: undefined }, "problem: WORKER_SECRET is not set: the worker cannot be woken"],
  [{ MAIL_FROM: "" }, "problem: MAIL_FROM is not set: emails cannot be sent"],
  [{ RESEND_API_KEY: undefined }, "problem: RESEND_API_KEY or SMTP_URL is not set: emails cannot be sent"],
  [{ RESEND_WEBHOOK_SECRET: "" }, "warning: RESEND_WEBHOOK_SECRET is not set: bounces and complaints stay unknown"],
  [{ STRIPE_SECRET_KEY: "" }, "problem: STRIPE_SECRET_KEY is not set: plans cannot be sold"],
  [{ STRIPE_WEBHOOK_SECRET: "" }, "problem: STRIPE_WEBHOOK_SECRET is not set: plans cannot be sold"],
  [{ GOOGLE_CLIENT_SECRET: "" }, "problem: GOOGLE_CLIENT_SECRET is not set: calendars of Google cannot be connected"],
  [
    { MICROSOFT_CLIENT_ID: "x" },
    "problem: MICROSOFT_CLIENT_SECRET is not set: calendars of Microsoft cannot be connected",
  ],
  [{ VAPID_SUBJECT: "mailto:ops@casts.org" }, "problem: VAPID_PRIVATE_KEY is not set: push messages cannot be sent"],
  [{ WORKER_SECRET: "short-s3cret" }, "problem: WORKER_SECRET must have at least 16 characters"],
];
for (const [changes, expected] of cases) {
  Deno.test(`variables with ${JSON.stringify(changes)}: ${expected}`, () => {
    const found = check(changes);
    assert.deepEqual(found, [expected]);
    for (const value of Object.values(changes)) assert.ok(!value || value === "x" || !found[0].includes(value));
  });
}

Deno.test("variables of features that the installation does not have may be missing", () => {
  const report = { ...healthyReport, billing: { offeredPrices: 0, unknownPrices: 0 }, calendars: [] };
  const changes = { STRIPE_SECRET_KEY: "", STRIPE_WEBHOOK_SECRET: "", GOOGLE_CLIENT_ID: "", GOOGLE_CLIENT_SECRET: "" };
  assert.deepEqual(check(changes, report), ["ok: 4 are set"]);
});
