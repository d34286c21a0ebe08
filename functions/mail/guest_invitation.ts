/** The mail that invites a guest to an episode. */
import { html } from "hono/html";
import type { Email } from "./smtp.ts";

export interface GuestInvitation {
  to: Email["to"];
  podcastTitle: string;
  episodeTitle: string;
  /** Who asked; null when they have no name, or no account any more. */
  invitedBy: string | null;
  /** In the host's own words. */
  message: string | null;
}

/** `link` opens the invitation until `expires`. */
export function renderGuestInvitation(invitation: GuestInvitation, link: string, expiresAt: Date): Email {
  const { to, podcastTitle, episodeTitle, invitedBy, message } = invitation;
  const day = expiresAt.toLocaleDateString("en", { dateStyle: "long", timeZone: "UTC" });
  const intro = `${
    invitedBy ?? "The team"
  } invites you to be a guest of “${episodeTitle}”, an episode of ${podcastTitle}.`;
  const privacyNote =
    `The link is yours alone and opens until ${day}. Whoever has it can answer in your name: please do not pass it on.`;
  const text = [
    `Hello ${to.name},`,
    intro,
    ...message ? [message] : [],
    `See the invitation, accept or decline, and write to the team:\n${link}`,
    privacyNote,
  ].join("\n\n");
  const body = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${
    renderSubject(invitation)
  }</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif;color:#1c1917;background:#fff">
<div style="max-width:560px;margin:0 auto">
<p dir="auto">Hello ${to.name},</p>
<p dir="auto">${intro}</p>
${
    message &&
    html`<blockquote dir="auto" style="margin:16px 0;padding:0 16px;border-left:4px solid #d6d3d1;white-space:pre-line">${message}</blockquote>`
  }
<p><a href="${link}" style="display:inline-block;padding:10px 18px;border-radius:8px;background:#9a3412;color:#fff;text-decoration:none">See the invitation</a></p>
<p style="color:#57534e;font-size:14px">${privacyNote}</p>
</div>
</body>
</html>
`;
  return { to, subject: renderSubject(invitation), text: `${text}\n`, html: String(body) };
}

const renderSubject = ({ podcastTitle, episodeTitle }: GuestInvitation) =>
  `Be our guest: ${episodeTitle} · ${podcastTitle}`;
