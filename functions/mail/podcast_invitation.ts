/** The email that invites someone to a podcast's team. */
import { html } from "hono/html";
import type { Email } from "./smtp.ts";

export interface PodcastInvitationEmail {
  to: string;
  podcastTitle: string;
  /** Null when the inviter has no name. */
  inviterName: string | null;
  role: "member" | "admin";
  /** ISO 8601. */
  expiresAt: string;
  /** Where the invited person signs in or signs up. */
  appUrl: string;
}

export function renderPodcastInvitation(invitation: PodcastInvitationEmail): Email {
  const { to, podcastTitle, inviterName, role, expiresAt, appUrl } = invitation;
  const day = new Date(expiresAt).toLocaleDateString("en", { dateStyle: "long", timeZone: "UTC" });
  const subject = `Join the team of ${podcastTitle}`;
  const intro = `${
    inviterName ?? "The team"
  } invites you to join the team of the podcast “${podcastTitle}” on Castbase.`;
  const roleNote = role === "admin"
    ? "As an admin you can edit the podcast, publish episodes, upload audio and manage the team."
    : "As a member you can see the podcast, its episodes and its guests before they are published.";
  const instructions =
    `To accept, sign in with this email address, ${to}, or sign up with it if you're new. Your invitation is waiting there until ${day}.`;
  const declineNote =
    "You don't want to join? You can decline there, and block further invitations to this podcast. Or simply ignore this email: you won't be on the team unless you accept.";
  const body = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${subject}</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif;color:#1c1917;background:#fff">
<div style="max-width:560px;margin:0 auto">
<p>Hello,</p>
<p dir="auto">${intro}</p>
<p>${roleNote}</p>
<p>${instructions}</p>
<p><a href="${appUrl}" style="display:inline-block;padding:10px 18px;border-radius:8px;background:#9a3412;color:#fff;text-decoration:none">View invitation</a></p>
<p style="color:#57534e;font-size:14px">${declineNote}</p>
</div>
</body>
</html>
`;
  return {
    to: { name: "", address: to },
    subject,
    text: `${["Hello,", intro, roleNote, instructions, `View invitation:\n${appUrl}`, declineNote].join("\n\n")}\n`,
    html: String(body),
  };
}
