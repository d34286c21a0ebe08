/** Seconds of a Retry-After header (RFC 9110, 10.2.3), which is a number of seconds or a date. */
export function parseRetryAfter(retryAfter: string | null, now = Date.now()): number | undefined {
  if (retryAfter === null) return;
  if (/^\d{1,9}$/.test(retryAfter.trim())) return Number(retryAfter);
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}

/** Retry-After of an error response: whole seconds until this time, at least one, also if the time is unknown. */
export function retryAfterUntil(resetAt: unknown, now = Date.now()): string {
  return String(Math.max(1, Math.ceil((Date.parse(String(resetAt)) - now) / 1000) || 1));
}
