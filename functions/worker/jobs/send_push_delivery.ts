/** push_deliveries: sends the push of a delivery to the browsers of its user. A second run is harmless. */
import { z } from "zod";
import { sendPush } from "../../push/send_push.ts";
import type { Job } from "../job.ts";

const schema = z.object({ delivery_id: z.guid() });

export const sendPushDeliveryJob: Job<z.infer<typeof schema>> = {
  queue: "push_deliveries",
  schema,
  batchSize: 1, // while a push service does not respond, no other push waits for the end of a batch
  visibilityTimeoutSeconds: 120,
  concurrency: 16,
  run: ([{ delivery_id }]) => sendPush(delivery_id),
};
