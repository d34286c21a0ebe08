/** Errors of importing a feed, its items and their files. The podcast's admins read their messages. */
import type { ImportErrorCode } from "../../types/error_codes.ts";
import { FeedError } from "../feed_reader/parse.ts";
import { FetchError } from "../safe_fetch/safe_fetch.ts";
import { ApiError } from "../runtime/api_error.ts";
import { RetryAfterError } from "../runtime/job_run.ts";
import { parseRetryAfter } from "../runtime/retry_after.ts";
import { databaseRejection } from "./database_rejection.ts";

/** Retrying is pointless. */
export class PermanentImportError extends Error {
  constructor(readonly code: ImportErrorCode, message: string) {
    super(message);
  }
}

/** Another attempt may succeed. */
export class TransientError extends Error {}

/** Retrying soon is pointless, but a server may accept the request later: the second attempt is the last. */
export class LastingError extends RetryAfterError {
  constructor(readonly code: ImportErrorCode, message: string, seconds = LASTING_DELAY_SECONDS) {
    super(message, seconds);
  }
}

/** Long enough for a server that takes the import for an attack to forget it. */
const LASTING_DELAY_SECONDS = 300;

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
export function errorForStatus(
  status: number,
  headers: Headers,
  message = `The server responded with status ${status}`,
): Error {
  const seconds = parseRetryAfter(headers.get("retry-after"));
  if (status === 403) return new LastingError("HTTP_ERROR", message, seconds);
  if (status < 500 && !RETRYABLE_STATUSES.has(status)) return new PermanentImportError("HTTP_ERROR", message);
  return seconds === undefined ? new TransientError(message) : new RetryAfterError(message, seconds);
}

/**
 * Converts an error of this attempt into one that the podcast's admins may read; internal details go to the log.
 * PermanentImportError and OversizeError end the item, all others are retried. `unknown` replaces the message of an
 * internal error.
 */
export function toUserFacingError(
  error: unknown,
  attempt: number,
  unknown = "The episode could not be imported",
): Error {
  const shown = toShownError(error, unknown);
  return shown instanceof LastingError && attempt > 1 ? new PermanentImportError(shown.code, shown.message) : shown;
}

function toShownError(error: unknown, unknown: string): Error {
  if (error instanceof RetryAfterError || error instanceof TransientError) return error;
  if (error instanceof PermanentImportError || error instanceof OversizeError) return error;
  if (error instanceof FetchError) {
    const { code, message, status, headers, isLasting } = error;
    if (code === "HTTP_ERROR") return errorForStatus(status!, headers!, message);
    if (isLasting) return new LastingError(code, message);
    return code === "FETCH_FAILED" || code === "TIMEOUT"
      ? new TransientError(message)
      : new PermanentImportError(code, message);
  }
  if (error instanceof FeedError) return new PermanentImportError(error.code, error.message);
  const rejection = databaseRejection(error);
  if (rejection) return new PermanentImportError(rejection.code, rejection.reason);
  return new TransientError(error instanceof ApiError ? error.message : unknown);
}
