/** The worker's wake-up call, which the database sends. */
import { z } from "zod";

/** POST /worker */
export const WakeWorkerRequest = z.strictObject({
  queue: z.string().nullish().describe("The queue to drain; all of them when absent or unknown"),
}).default({});
