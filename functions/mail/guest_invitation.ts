/** The email that invites a guest to an episode. */
import { button, note, paragraph, quote, renderEmail } from "./layout.ts";
import type { Email } from "./smtp.ts";

export interface GuestInvitationEmail {
  to: Email["to"];
  podcastTitle: string;
  episodeTitle: string;
  /** Null when the inviter has no name, or no longer has an account. */
  invitedBy: string | null;
  /** The inviter's personal message. */
  message: string | null;
}

/** `link` opens the invitation until `expiresAt`. */
export function renderGuestInvitation(invitation: GuestInvitationEmail, link: string, expiresAt: Date): Email {
  const { to, podcastTitle, episodeTitle, invitedBy, message } = invitation;
  const day = expiresAt.toLocaleDateString("en", { dateStyle: "long", timeZone: "UTC" });
  return renderEmail(to, `Guest invitation: ${episodeTitle} · ${podcastTitle}`, [
    paragraph(`Hello ${to.name},`),
    paragraph(
      `${invitedBy ?? "The team"} has invited you to be a guest on “${episodeTitle}”, an episode of ${podcastTitle}.`,
    ),
    ...message ? [quote(message)] : [],
    button("View invitation", link, "View the invitation to accept or decline, and to message the team:"),
    note(
      `This link is personal and valid until ${day}. Anyone who has it can respond on your behalf, so please don't share it.`,
    ),
  ]);
}
