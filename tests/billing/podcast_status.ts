// Writes the status of a podcast, as the lifecycle functions do.
import type postgres from "postgres";
import type { PodcastStatus } from "./billing_model.ts";

export async function setPodcastStatus(sql: postgres.Sql, podcastId: string, status: PodcastStatus) {
  await sql`update public.podcasts set status = ${status},
    paused_at = case ${status} when 'paused' then now() end,
    pause_expires_at = case ${status} when 'paused' then now() + interval '90 days' end,
    deletion_requested_at = case ${status} when 'pending_deletion' then now() end,
    deletion_scheduled_at = case ${status} when 'pending_deletion' then now() + interval '9 days' end
    where id = ${podcastId}`;
}
