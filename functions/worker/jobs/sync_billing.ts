/** billing_sync: makes Stripe's subscription of an account agree with the desired state. */
import { z } from "zod";
import { PermanentError, requireTime, RetryAfterError } from "../../runtime/job_run.ts";
import { StripeFailure } from "../../billing/stripe.ts";
import { syncSubscription } from "../../billing/sync_subscription.ts";
import { startHeartbeat } from "../heartbeat.ts";
import type { Job } from "../job.ts";

const schema = z.object({ subscription_id: z.guid() });

export const syncBillingJob: Job<z.infer<typeof schema>> = {
  queue: "billing_sync",
  schema,
  batchSize: 10,
  visibilityTimeoutSeconds: 60,
  concurrency: 4,
  groupBy: ({ subscription_id }) => subscription_id,
  async run([{ subscription_id: id }], context) {
    await using _heartbeat = startHeartbeat(context);
    try {
      await syncSubscription(id, { requireTime: () => requireTime(context) });
    } catch (error) {
      throw error instanceof StripeFailure ? toJobError(error) : error;
    }
  },
};

function toJobError(failure: StripeFailure): Error {
  if (failure.isRejection) return new PermanentError(failure.message);
  if (failure.retryAfterSeconds) return new RetryAfterError(failure.message, failure.retryAfterSeconds);
  return failure;
}
