// Times of the player.
import assert from "node:assert/strict";
import { indexAt } from "../../functions/browser/player/time.ts";

Deno.test("indexAt finds the last line that begins at a position or before", () => {
  const lines = Array.from({ length: 1000 }, (_, startTime) => ({ startTime }));
  for (const [seconds, index] of [[-1, -1], [0, 0], [0.9, 0], [0.96, 1], [700.5, 700], [1e9, 999]]) {
    assert.equal(indexAt(lines, seconds), index);
  }
  assert.equal(indexAt([], 5), -1);
});
