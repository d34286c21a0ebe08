// Round trips: a source feed, its import and our feed. Each element and attribute is in ours, or the report says why not.
import assert from "node:assert/strict";
import { generateFeed } from "../feed_reader/generated_feed.ts";
import { createFeedDatabase } from "../feed_writer/feed_database.ts";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";
import { compareFeeds } from "./comparison.ts";
import { importFeed } from "./imported_feed.ts";
import { moreTemplates } from "./more_templates.ts";
import { readRealFeed, realFeeds } from "./real_feeds.ts";

const FEEDS = byScale(40, 2000);
/** Of a real feed: its newest items, or all. */
const MAX_ITEMS = byScale(10, Infinity);
const firstSeed = Number(Deno.env.get("CASTBASE_SEED") ?? 1);

Deno.test(`our feed has each part of ${FEEDS.toLocaleString("en")} generated feeds that the report does not list as lost`, async () => {
  await using database = await createFeedDatabase();
  const counts = { same: 0, transformed: 0, lost: 0 };
  for (let seed = firstSeed; seed < firstSeed + FEEDS; seed++) {
    const xml = generateFeed(seededRandom(seed), moreTemplates);
    const found = compareFeeds(xml, await importFeed(database.sql, xml));
    assert.equal(found.gone.length, 0, `CASTBASE_SEED=${seed} reproduces it: ${JSON.stringify(found.gone)}`);
    for (const key of ["same", "transformed", "lost"] as const) counts[key] += found.counts[key];
  }
  assert.ok(Math.min(counts.same, counts.transformed, counts.lost) > 5 * FEEDS, JSON.stringify(counts));
});

Deno.test({
  name: "our feed has each part of the real feeds that the report does not list as lost",
  ignore: !realFeeds.length,
  async fn() {
    await using database = await createFeedDatabase();
    for (const name of realFeeds) {
      const bytes = readRealFeed(name);
      const { gone } = compareFeeds(
        new TextDecoder().decode(bytes),
        await importFeed(database.sql, bytes, MAX_ITEMS),
      );
      assert.equal(gone.length, 0, `${name}: ${JSON.stringify(gone)}`);
    }
  },
});
