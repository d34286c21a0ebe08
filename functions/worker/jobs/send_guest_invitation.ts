/**
 * guest_invitations: emails a guest an access token. The token exists only in the email; the database stores its
 * digest. Each attempt makes a new token, which replaces that of the failed attempt; the guest's previous token is
 * valid until an email was sent.
 */
import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { serviceSql } from "../../database/db.ts";
import type { Job } from "../job.ts";
import { sendOrFail } from "../send_email.ts";
import { type GuestInvitationEmail, renderGuestInvitation } from "../../mail/guest_invitation.ts";

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
    const token = randomBytes(32).toString("base64url");
    const digest = createHash("sha256").update(token).digest("hex");
    const [{ expires }] = await serviceSql<{ expires: Date | null }[]>`
      select private.issue_guest_token(${id}, ${due.requestedAt}::text::timestamptz, decode(${digest}, 'hex')) as expires`;
    if (!expires) return; // a newer request has its own message
    await sendOrFail(renderGuestInvitation(due, `${due.guestUrl}#token=${token}`, expires));
    await serviceSql`select private.mark_guest_invitation_sent(decode(${digest}, 'hex'), ${due.requestedAt}::text::timestamptz)`;
  },
};
