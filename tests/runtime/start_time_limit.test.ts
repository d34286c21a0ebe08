import assert from "node:assert/strict";
import { startTimeLimit } from "../../functions/runtime/start_time_limit.ts";

Deno.test("a cleared time limit never ends, another ends after its time, and no timer is left", async () => {
  const ended: string[] = [];
  startTimeLimit(60_000, () => {})(); // the test runner reports a timer that is left
  const clear = startTimeLimit(10, () => ended.push("cleared"));
  const other = new Promise<void>((resolve) => startTimeLimit(30, resolve));
  clear();
  clear();
  await other;
  assert.deepEqual(ended, []);
});
