/**
 * guest_invitations: emails a guest an access token. The token exists only in the email; the database stores its
 * digest. The attempts of one request have the same token; the guest's previous token is valid until an email was sent.
 */
import { z } from "zod";
import { serviceSql } from "../../database/db.ts";
import { deriveToken, digestOf } from "../../mail/email_tokens.ts";
import { type GuestInvitationEmail, renderGuestInvitation } from "../../mail/guest_invitation.ts";
import { sendEmail } from "../../mail/send_email.ts";
import { readTexts } from "../../mail/texts.ts";
import type { Job } from "../job.ts";

const schema = z.object({ episode_guest_id: z.guid() });

interface Due extends GuestInvitationEmail {
  /** Identifies the request among several for this guest. */
  requestedAt: string;
  guestUrl: string;
}

export const sendGuestInvitationJob: Job<z.infer<typeof schema>> = {
  queue: "guest_invitations",
  schema,
  batchSize: 4,
  visibilityTimeoutSeconds: 120,
  concurrency: 4,
  groupBy: ({ episode_guest_id }) => episode_guest_id,
  async run([{ episode_guest_id: id }]) {
    const [{ due }] = await serviceSql<{ due: Due | null }[]>`select private.guest_invitation_email(${id}) as due`;
    if (!due) return;
    const request = `${id}/${due.requestedAt}`, token = deriveToken("guest_invitation", request);
    const digest = digestOf(token);
    const [{ expires }] = await serviceSql<{ expires: Date | null }[]>`
      select private.issue_guest_token(${id}, ${due.requestedAt}::text::timestamptz, decode(${digest}, 'hex')) as expires`;
    if (!expires) return; // a newer request has its own message
    const email = renderGuestInvitation(due, await readTexts(due.language), `${due.guestUrl}#token=${token}`, expires);
    await sendEmail(email, `guest_invitation/${request}`);
    await serviceSql`select private.mark_guest_invitation_sent(decode(${digest}, 'hex'), ${due.requestedAt}::text::timestamptz)`;
  },
};
