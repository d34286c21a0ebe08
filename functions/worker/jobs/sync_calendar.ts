/** calendar_sync: makes the event of a booking in a host's calendar agree with the booking. */
import { z } from "zod";
import { PermanentError, requireTime, RetryAfterError } from "../../runtime/job_run.ts";
import { CalendarError, LateCreationError } from "../../calendars/calendar_error.ts";
import { service } from "../../database/service.ts";
import { startHeartbeat } from "../heartbeat.ts";
import type { Job } from "../job.ts";

const schema = z.discriminatedUnion("type", [
  z.object({ type: z.literal(["booking.changed", "booking.deleted"]), booking_id: z.guid() }),
  z.object({
    type: z.literal(["attendee.added", "attendee.removed"]),
    podcast_id: z.guid(),
    episode_id: z.guid(),
  }),
]);

export const syncCalendarJob: Job<z.infer<typeof schema>> = {
  queue: "calendar_sync",
  schema,
  batchSize: 5, // a slow calendar delays the others of its batch
  visibilityTimeoutSeconds: 60,
  concurrency: 10,
  groupBy: (message) => "booking_id" in message ? message.booking_id : message.episode_id,
  async run([message], context) {
    if (!("booking_id" in message)) {
      const { podcast_id, episode_id } = message;
      await service("enqueue_calendar_syncs", { podcastIds: [podcast_id], episodeId: episode_id });
      return;
    }
    await using _heartbeat = startHeartbeat(context);
    const { syncEvent } = await import("../../calendars/events/sync_event.ts"); // most isolates write no event
    try {
      await syncEvent(message.booking_id, () => requireTime(context));
    } catch (error) {
      throw toJobError(error);
    }
  },
};

function toJobError(error: unknown): unknown {
  if (error instanceof LateCreationError) return new RetryAfterError(error.message, error.seconds);
  if (!(error instanceof CalendarError)) return error;
  const { kind, message, status, retryAfterSeconds } = error;
  if (retryAfterSeconds) return new RetryAfterError(message, retryAfterSeconds);
  // such as 400: the same request would be rejected again
  return kind === "malformed" && status !== undefined ? new PermanentError(message) : error;
}
