// Assertions of the safeFetch tests.
import assert from "node:assert/strict";
import {
  FetchError,
  type FetchErrorCode,
  safeFetch,
  type SafeFetchOptions,
} from "../../functions/safe_fetch/safe_fetch.ts";

/** Enough for slow machines; tests of time limits set their own. */
const LIMITS = { timeoutMs: 60_000, userAgent: "Test/1.0" };

export const fetchAs = (url: string, options: Partial<SafeFetchOptions>) =>
  safeFetch(url, { ...LIMITS, allowedHosts: [], ...options } as SafeFetchOptions);

/** The body of the response, as text. */
export async function fetchText(url: string, options: Partial<SafeFetchOptions>): Promise<string> {
  const { body } = await fetchAs(url, options);
  return await new Response(body).text();
}

/** Asserts a FetchError with this code and a message without internals. */
export async function assertFails(
  request: Promise<unknown>,
  code: FetchErrorCode,
  message?: RegExp,
): Promise<FetchError> {
  const error = await request.then(() => undefined, (error: unknown) => error);
  assert.ok(error instanceof FetchError, `expected ${code}, got ${error}`);
  assert.equal(error.code, code, error.message);
  assert.match(error.message, /^[A-Z][^\n]{10,150}$/);
  if (message) assert.match(error.message, message);
  return error;
}
