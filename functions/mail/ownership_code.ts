/** The email to the owner of a locked feed. Its code proves the owner's consent: anyone who has it can import. */
import { html } from "hono/html";
import { type Block, note, paragraph, renderEmail } from "./layout.ts";
import type { Email } from "./smtp.ts";

export interface OwnershipCodeEmail {
  /** The owner's email address in the feed. */
  to: string;
  /** The podcast that the feed is imported into. */
  podcastTitle: string;
  feedUrl: string;
}

/** `code` is valid until `expiresAt`. */
export function renderOwnershipCode(
  { to, podcastTitle, feedUrl }: OwnershipCodeEmail,
  code: string,
  expiresAt: Date,
): Email {
  const time = expiresAt.toLocaleTimeString("en", {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone: "UTC",
  });
  return renderEmail({ name: "", address: to }, `Your verification code for ${podcastTitle}`, [
    paragraph(
      `Someone is importing this feed into “${podcastTitle}” on Castbase:`,
    ),
    urlBlock(feedUrl),
    paragraph(
      "The feed is locked and names you as its owner. If you started this import, or someone you trust with the podcast did, use or share this code:",
    ),
    codeBlock(code),
    note(
      `The code expires at ${time} UTC. If you weren't expecting this, ignore this email; nothing can be imported without the code.`,
    ),
  ]);
}

const urlBlock = (url: string): Block => ({
  text: url,
  html: html`<p dir="ltr" style="overflow-wrap:anywhere"><code>${url}</code></p>`,
});

const codeBlock = (code: string): Block => ({
  text: code,
  html:
    html`<p style="margin:24px 0;font-size:32px;letter-spacing:6px;font-variant-numeric:tabular-nums"><strong>${code}</strong></p>`,
});
