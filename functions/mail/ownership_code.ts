/** The mail that asks the owner of a locked feed for consent: whoever is told its code may import the feed. */
import { html } from "hono/html";
import type { Email } from "./smtp.ts";

export interface OwnershipCode {
  /** The address that the feed names. */
  to: string;
  /** The podcast that the feed is to be imported into. */
  podcastTitle: string;
  feedUrl: string;
}

/** `code` counts until `expires`. */
export function renderOwnershipCode(
  { to, podcastTitle, feedUrl }: OwnershipCode,
  code: string,
  expiresAt: Date,
): Email {
  const subject = `Your code for moving a podcast: ${podcastTitle}`;
  const intro =
    `Someone wants to import the episodes of a feed into “${podcastTitle}” on Castbase. The feed is locked, and names this address as its owner’s:`;
  const instructions = "If that is you, or someone whom you trust with the podcast, enter this code or pass it on:";
  const expiry = `The code counts until ${
    expiresAt.toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: "UTC" })
  } UTC. If you know nothing of this, do nothing: without the code nothing is imported.`;
  const body = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${subject}</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif;color:#1c1917;background:#fff">
<div style="max-width:560px;margin:0 auto">
<p dir="auto">${intro}</p>
<p dir="ltr" style="overflow-wrap:anywhere"><code>${feedUrl}</code></p>
<p>${instructions}</p>
<p style="margin:24px 0;font-size:32px;letter-spacing:6px;font-variant-numeric:tabular-nums"><strong>${code}</strong></p>
<p style="color:#57534e;font-size:14px">${expiry}</p>
</div>
</body>
</html>
`;
  return {
    to: { name: "", address: to },
    subject,
    text: `${[intro, feedUrl, instructions, code, expiry].join("\n\n")}\n`,
    html: String(body),
  };
}
