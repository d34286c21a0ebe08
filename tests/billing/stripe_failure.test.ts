// What an error of Stripe means for its idempotency key and for another try.
import assert from "node:assert/strict";
import type Stripe from "stripe";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";

await withEnvironment(UNREACHABLE_ENV, () => import("../../functions/runtime/env.ts"));
const { StripeFailure, toApiError } = await import("../../functions/billing/stripe.ts");

const failure = (statusCode?: number, headers: Record<string, string> = {}) =>
  new StripeFailure(
    {
      statusCode,
      code: "some_code",
      message: "Text",
      requestId: "req_1",
      headers,
    } as unknown as Stripe.errors.StripeError,
  );

Deno.test("an error of Stripe ends an idempotency key if Stripe saved it, and is a rejection below 500", () => {
  const outcomes = [400, 401, 402, 403, 404, 409, 424, 429, 500, 502, 503, 504, undefined].map((status) => {
    const { isAnswer, isRejection } = failure(status);
    return [status, isAnswer ? "ends the key" : "keeps the key", isRejection ? "rejected" : "temporary"].join(" ")
      .trim();
  });
  assert.deepEqual(outcomes, [
    "400 ends the key rejected",
    "401 keeps the key temporary",
    "402 ends the key rejected",
    "403 keeps the key temporary",
    "404 ends the key rejected",
    "409 keeps the key temporary",
    "424 ends the key rejected",
    "429 keeps the key temporary",
    "500 ends the key temporary",
    "502 keeps the key temporary",
    "503 keeps the key temporary",
    "504 keeps the key temporary",
    "keeps the key temporary",
  ]);
});

Deno.test("an error that Stripe replays ends the idempotency key, regardless of its status", () => {
  for (const status of [409, 500, 503]) {
    assert.equal(failure(status, { "idempotent-replayed": "true" }).isAnswer, true);
  }
});

Deno.test("a route returns 503 for an error that can pass, and 500 for a rejection and an invalid API key", () => {
  const statuses = [400, 401, 403, 404, 409, 429, 500, 502, 503, undefined].map((status) =>
    (toApiError(failure(status)) as { status: number }).status
  );
  assert.deepEqual(statuses, [500, 500, 500, 500, 503, 503, 503, 503, 503, 503]);
});
