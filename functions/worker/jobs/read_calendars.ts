/**
 * calendar_reads: reads the busy times of a connection's calendars. A calendar that cannot be read does not fail the
 * job: the reason is stored for its owner, and the calendar is due again after its backoff.
 */
import { z } from "zod";
import { refreshConnectionBusy } from "../../calendars/busy/refresh_busy.ts";
import type { Job } from "../job.ts";

const schema = z.object({ connection_id: z.guid() });

export const readCalendarsJob: Job<z.infer<typeof schema>> = {
  queue: "calendar_reads",
  schema,
  batchSize: 10,
  visibilityTimeoutSeconds: 60,
  concurrency: 10,
  groupBy: ({ connection_id }) => connection_id,
  run: ([{ connection_id: connectionId }]) => refreshConnectionBusy(connectionId),
};
