/** The email that invites someone to a podcast's team. */
import { button, note, paragraph, renderEmail } from "./layout.ts";
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
  return renderEmail({ name: "", address: to }, `Join the team of ${podcastTitle}`, [
    paragraph("Hello,"),
    paragraph(
      `${inviterName ?? "The team"} has invited you to join the team of the podcast “${podcastTitle}” on Castbase.`,
    ),
    paragraph(
      role === "admin"
        ? "As an admin you can edit the podcast, publish episodes, upload audio and manage the team."
        : "As a member you can see the podcast, its guests, and its episodes before they are published.",
    ),
    paragraph(
      `To accept, sign in with this email address, ${to}, or sign up with it if you're new. The invitation is valid until ${day}.`,
    ),
    button("View invitation", appUrl),
    note(
      "Don't want to join? Sign in to decline, and to block further invitations to this podcast, or just ignore this email: you join the team only if you accept.",
    ),
  ]);
}
