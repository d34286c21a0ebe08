/**
 * guest_invitations: a guest is to get a mail with an access token. The token is made here and stays nowhere but in the
 * mail: the database keeps its digest. Each attempt makes another, in whose stead the failed one's opens nothing; the
 * token that the guest has opens until a mail went out.
 */
import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { serviceSql } from "../../database/db.ts";
import type { Job } from "../job.ts";
import { sendOrFail } from "../send_email.ts";
import { type GuestInvitation, renderGuestInvitation } from "../../mail/guest_invitation.ts";

const schema = z.object({ episode_guest_id: z.guid() });

interface Due extends GuestInvitation {
  /** Which of several requests for this guest it is. */
  requestedAt: string;
  guestUrl: string;
}

export const sendGuestInvitation: Job<z.infer<typeof schema>> = {
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
    if (!expires) return; // asked for anew just now, which has a message of its own
    await sendOrFail(renderGuestInvitation(due, `${due.guestUrl}#token=${token}`, expires));
    await serviceSql`select private.mark_guest_invitation_sent(decode(${digest}, 'hex'), ${due.requestedAt}::text::timestamptz)`;
  },
};
