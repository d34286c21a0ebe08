// Time limits that share one timer.
import assert from "node:assert/strict";
import { startTimeLimit } from "../../functions/runtime/time_limits.ts";

/** Starts limits that add their names when they end; resolves with the names once there are `count`. */
function collect(count: number) {
  const ended: string[] = [], { promise, resolve } = Promise.withResolvers<string[]>();
  const start = (name: string, ms: number) =>
    startTimeLimit(ms, () => {
      ended.push(name);
      if (ended.length === count) resolve(ended);
    });
  return { start, all: promise };
}

/** Blocks the thread, so that all limits of this time are due at once. */
function block(milliseconds: number) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

Deno.test("time limits end in the order of their ends, also if a blocked thread delays all of them", async () => {
  for (const blockedMs of [0, 80]) {
    const { start, all } = collect(3);
    for (const ms of [60, 20, 40]) start(`${ms} ms`, ms);
    block(blockedMs);
    assert.deepEqual(await all, ["20 ms", "40 ms", "60 ms"]);
  }
});

Deno.test("a cleared time limit never ends, and the others do", async () => {
  const { start, all } = collect(1);
  const clear = start("cleared", 10);
  start("other", 30);
  clear();
  clear();
  assert.deepEqual(await all, ["other"]);
});

Deno.test("a shorter time limit that starts later ends first, although the timer was set for one that was cleared", async () => {
  const { start, all } = collect(2);
  start("long", 40);
  start("cleared", 5)();
  start("short", 20);
  assert.deepEqual(await all, ["short", "long"]);
});

Deno.test("no timer is left after the last time limit was cleared", () => {
  // the test runner reports a timer that is left
  startTimeLimit(60_000, () => {})();
});

Deno.test("the end of a time limit can start others, and clear those that are due", async () => {
  const { start, all } = collect(1);
  let clearOther = () => {};
  startTimeLimit(10, () => {
    clearOther();
    start("started", 10);
  });
  clearOther = start("cleared", 10);
  block(20);
  assert.deepEqual(await all, ["started"]);
});

Deno.test("an error at the end of a time limit stops no other limit", async () => {
  const { start, all } = collect(2);
  const { promise: failed, resolve } = Promise.withResolvers<string>();
  const onError = (event: ErrorEvent) => {
    event.preventDefault();
    resolve(event.error.message);
  };
  addEventListener("error", onError, { once: true });
  startTimeLimit(5, () => {
    throw new Error("broken");
  });
  start("due with it", 5);
  start("later", 30);
  block(10);
  assert.deepEqual(await all, ["due with it", "later"]);
  assert.equal(await failed, "broken");
});

Deno.test("no time limit ends early", async () => {
  const startedAt = performance.now();
  await new Promise<void>((resolve) => startTimeLimit(25, resolve));
  assert.ok(performance.now() - startedAt >= 25);
});
