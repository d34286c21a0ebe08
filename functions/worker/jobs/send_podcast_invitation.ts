/**
 * podcast_invitations: emails an invitation to a podcast's team. The invited email address is the key, so there is no
 * token.
 */
import { z } from "zod";
import { serviceSql } from "../../database/db.ts";
import { type PodcastInvitationEmail, renderPodcastInvitation } from "../../mail/podcast_invitation.ts";
import { sendEmail } from "../../mail/send_email.ts";
import { readTexts } from "../../mail/texts.ts";
import type { Job } from "../job.ts";

const schema = z.object({ invitation_id: z.guid() });

interface Due extends PodcastInvitationEmail {
  /** Identifies the request; a resend makes another. */
  requestedAt: string;
}

export const sendPodcastInvitationJob: Job<z.infer<typeof schema>> = {
  queue: "podcast_invitations",
  schema,
  batchSize: 4,
  visibilityTimeoutSeconds: 120,
  concurrency: 4,
  groupBy: ({ invitation_id }) => invitation_id,
  async run([{ invitation_id: id }]) {
    const [{ due }] = await serviceSql<{ due: Due | null }[]>`select private.podcast_invitation_email(${id}) as due`;
    if (!due) return; // sent, answered, withdrawn, expired, or the address gets no email
    const email = renderPodcastInvitation(due, await readTexts(due.language));
    await sendEmail(email, `podcast_invitation/${id}/${due.requestedAt}`);
    await serviceSql`select private.mark_podcast_invitation_sent(${id}, ${due.requestedAt}::text::timestamptz)`;
  },
};
