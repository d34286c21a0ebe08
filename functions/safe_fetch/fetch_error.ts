/** Why a request to an address that somebody typed came to nothing. */

/**
 * - `INVALID_URL`: no http or https URL, or one with a user name or password in it.
 * - `BLOCKED_URL`: it leads to a port, a name or a network that this product does not call.
 * - `FETCH_FAILED`: not found, not reached, no secure connection, not HTTP, too many redirects, or it ended early.
 * - `HTTP_ERROR`: it answered, with a status that is not a success (`requireOk`).
 * - `TOO_LARGE`: its body is over the ceiling (`collect`).
 * - `TIMEOUT`: it took too long, or stopped sending.
 */
export type FetchErrorCode =
  | "INVALID_URL"
  | "BLOCKED_URL"
  | "FETCH_FAILED"
  | "HTTP_ERROR"
  | "TOO_LARGE"
  | "TIMEOUT";

/**
 * The one error of a guarded request. Its sentence may be shown to whoever typed the address: it names neither an
 * address that a name resolved to nor anything of ours. `cause` may, and is for the log.
 */
export class FetchError extends Error {
  override readonly name = "FetchFailure";
  /** The status that was answered, with `HTTP_ERROR`. */
  readonly status?: number;

  constructor(readonly code: FetchErrorCode, sentence: string, about: { cause?: unknown; status?: number } = {}) {
    super(sentence, { cause: about.cause });
    this.status = about.status;
  }
}
