// What the tests of guarded requests say again and again.
import assert from "node:assert/strict";
import {
  FetchError,
  type FetchErrorCode,
  safeFetch,
  type SafeFetchOptions,
} from "../../functions/safe_fetch/safe_fetch.ts";

/** Long enough for the slowest machine: tests of what takes too long give their own. */
const LIMITS = { timeoutMs: 60_000 };

export const fetchAs = (url: string, options: Partial<SafeFetchOptions>) =>
  safeFetch(url, { ...LIMITS, allowedHosts: [], ...options } as SafeFetchOptions);

/** The body of the answer, as text. */
export async function fetchText(url: string, options: Partial<SafeFetchOptions>): Promise<string> {
  const { body } = await fetchAs(url, options);
  return await new Response(body).text();
}

/** It fails with this code, and with a sentence for people: no address but those typed, nothing of the program. */
export async function assertFails(
  request: Promise<unknown>,
  code: FetchErrorCode,
  sentence?: RegExp,
): Promise<FetchError> {
  const error = await request.then(() => undefined, (error: unknown) => error);
  assert.ok(error instanceof FetchError, `expected ${code}, got ${error}`);
  assert.equal(error.code, code, error.message);
  assert.match(error.message, /^[A-Z][^\n]{10,150}$/);
  if (sentence) assert.match(error.message, sentence);
  return error;
}
