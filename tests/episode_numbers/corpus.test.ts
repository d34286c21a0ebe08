// Generalization: generated feeds in 25 languages, from seeds, which combine many forms with traps.
import assert from "node:assert/strict";
import { detectEpisodeNumbers } from "../../functions/episode_numbers/detect.ts";
import { byScale } from "../scale.ts";
import { feed } from "./corpus.ts";

Deno.test("detectEpisodeNumbers numbers 98 % of the episodes of generated feeds correctly and under 0.5 % wrongly", () => {
  const feeds = byScale(100, 5000);
  let exact = 0, wrong = 0, all = 0;
  const worst: [share: number, what: string][] = [];
  for (let seed = 1; seed <= feeds; seed++) {
    const { kind, language, items } = feed(seed), found = detectEpisodeNumbers(items).numbers;
    const right = items.filter(({ guid, truth }) => (found[guid] ?? null) === truth).length;
    wrong += items.filter(({ guid, truth }) => guid in found && found[guid] !== truth).length;
    all += items.length;
    exact += right / items.length;
    worst.push([right / items.length, `seed ${seed}, ${kind}, ${language}`]);
  }
  const report = worst.toSorted(([a], [b]) => a - b).slice(0, 5).join("; ");
  assert.ok(exact / feeds >= 0.98, `${exact / feeds} exact; worst: ${report}`);
  assert.ok(wrong / all < 0.005, `${wrong} of ${all} wrong; worst: ${report}`);
});

Deno.test("detectEpisodeNumbers gives no number to a feed without a series", () => {
  for (let seed = 1; seed <= byScale(100, 5000); seed++) {
    const { kind, items } = feed(seed);
    if (kind !== "no numbers") continue;
    const found = detectEpisodeNumbers(items);
    assert.deepEqual([found.numbers, found.pattern, found.confidence], [{}, null, 0], `seed ${seed}`);
  }
});
