/** Errors of reading and writing connected calendars. */

/**
 * - `revoked`: the account no longer grants access; only its user can help.
 * - `forbidden`: access to this calendar, or this kind of access, is not granted.
 * - `not_found`: the calendar, the event or the connection does not exist.
 * - `rate_limited`: too many requests; `retryAfterSeconds` if the provider says when.
 * - `unavailable`: no response in time, or an error of the server.
 * - `malformed`: a response that is not what the provider documents.
 */
export type CalendarErrorKind = "revoked" | "forbidden" | "not_found" | "rate_limited" | "unavailable" | "malformed";

interface Details {
  /** Of a response. */
  status?: number;
  retryAfterSeconds?: number;
  /** For the log only. */
  cause?: unknown;
}

/** The message may be shown to the calendar's owner: it names neither tokens nor secret URLs. */
export class CalendarError extends Error {
  override readonly name = "CalendarError";
  readonly status?: number;
  readonly retryAfterSeconds?: number;

  constructor(readonly kind: CalendarErrorKind, message: string, { status, retryAfterSeconds, cause }: Details = {}) {
    super(message, { cause });
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Computing a calendar costs more than its reading may: not the calendar's fault, if little was allowed. */
export class CalendarCostError extends CalendarError {
  constructor() {
    super("malformed", "The calendar has too many events, or events that repeat too many times");
  }
}

/** Other calendars took the computing time of the user, or the memory of the process: not the calendar's fault. */
export class SharedCostError extends CalendarError {
  constructor() {
    super("unavailable", "Too many calendars are being read");
  }
}

/** The provider rejected an access token with 401. withAccessToken (accounts/access_token.ts) handles it. */
export class TokenRejectedError extends Error {
  override readonly name = "TokenRejectedError";
}

/** A creation had no clear response and may still arrive: the lease stays, so that no other attempt precedes it. */
export class LateCreationError extends Error {
  /** It arrives within this time, or not at all. It is that of the lease. */
  readonly seconds = 60;
}
