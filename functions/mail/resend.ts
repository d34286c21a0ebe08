/** Sends email through Resend's HTTP API: https://resend.com/docs/api-reference/emails/send-email */
import { Buffer } from "node:buffer";
import { setTimeout as delay } from "node:timers/promises";
import { env } from "../runtime/env.ts";
import { excerpt } from "../runtime/api_error.ts";
import { PermanentError, RetryAfterError } from "../runtime/job_run.ts";
import { parseRetryAfter } from "../runtime/retry_after.ts";
import { readAll } from "../safe_fetch/read_all.ts";
import type { Email } from "./email.ts";
import { hideAddresses } from "./hide_addresses.ts";
import { addressOf } from "./topic_headers.ts";

const TIMEOUT_MS = 15_000;
/** Resend allows a few requests a second. Waiting that long does not use up an attempt of the message. */
const MAX_WAIT_SECONDS = 2, MAX_TRIES = 5;
const MAX_RESPONSE_BYTES = 16_384;

interface ResendResponse {
  id?: unknown;
  /** Of an error. */
  name?: unknown;
  message?: unknown;
}

/** Resend keeps an idempotency key for 24 hours after it accepted the email, and then returns the same id again. */
export async function sendByResend(
  email: Email,
  from: string,
  idempotencyKey: string,
  timeoutMs = TIMEOUT_MS,
): Promise<string | null> {
  for (let tries = 1;; tries++) {
    try {
      return await post(email, from, idempotencyKey, timeoutMs);
    } catch (error) {
      const isShort = error instanceof RetryAfterError && error.seconds <= MAX_WAIT_SECONDS;
      if (!isShort || tries === MAX_TRIES) throw error;
      await delay(1000 * (error.seconds + Math.random() / 2)); // other emails wait too, and must not return together
    }
  }
}

async function post(email: Email, from: string, idempotencyKey: string, timeoutMs: number): Promise<string | null> {
  const { response, body } = await request("/emails", timeoutMs, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": idempotencyKey },
    body: JSON.stringify(toRequest(email, from)),
  });
  if (response.ok) {
    if (typeof body.id === "string" && body.id) return body.id;
    throw new Error("Resend accepted the email without an id"); // the next attempt returns it
  }
  // Accepted earlier with another body, such as another version of the layout
  if (response.status === 409 && body.name === "invalid_idempotent_request") return null;
  throw toSendError(response, body);
}

/** Uses the API key without sending. A key that may only send cannot list domains, and says so. */
export async function checkResend(): Promise<void> {
  const { response, body } = await request("/domains", TIMEOUT_MS);
  if (!response.ok && body.name !== "restricted_api_key") throw toSendError(response, body);
}

async function request(path: string, timeoutMs: number, init: { headers?: Record<string, string> } & RequestInit = {}) {
  const response = await fetch(new URL(path, env.RESEND_API_URL), {
    ...init,
    headers: {
      "authorization": `Bearer ${env.RESEND_API_KEY}`,
      "user-agent": "Castbase", // required
      ...init.headers,
    },
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(({ name }) => {
    throw new Error(`Resend did not respond (${name === "TimeoutError" ? "timeout" : "connection failed"})`);
  });
  return { response, body: await readResponse(response) };
}

/** Keeps only characters that need no quotes, because the API parses addresses. */
const withName = (name: string, address: string) =>
  `${name.replace(/[^\p{L}\p{M}\p{N}'’_-]+/gu, " ").trim()} <${address}>`.replace(/^ <(.*)>$/, "$1");

function toRequest({ to, subject, text, html, replyTo, fromName, headers, attachments }: Email, from: string) {
  return {
    from: fromName ? withName(fromName, addressOf(from)) : from,
    to: [withName(to.name, to.address)],
    subject,
    text,
    html,
    reply_to: replyTo,
    headers,
    attachments: attachments?.map(({ filename, contentType, content }) => ({
      filename,
      content: Buffer.from(content).toString("base64"),
      content_type: contentType,
    })),
  };
}

async function readResponse({ headers, body }: Response): Promise<ResendResponse> {
  try {
    const value: unknown = JSON.parse(
      new TextDecoder().decode(await readAll({ headers, body: body! }, MAX_RESPONSE_BYTES)),
    );
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Of the content or the recipient. Those of API key, sender and quota can be fixed by the operator. */
const REJECTED_STATUSES = [400, 413, 422];

function toSendError({ status, headers }: Response, { name, message }: ResendResponse): Error {
  const code = typeof name === "string" && /^[a-z_]{1,60}$/.test(name) ? ` ${name}` : "";
  if (REJECTED_STATUSES.includes(status) && name !== "invalid_from_address") {
    return new PermanentError(`Resend rejected the email: ${status}${code}`); // its message may quote the email
  }
  const text = typeof message === "string" && status < 500 ? `: ${excerpt(hideAddresses(message), 200)}` : "";
  const reason = `Resend responded ${status}${code}${text}`;
  const seconds = parseRetryAfter(headers.get("retry-after"));
  return seconds === undefined ? new Error(reason) : new RetryAfterError(reason, seconds);
}
