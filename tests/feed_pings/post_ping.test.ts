// One ping of a receiver: what each response, or none, means.
import assert from "node:assert/strict";
import { PermanentError, RetryAfterError } from "../../functions/runtime/job_run.ts";
import { NoResponseError, postPing } from "../../functions/feed_pings/post_ping.ts";
import { startPeer } from "../safe_fetch/peer.ts";

const head = (status: number, ...lines: string[]) => `HTTP/1.1 ${[`${status} Status`, ...lines, "", ""].join("\r\n")}`;

/** Sends a ping to a receiver that responds so. */
async function ping(response: string, allowedHosts?: string[]) {
  await using peer = startPeer(response);
  const message = { url: `${peer.url}private-path?key=private-key`, headers: { authorization: "private" }, body: "a" };
  await postPing("The hub", message, { allowedHosts: allowedHosts ?? [peer.host], userAgent: "Test/1.0" });
}

/** The error of a ping, which ends in a dead letter with its message and cause. */
async function errorOf(...args: Parameters<typeof ping>): Promise<Error> {
  const error = await ping(...args).then(() => undefined, (error) => error);
  assert.ok(error instanceof Error && error.cause === undefined, String(error));
  assert.doesNotMatch(error.message, /private-|127\.0\.0\.1/);
  return error;
}

Deno.test("postPing accepts each 2xx response", async () => {
  for (const status of [200, 201, 202, 204, 299]) await ping(head(status, "Content-Length: 0"));
});

Deno.test("a response other than 2xx makes a ping wait, as long as Retry-After says", async () => {
  for (
    const [status, lines, seconds] of [
      [301, ["Location: https://hub.example/"], 0],
      [400, [], 0],
      [401, [], 0],
      [404, [], 0],
      [429, ["Retry-After: 120"], 120],
      [429, ["Retry-After: soon"], 0],
      [500, [], 0],
      [503, ["Retry-After: Thu, 01 Jan 1970 00:00:00 GMT"], 0],
    ] as const
  ) {
    const error = await errorOf(head(status, "Content-Length: 0", ...lines));
    assert.ok(error instanceof RetryAfterError && !(error instanceof NoResponseError));
    assert.deepEqual([error.message, error.seconds], [`The hub responded with status ${status}`, seconds]);
  }
});

Deno.test("a ping without a response waits with a NoResponseError that names the receiver", async () => {
  const error = await errorOf("");
  assert.ok(error instanceof NoResponseError);
  assert.match(error.message, /^The hub: The (?:server|connection) /);
  assert.equal(error.seconds, 0);
});

Deno.test("a URL that may not be requested ends a ping permanently", async () => {
  const error = await errorOf(head(204), []);
  assert.ok(error instanceof PermanentError);
  assert.equal(error.message, "The hub: The URL does not point to the public internet");
});
