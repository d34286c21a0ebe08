// Time limits that share one timer.
import assert from "node:assert/strict";
import { startTimeLimit } from "../../functions/app/time_limits.ts";

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Waits until `ended` has this many values, and returns them. */
async function endings(ended: string[], count: number): Promise<string[]> {
  while (ended.length < count) await pause(5);
  return ended;
}

Deno.test("time limits end in the order of their ends, however they were started", async () => {
  const ended: string[] = [];
  for (const ms of [60, 20, 40]) startTimeLimit(ms, () => ended.push(`${ms} ms`));
  assert.deepEqual(await endings(ended, 3), ["20 ms", "40 ms", "60 ms"]);
});

Deno.test("a cleared time limit never ends, and the others end", async () => {
  const ended: string[] = [];
  const clearFirst = startTimeLimit(10, () => ended.push("first"));
  startTimeLimit(30, () => ended.push("second"));
  clearFirst();
  clearFirst();
  assert.deepEqual(await endings(ended, 1), ["second"]);
});

Deno.test("a time limit that starts while none is left ends, and no timer outlives the last one", async () => {
  const ended: string[] = [];
  startTimeLimit(60_000, () => ended.push("long"))();
  startTimeLimit(10, () => ended.push("short"));
  assert.deepEqual(await endings(ended, 1), ["short"]);
});

Deno.test("the end of a time limit can start and clear others", async () => {
  const ended: string[] = [];
  let clearOther = () => {};
  startTimeLimit(10, () => {
    clearOther();
    startTimeLimit(10, () => ended.push("started"));
  });
  clearOther = startTimeLimit(10, () => ended.push("cleared"));
  assert.deepEqual(await endings(ended, 1), ["started"]);
});

Deno.test("no time limit ends early", async () => {
  const startedAt = performance.now();
  const lateBy = await new Promise<number>((resolve) =>
    startTimeLimit(25, () => resolve(performance.now() - startedAt - 25))
  );
  assert.ok(lateBy >= 0, `ended ${-lateBy} ms early`);
});
