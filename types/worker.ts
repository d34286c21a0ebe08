/** The worker's wake-up call, which the database sends. */
import { z } from "zod";

/** POST /worker */
export const WakeWorkerRequest = z.strictObject({
  queue: z.string().nullish().describe("Queue to drain; all queues if absent or unknown"),
}).default({});
export const WakeWorkerResponse = z.strictObject({ success: z.literal(true) });
