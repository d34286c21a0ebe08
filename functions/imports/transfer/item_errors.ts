/** Errors of importing an item. The podcast's admins read their messages. */
import type { ImportErrorCode } from "../../../types/error_codes.ts";
import { FetchError } from "../../safe_fetch/safe_fetch.ts";
import { ApiError } from "../../runtime/api_error.ts";
import { RetryAfterError } from "../../runtime/job_run.ts";
import { parseRetryAfter } from "../../runtime/retry_after.ts";
import { databaseRejection } from "../database_rejection.ts";

/** Retrying is pointless. */
export class PermanentItemError extends Error {
  constructor(readonly code: ImportErrorCode, message: string) {
    super(message);
  }
}

/** Another attempt may succeed. */
export class TransientError extends Error {}

/** The received data may be unusable; the next attempt starts from the beginning. */
export class CorruptTransferError extends TransientError {}

/** The file exceeds the size limit; the item is skipped. */
export class OversizeError extends Error {
  constructor(maxBytes: number) {
    super(`The file is larger than ${maxBytes.toLocaleString("en")} bytes`);
  }
}

/** Statuses besides 5xx that may succeed later. */
const RETRYABLE_STATUSES = new Set([408, 425, 429]);

/** The error for a source's status. */
export function errorForStatus(status: number, headers: Headers): Error {
  const message = `The server responded with status ${status}`;
  if (status < 500 && !RETRYABLE_STATUSES.has(status)) return new PermanentItemError("HTTP_ERROR", message);
  const seconds = parseRetryAfter(headers.get("retry-after"));
  return seconds === undefined ? new TransientError(message) : new RetryAfterError(message, seconds);
}

/**
 * Converts an error into one that the podcast's admins may read; internal details go to the log. PermanentItemError
 * and OversizeError end the item, all others are retried. `unknown` replaces the message of an internal error.
 */
export function toUserFacingError(error: unknown, unknown = "The episode could not be imported"): Error {
  if (error instanceof RetryAfterError || error instanceof TransientError) return error;
  if (error instanceof PermanentItemError || error instanceof OversizeError) return error;
  if (error instanceof FetchError) {
    const { code, message, status, headers } = error;
    if (code === "HTTP_ERROR") return errorForStatus(status!, headers!);
    return code === "INVALID_URL" || code === "BLOCKED_URL" || code === "TOO_LARGE"
      ? new PermanentItemError(code, message)
      : new TransientError(message);
  }
  const rejection = databaseRejection(error);
  if (rejection) return new PermanentItemError(rejection.code, rejection.reason);
  return new TransientError(error instanceof ApiError ? error.message : unknown);
}
