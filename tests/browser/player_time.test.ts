// Times of the player.
import assert from "node:assert/strict";
import { indexAt } from "../../functions/browser/player/time.ts";

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
