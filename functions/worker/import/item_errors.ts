/** How the import of an item comes to nothing, or to nothing yet. What is said here is read by the podcast's admins. */
import postgres from "postgres";
import { FetchError, type FetchErrorCode } from "../../safe_fetch/safe_fetch.ts";
import type { ItemErrorCode } from "../../app/error_codes.ts";
import { ApiError } from "../../app/errors.ts";
import { RetryAfterError } from "../job.ts";

/** No further attempt would do. */
export class PermanentItemError extends Error {
  constructor(readonly code: ItemErrorCode | FetchErrorCode, message: string) {
    super(message);
  }
}

/** Another attempt may do. */
export class TransientError extends Error {}

/** What has arrived of it may be of no use: another attempt begins anew. */
export class CorruptTransferError extends TransientError {}

/** The file is larger than any that is taken: the item is skipped. */
export class OversizeError extends Error {
  constructor(maxBytes: number) {
    super(`The file is larger than ${maxBytes.toLocaleString("en")} bytes`);
  }
}

/** A source that is busy, or broken, may be better later; one that says no does not change its mind. */
const RETRYABLE_STATUSES = new Set([408, 425, 429]);

/** What a source's refusal means. */
export function errorForStatus(status: number, headers: Headers): Error {
  const message = `The server responded with status ${status}`;
  if (status < 500 && !RETRYABLE_STATUSES.has(status)) return new PermanentItemError("HTTP_ERROR", message);
  const seconds = parseRetryAfter(headers.get("retry-after"));
  return seconds === undefined ? new TransientError(message) : new RetryAfterError(message, seconds);
}

/** Retry-After (RFC 9110, 10.2.3): seconds, or a date. */
export function parseRetryAfter(retryAfter: string | null, now = Date.now()): number | undefined {
  if (retryAfter === null) return;
  if (/^\d{1,9}$/.test(retryAfter.trim())) return Number(retryAfter);
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}

/**
 * What an error is called where the podcast's admins read it: nothing of ours, which is for the log. PermanentItemError
 * and OversizeError are the item's end; after everything else it is tried again.
 */
export function toUserFacingError(error: unknown): Error {
  if (error instanceof RetryAfterError || error instanceof TransientError) return error;
  if (error instanceof PermanentItemError || error instanceof OversizeError) return error;
  if (error instanceof FetchError) {
    const { code, message } = error;
    return code === "INVALID_URL" || code === "BLOCKED_URL"
      ? new PermanentItemError(code, message)
      : new TransientError(message);
  }
  if (error instanceof postgres.PostgresError && /^PT4/.test(error.code)) {
    // The hint is one of private.error_codes()
    return new PermanentItemError((error.hint as ItemErrorCode) || "REJECTED", error.message);
  }
  return new TransientError(error instanceof ApiError ? error.message : "The episode could not be imported");
}
