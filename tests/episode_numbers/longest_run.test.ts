import assert from "node:assert/strict";
import { longestRun } from "../../functions/episode_numbers/longest_run.ts";
import { byScale } from "../scale.ts";
import { randomNumbers } from "../random.ts";

Deno.test("longestRun skips values out of order and keeps equal neighbors", () => {
  const values = [1, 2, 2018, 3, 3, 1, 4];
  assert.deepEqual(longestRun(values).map((i) => values[i]), [1, 2, 3, 3, 4]);
  assert.deepEqual(longestRun([]), []);
  assert.deepEqual(longestRun([3, 2, 1]).length, 1);
});

Deno.test("longestRun is as long as the result of an exhaustive search", () => {
  for (let seed = 1; seed <= byScale(40, 1000); seed++) {
    const next = randomNumbers(seed * 7919), values = Array.from({ length: 12 }, () => Math.floor(next() * 9));
    const run = longestRun(values);
    for (let i = 1; i < run.length; i++) {
      assert.ok(run[i] > run[i - 1] && values[run[i]] >= values[run[i - 1]], `seed ${seed}`);
    }
    let maxLength = 0;
    for (let choice = 0; choice < 2 ** values.length; choice++) {
      const chosen = values.filter((_, i) => choice >> i & 1);
      if (chosen.every((value, i) => i === 0 || value >= chosen[i - 1])) maxLength = Math.max(maxLength, chosen.length);
    }
    assert.equal(run.length, maxLength, `seed ${seed}`);
  }
});
