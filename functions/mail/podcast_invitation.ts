/** The email that invites someone to a podcast's team. */
import type { Email } from "./email.ts";
import { button, note, paragraph, renderEmail } from "./layout.ts";
import type { Texts } from "./texts.ts";

export interface PodcastInvitationEmail {
  to: string;
  language: string;
  podcastTitle: string;
  /** Null when the inviter has no name. */
  inviterName: string | null;
  role: "member" | "admin";
  /** ISO 8601. */
  expiresAt: string;
  /** Where the invited person answers, after signing in or up. */
  url: string;
}

export function renderPodcastInvitation(invitation: PodcastInvitationEmail, texts: Texts): Email {
  const { to, language, podcastTitle: podcast, inviterName, role, expiresAt, url } = invitation;
  const date = new Date(expiresAt).toLocaleDateString(language, { dateStyle: "long", timeZone: "UTC" });
  const body = texts("podcast_invitation.body", { inviter: inviterName ?? texts("name.member"), podcast });
  return {
    to: { name: "", address: to },
    ...renderEmail({
      language,
      subject: texts("podcast_invitation.subject", { podcast }),
      preheader: body,
      blocks: [
        paragraph(texts("email.greeting_unnamed")),
        paragraph(body),
        paragraph(texts(`podcast_invitation.role_${role}`)),
        paragraph(texts("podcast_invitation.how", { email: to, date })),
        button(texts("podcast_invitation.action"), url),
        note(texts("podcast_invitation.note")),
      ],
    }),
  };
}
