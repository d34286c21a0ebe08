/** email_deliveries: sends the email of a delivery. A second run is harmless. */
import { z } from "zod";
import { sendNotification } from "../../mail/send_notification.ts";
import type { Job } from "../job.ts";

const schema = z.object({ delivery_id: z.guid() });

export const sendEmailDeliveryJob: Job<z.infer<typeof schema>> = {
  queue: "email_deliveries",
  schema,
  batchSize: 8,
  visibilityTimeoutSeconds: 120,
  concurrency: 8,
  groupBy: ({ delivery_id }) => delivery_id,
  run: ([{ delivery_id }], { visibilityTimeoutSeconds }) => sendNotification(delivery_id, visibilityTimeoutSeconds),
};
