// What a deployment cannot do for a person.
import type { Deployment } from "../deployment.ts";

/** Prints what is still to do. */
export async function remaining({ api, report }: Deployment) {
  const secrets = new Set((await api.secrets()).map(({ name }) => name));
  const rows = await api.query<{ key: string; value: string | null; resolved_value: string | null }>(
    "select key, value, resolved_value from private.settings",
  );
  const settingOf = (key: string) => rows.find((row) => row.key === key);
  const baseUrl = `${settingOf("base_url")?.resolved_value}/api`;
  const tasks: [isDone: boolean, task: string][] = [
    [Boolean(settingOf("app_url")?.value), "Set app_url to the front end that emails link to."],
    [
      Boolean(settingOf("pages_url")?.value),
      "Put a domain in front of functions/v1/public (DNS), and set pages_url, public_api_url and embed_url to it.",
    ],
    [!secrets.has("MAIL_FROM"), "Verify the domain of MAIL_FROM with the email service (DNS)."],
    [
      !secrets.has("RESEND_API_KEY") || secrets.has("RESEND_WEBHOOK_SECRET"),
      `Add a webhook in Resend: ${baseUrl}/notifications/webhooks/resend`,
    ],
    [!secrets.has("STRIPE_SECRET_KEY"), `Check the webhook endpoint in Stripe: ${baseUrl}/billing/webhooks/stripe`],
    [false, "Check that backups are on (Database, Backups)."],
  ];
  for (const [isDone, task] of tasks) if (!isDone) report(task);
}
