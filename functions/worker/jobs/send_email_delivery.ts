/** email_deliveries: sends the email of a delivery. A second run is harmless. */
import { z } from "zod";
import { sendNotification } from "../../mail/send_notification.ts";
import type { Job } from "../job.ts";

const VISIBILITY_TIMEOUT_SECONDS = 120;

const schema = z.object({ delivery_id: z.guid() });

export const sendEmailDeliveryJob: Job<z.infer<typeof schema>> = {
  queue: "email_deliveries",
  schema,
  batchSize: 8,
  visibilityTimeoutSeconds: VISIBILITY_TIMEOUT_SECONDS,
  concurrency: 8,
  groupBy: ({ delivery_id }) => delivery_id,
  run: ([{ delivery_id }]) => sendNotification(delivery_id, VISIBILITY_TIMEOUT_SECONDS),
};
