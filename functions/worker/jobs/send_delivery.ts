/** deliveries: sends a notification by the channel of its delivery. */
import { z } from "zod";
import { serviceSql } from "../../database/db.ts";
import { sendNotification } from "../../mail/send_notification.ts";
import { sendPush } from "../../push/send_push.ts";
import type { Job } from "../job.ts";

const schema = z.object({ delivery_id: z.guid() });

/** How each channel sends a delivery. A second run is harmless. */
const senders: Record<string, (deliveryId: string) => Promise<void>> = {
  email: sendNotification,
  push: sendPush,
};

export const sendDeliveryJob: Job<z.infer<typeof schema>> = {
  queue: "deliveries",
  schema,
  batchSize: 8,
  visibilityTimeoutSeconds: 120,
  concurrency: 8,
  groupBy: ({ delivery_id }) => delivery_id,
  async run([{ delivery_id: id }]) {
    const [delivery] = await serviceSql<{ channel: string }[]>`
      select d.channel from public.notification_deliveries d where d.id = ${id}`;
    if (delivery) await senders[delivery.channel](id); // deleted with its recipient or its podcast
  },
};
