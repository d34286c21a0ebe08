// What the tests of guarded requests say again and again.
import assert from "node:assert/strict";
import {
  FetchFailure,
  type FetchFailureCode,
  guardedFetch,
  type GuardedOptions,
} from "../../functions/safe_fetch/safe_fetch.ts";

/** Long enough for the slowest machine: tests of what takes too long give their own. */
const LIMITS = { timeoutMs: 60_000 };

export const ask = (url: string, options: Partial<GuardedOptions>) =>
  guardedFetch(url, { ...LIMITS, allowedHosts: [], ...options } as GuardedOptions);

/** The body of the answer, as text. */
export async function textOf(url: string, options: Partial<GuardedOptions>): Promise<string> {
  const { body } = await ask(url, options);
  return await new Response(body).text();
}

/** It fails with this code, and with a sentence for people: no address but those typed, nothing of the program. */
export async function fails(
  request: Promise<unknown>,
  code: FetchFailureCode,
  sentence?: RegExp,
): Promise<FetchFailure> {
  const error = await request.then(() => undefined, (error: unknown) => error);
  assert.ok(error instanceof FetchFailure, `expected ${code}, got ${error}`);
  assert.equal(error.code, code, error.message);
  assert.match(error.message, /^[A-Z][^\n]{10,150}$/);
  if (sentence) assert.match(error.message, sentence);
  return error;
}
