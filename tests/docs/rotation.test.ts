// The table of rotations in docs/operating.md: each secret has a procedure, and each procedure has tests.
import { deepStrictEqual as deepEqual, ok } from "node:assert";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";
import { SECRET_NAMES } from "../../scripts/deploy/secrets.ts";
import { readDocument } from "./commands.ts";

/** The tests of each row: what is accepted during the change, and what happens to work that meets the wrong secret. */
const TESTS: Record<string, string[]> = {
  "publishable API key": ["tests/http/api_keys.test.ts", "tests/runtime/env.test.ts", "tests/http/tokens.test.ts"],
  "secret API key": ["tests/http/api_keys.test.ts", "tests/runtime/env.test.ts"],
  "signing keys": ["tests/http/tokens.test.ts"],
  "shared secret of older tokens": ["tests/http/tokens.test.ts"],
  "`WORKER_SECRET`": [
    "tests/scripts/deploy/deploy.test.ts",
    "tests/http/worker.test.ts",
    "tests/mail/email_tokens.test.ts",
  ],
  "database password": [
    "tests/database/fallback_url.test.ts",
    "tests/faults/pgbouncer.test.ts",
    "tests/scripts/deploy/deploy.test.ts",
  ],
  "`RESEND_API_KEY`, `STRIPE_SECRET_KEY`, `GOOGLE_CLIENT_SECRET`, `MICROSOFT_CLIENT_SECRET`, `CDN_PURGE_TOKEN`, `PODPING_AUTHORIZATION`":
    [
      "tests/worker/send_email_delivery.test.ts",
      "tests/billing/rotated_api_key.test.ts",
      "tests/calendars/accounts/access_token.test.ts",
      "tests/feed_pings/purge_keys.test.ts",
      "tests/feed_pings/send_feed_pings.test.ts",
    ],
  "`MONITORING_SECRET`": ["tests/http/api/health_report.test.ts"],
  "`SMTP_URL`": ["tests/mail/smtp_errors.test.ts"],
  "`STRIPE_WEBHOOK_SECRET`": ["tests/http/api/billing_webhook.test.ts"],
  "`RESEND_WEBHOOK_SECRET`": ["tests/http/api/resend_webhook.test.ts"],
  "`VAPID_PRIVATE_KEY`": ["tests/push/send_message.test.ts"],
  "webhook secrets of automations": [
    "tests/sql/80_automations/rotate_webhook_secret.test.sql",
    "tests/http/api/automation_secrets.test.ts",
    "tests/worker/send_webhook.test.ts",
  ],
};

const [, section] = readDocument("docs/operating.md").split("### Rotation\n");
const rows = section.split("\n## ")[0].split("\n").filter((line) => line.startsWith("| ")).slice(2)
  .map((line) => line.split(" | ")[0].slice(2).trim());

Deno.test("each procedure of docs/operating.md that rotates a secret has tests that exist", () => {
  deepEqual(rows.sort(), Object.keys(TESTS).sort());
  deepEqual(Object.values(TESTS).flat().filter((file) => !existsSync(join(repository, file))), []);
});

Deno.test("each secret of the functions' environment has a procedure in docs/operating.md", () => {
  const secrets = SECRET_NAMES.filter((name) =>
    /(?:SECRET|_KEY|_TOKEN|AUTHORIZATION)$|^SMTP_URL$/.test(name) && !name.startsWith("PREVIOUS_")
  );
  ok(secrets.length > 10, String(secrets));
  deepEqual(secrets.filter((name) => !rows.some((row) => row.includes(`\`${name}\``))), []);
});
