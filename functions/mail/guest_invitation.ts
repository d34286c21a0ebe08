/** The email that invites a guest to an episode. */
import type { Email } from "./email.ts";
import { button, note, paragraph, quote, renderEmail } from "./layout.ts";
import type { Texts } from "./texts.ts";

export interface GuestInvitationEmail {
  to: Email["to"];
  language: string;
  podcastTitle: string;
  episodeTitle: string;
  /** Null when the inviter has no name, or no longer has an account. */
  invitedBy: string | null;
  /** The inviter's personal message. */
  message: string | null;
}

/** `link` opens the invitation until `expiresAt`. */
export function renderGuestInvitation(
  invitation: GuestInvitationEmail,
  texts: Texts,
  link: string,
  expiresAt: Date,
): Email {
  const { to, language, podcastTitle: podcast, episodeTitle: episode, invitedBy, message } = invitation;
  const inviter = invitedBy ?? texts("name.member");
  const date = expiresAt.toLocaleDateString(language, { dateStyle: "long", timeZone: "UTC" });
  const body = texts("guest_invitation.body", { inviter, episode, podcast });
  return {
    to,
    ...renderEmail({
      language,
      subject: texts("guest_invitation.subject", { episode, podcast }),
      preheader: body,
      blocks: [
        paragraph(texts("email.greeting", { name: to.name })),
        paragraph(body),
        ...message ? [quote(message)] : [],
        button(texts("guest_invitation.action"), link, texts("guest_invitation.open_link")),
        note(texts("guest_invitation.note", { date })),
      ],
    }),
  };
}
