/** podcast_invitations: emails an invitation to a podcast's team. The invited address is the key, so there is no token. */
import { z } from "zod";
import { serviceSql } from "../../database/db.ts";
import type { Job } from "../job.ts";
import { deliver } from "../send_email.ts";
import { type PodcastInvitation, renderPodcastInvitation } from "../../mail/podcast_invitation.ts";

const payload = z.object({ invitation_id: z.guid() });

interface Due extends PodcastInvitation {
  /** Identifies the request; a resend makes another. */
  requestedAt: string;
}

export const sendPodcastInvitation: Job<z.infer<typeof payload>> = {
  queue: "podcast_invitations",
  payload,
  batch: 4,
  lease: 120,
  concurrency: 4,
  subject: ({ invitation_id }) => invitation_id,
  async run([{ invitation_id: id }]) {
    const [{ due }] = await serviceSql<{ due: Due | null }[]>`select private.podcast_invitation_email(${id}) as due`;
    if (!due) return; // sent, answered, withdrawn or expired
    await deliver(renderPodcastInvitation(due));
    await serviceSql`select private.mark_podcast_invitation_sent(${id}, ${due.requestedAt}::text::timestamptz)`;
  },
};
