// One main series and named side series, each with its own count from 1.
import assert from "node:assert/strict";
import { detectEpisodeNumbers } from "../../functions/episode_numbers/detect.ts";
import { labeledFeeds } from "./labeled_feeds.ts";

for (const { name, items, truth } of await labeledFeeds()) {
  Deno.test(`detectEpisodeNumbers numbers no side series of the labeled feed ${name}`, () => {
    const found = detectEpisodeNumbers(items).numbers;
    const wrong = items.filter(({ guid }) => guid in found && found[guid] !== truth.get(guid));
    const right = items.filter(({ guid }) => (found[guid] ?? null) === truth.get(guid));
    const report = `${right.length} exact, ${wrong.length} wrong of ${items.length}: ` +
      wrong.slice(0, 3).map(({ guid, title }) => `${title} => ${found[guid]}`).join("; ");
    assert.ok(wrong.length / items.length < 0.005, report);
    assert.ok(right.length / items.length >= 0.98, report);
  });
}
