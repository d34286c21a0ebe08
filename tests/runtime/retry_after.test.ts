// The header Retry-After.
import assert from "node:assert/strict";
import { parseRetryAfter, retryAfterUntil } from "../../functions/runtime/retry_after.ts";

Deno.test("parseRetryAfter reads seconds and dates", () => {
  const now = Date.UTC(2024, 0, 1);
  assert.equal(parseRetryAfter("120", now), 120);
  assert.equal(parseRetryAfter("Mon, 01 Jan 2024 00:01:30 GMT", now), 90);
  assert.equal(parseRetryAfter("Sun, 31 Dec 2023 00:00:00 GMT", now), 0);
  for (const invalid of [null, "", "soon", "-5"]) assert.ok(!parseRetryAfter(invalid, now), `${invalid}`);
});

Deno.test("retryAfterUntil rounds up to whole seconds, at least one", () => {
  const now = Date.UTC(2024, 0, 1);
  const times = ["00:00:30.000Z", "00:00:30.001Z", "00:00:00.000Z", "00:00:00.001Z"];
  assert.deepEqual(times.map((time) => retryAfterUntil(`2024-01-01T${time}`, now)), ["30", "31", "1", "1"]);
  assert.equal(retryAfterUntil("2023-12-31T23:59:59.000Z", now), "1");
  assert.equal(retryAfterUntil(undefined, now), "1", "an unknown time");
});
