// The responses of a captcha verifier: verdicts, failures and bodies that no verifier should send.
import assert from "node:assert/strict";
import { requireCaptcha } from "../../../local/auth/captcha.ts";
import { type AuthError, errorResponse } from "../../../local/auth/errors.ts";
import type { Call, Service } from "../../../local/auth/service.ts";
import type { AuthSettings } from "../../../local/auth/settings.ts";
import { type Peer, startPeer } from "../../safe_fetch/peer.ts";
import { within } from "../../wait_for.ts";

/** The response to a call with a token whose verifier is at `verifyUrl`; undefined if the call may pass. */
async function rejection(verifyUrl: string, timeoutMs = 10_000): Promise<[number, unknown] | undefined> {
  const settings = { captcha: { verifyUrl, secret: "secret & more", timeoutMs } } as AuthSettings;
  const tokens = { claims: () => Promise.resolve({ role: "anon" }) };
  const service = { settings, tokens } as unknown as Service;
  const body = JSON.stringify({ gotrue_meta_security: { captcha_token: " token " } });
  const headers = { "x-supabase-api-version": "2024-01-01" };
  const request = new Request("http://127.0.0.1/auth/v1/signup", { headers });
  try {
    await requireCaptcha(service, { request, body, client: "203.0.113.7" } as Call);
  } catch (error) {
    const response = errorResponse(error as AuthError, request);
    return [response.status, await response.json()];
  }
}

const respondWith = (body: string, status = "200 OK") =>
  startPeer(`HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`);

async function rejectionBy(peer: Peer, timeoutMs?: number) {
  await using verifier = peer;
  return await within("the rejection", rejection(`${verifier.url}/siteverify`, timeoutMs), 5);
}

const failed = [500, { code: "unexpected_failure", message: "captcha verification process failed" }];
const disallowed = (why: string) => [
  400,
  { code: "captcha_failed", message: `captcha protection: request disallowed (${why})` },
];

Deno.test("the verifier receives secret, token and the client's address as a form", async () => {
  await using verifier = respondWith('{"success": true}');
  assert.equal(await rejection(`${verifier.url}/siteverify`), undefined);
  const [head, body] = verifier.requests[0].split("\r\n\r\n");
  assert.match(head, /^POST \S*\/siteverify HTTP\/1\.1\r\n/);
  assert.match(head, /content-type: application\/x-www-form-urlencoded/i);
  assert.deepEqual(Object.fromEntries(new URLSearchParams(body)), {
    secret: "secret & more",
    response: "token",
    remoteip: "203.0.113.7",
  });
});

Deno.test("a verdict without success is 400 captcha_failed with its error codes, with any HTTP status", async () => {
  const codes = '["invalid-input-secret", "bad-request"]';
  assert.deepEqual(
    await rejectionBy(respondWith(`{"success": false, "error-codes": ${codes}}`)),
    disallowed("invalid-input-secret, bad-request"),
  );
  for (const body of ['{"success": false}', '{"success": null, "error-codes": null}', "{}", "null"]) {
    assert.deepEqual(await rejectionBy(respondWith(body)), disallowed(""), body);
  }
  assert.deepEqual(await rejectionBy(respondWith('{"error-codes": ["no"]}', "400 Bad Request")), disallowed("no"));
  assert.equal(await rejectionBy(respondWith('{"success": true}', "500 Internal Server Error")), undefined);
});

Deno.test("a response that is not a verdict is 500", async () => {
  const bodies = ["", "<html>", "[]", "true", '"yes"', '{"success": "true"}', '{"success": true} {}']
    .concat('{"success": true, "error-codes": "none"}', '{"success": true, "error-codes": [1]}')
    .concat("[".repeat(100) + "]".repeat(100));
  for (const body of bodies) assert.deepEqual(await rejectionBy(respondWith(body)), failed, body);
});

Deno.test("a verifier that cannot be reached or hangs up is 500", async () => {
  assert.deepEqual(await rejection("http://127.0.0.1:1/siteverify"), failed);
  assert.deepEqual(await rejectionBy(startPeer("")), failed);
});

Deno.test("a verifier that does not complete its response in time is 500", async () => {
  for (const sent of ["", "HTTP/1.1 200 OK\r\n", 'HTTP/1.1 200 OK\r\ncontent-length: 17\r\n\r\n{"success":']) {
    const peer = startPeer(async ({ send, left }) => {
      await send(sent);
      await left();
    });
    assert.deepEqual(await rejectionBy(peer, 50), failed, sent);
  }
});

Deno.test("a response beyond 64 KB is 500, and the connection closes before its end", async () => {
  const padding = " ".repeat(64 * 1024);
  assert.deepEqual(await rejectionBy(respondWith(`{"success": true}${padding}`)), failed);
  const endless = startPeer(async ({ send, left }) => {
    await send("HTTP/1.1 200 OK\r\n\r\n");
    while (await send(padding).then(() => true, () => false)); // fails once the client has closed
    await left(); // no read or write outlives the test
  });
  assert.deepEqual(await rejectionBy(endless), failed);
});
