// The header Retry-After.
import assert from "node:assert/strict";
import { parseRetryAfter } from "../../functions/runtime/retry_after.ts";

Deno.test("parseRetryAfter reads seconds and dates", () => {
  const now = Date.UTC(2024, 0, 1);
  assert.equal(parseRetryAfter("120", now), 120);
  assert.equal(parseRetryAfter("Mon, 01 Jan 2024 00:01:30 GMT", now), 90);
  assert.equal(parseRetryAfter("Sun, 31 Dec 2023 00:00:00 GMT", now), 0);
  for (const invalid of [null, "", "soon", "-5"]) assert.ok(!parseRetryAfter(invalid, now), `${invalid}`);
});
