// Positions in audio as clocks show them.
import assert from "node:assert/strict";
import { toClock } from "../../functions/text/clock_times.ts";

Deno.test("toClock writes hours only if there are some", () => {
  assert.deepEqual([0, 59.9, 600, 3599, 3600, 360_001, -5].map(toClock), [
    ...["0:00", "0:59", "10:00", "59:59", "1:00:00", "100:00:01", "0:00"],
  ]);
});
