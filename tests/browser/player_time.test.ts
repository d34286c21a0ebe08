// Times of the player.
import assert from "node:assert/strict";
import { indexAt, toClock } from "../../functions/browser/player/time.ts";

Deno.test("indexAt finds the last line that begins at a position or before, in a few steps", () => {
  let reads = 0;
  const lines = Array.from({ length: 100_000 }, (_, i) => ({
    get startTime() {
      reads++;
      return i;
    },
  }));
  for (const [seconds, index] of [[-1, -1], [0, 0], [0.9, 0], [0.96, 1], [70_000.5, 70_000], [1e9, 99_999]]) {
    reads = 0;
    assert.equal(indexAt(lines, seconds), index);
    assert.ok(reads <= 17, `${reads} reads`);
  }
  assert.equal(indexAt([], 5), -1);
});

Deno.test("toClock writes hours only if there are some", () => {
  assert.deepEqual([0, 59.9, 600, 3599, 3600, 360_001, -5].map(toClock), [
    ...["0:00", "0:59", "10:00", "59:59", "1:00:00", "100:00:01", "0:00"],
  ]);
});
