/**
 * calendar_reads: reads the busy times of a connection's calendars. A calendar that cannot be read does not fail the
 * job: the reason is stored for its owner, and the calendar is due again after its backoff.
 */
import { z } from "zod";
import { refreshConnectionBusy } from "../../calendars/busy/refresh_busy.ts";
import type { Job } from "../job.ts";

const schema = z.object({ connection_id: z.guid(), user_id: z.guid() });

export const readCalendarsJob: Job<z.infer<typeof schema>> = {
  queue: "calendar_reads",
  schema,
  batchSize: 1, // a slow calendar delays no other message
  visibilityTimeoutSeconds: 60, // a reading takes at most 30 s
  concurrency: 20, // they mostly wait; a user has at most three in process
  run: ([{ connection_id: connectionId }]) => refreshConnectionBusy(connectionId),
};
