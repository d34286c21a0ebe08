/** Functions that change as many rows as one call has time for, and say `hasMore`. */
import type { RpcResult } from "../database/db.ts";

const { performance } = globalThis; // see runtime/start_time_limit.ts

/** Begins no call later than this after the first one, so that the platform does not end the request (150 s). */
const REPEAT_MS = 60_000;

/**
 * Repeats a call until nothing is left, and returns the sum of its counts. Each call commits. If the time ends before,
 * the result has `hasMore: true`, and the client's next request continues.
 */
export async function repeatCall(
  call: () => Promise<RpcResult>,
  counted: string,
  repeatMs = REPEAT_MS,
): Promise<RpcResult> {
  const end = performance.now() + repeatMs;
  for (let sum = 0;;) {
    const result = await call();
    const { [counted]: count, hasMore } = JSON.parse(result.text);
    sum += count;
    if (hasMore && performance.now() < end) continue;
    return { status: result.status, text: JSON.stringify({ [counted]: sum, ...hasMore && { hasMore } }) };
  }
}
