/** The error that any room throws for a response; functions/app/errors.ts turns it into one. */
import type { ErrorCode } from "../../types/error_codes.ts";

interface Extras {
  code?: ErrorCode;
  details?: string;
  /** Further members of the body, such as `importId`. */
  extra?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** For the log only. */
  cause?: unknown;
}

/** An error response thrown by TypeScript: `throw new ApiError(400, 'Invalid content type')`. */
export class ApiError extends Error {
  constructor(readonly status: number, message: string, readonly extras: Extras = {}) {
    super(message, { cause: extras.cause });
  }
}

/** Cache-Control of what no cache may keep. Fastly ignores no-store, and without private keeps a 404 for minutes. */
export const UNCACHEABLE = "private, no-store";

/** Shortens a text of the client's for an error's details. */
export const excerpt = (text: string, max = 500) => text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text;
