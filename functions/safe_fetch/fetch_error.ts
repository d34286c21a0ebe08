/** Errors of requests to URLs that users give. */

/**
 * - `INVALID_URL`: not an http or https URL, or one with credentials.
 * - `BLOCKED_URL`: a port, host or network that is not allowed.
 * - `FETCH_FAILED`: host not found, no connection, no TLS, not HTTP, or an incomplete response.
 * - `HTTP_ERROR`: a response with another status than 2xx (`requireOk`).
 * - `TOO_LARGE`: a body over the limit (`readAll`).
 * - `TOO_MANY_REDIRECTS`: more redirects than a browser follows, or a loop.
 * - `TIMEOUT`: the server was too slow, or stopped sending.
 */
export type FetchErrorCode =
  | "INVALID_URL"
  | "BLOCKED_URL"
  | "FETCH_FAILED"
  | "HTTP_ERROR"
  | "TOO_LARGE"
  | "TOO_MANY_REDIRECTS"
  | "TIMEOUT";

/**
 * The error of safeFetch. Its message may be shown to the user who gave the URL: it names no resolved IP address and
 * nothing internal. `cause` may, and is for the log.
 */
export class FetchError extends Error {
  override readonly name = "FetchFailure";
  /** The response's status and headers, with `HTTP_ERROR`. */
  readonly status?: number;
  readonly headers?: Headers;
  /** The server is set up so: another attempt soon fails alike. */
  readonly isLasting: boolean;

  constructor(
    readonly code: FetchErrorCode,
    message: string,
    about: { cause?: unknown; status?: number; headers?: Headers; isLasting?: boolean } = {},
  ) {
    super(message, { cause: about.cause });
    this.isLasting = about.isLasting ?? false;
    this.status = about.status;
    this.headers = about.headers;
  }
}
