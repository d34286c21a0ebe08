// A second round trip: our feed is imported and rendered again. Only our own addresses differ.
import assert from "node:assert/strict";
import type postgres from "postgres";
import { generateFeed } from "../feed_reader/generated_feed.ts";
import { createFeedDatabase } from "../feed_writer/feed_database.ts";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";
import { importFeed } from "./imported_feed.ts";
import { moreTemplates } from "./more_templates.ts";
import { readRealFeed, realFeeds } from "./real_feeds.ts";

const FEEDS = byScale(40, 2000);
/** Of a real feed: its newest items, or all. */
const MAX_ITEMS = byScale(10, Infinity);
const firstSeed = Number(Deno.env.get("CASTBASE_SEED") ?? 1);

const OUR_FEED = "https://api.example/functions/v1/public/feeds/imported.xml";

/** The tags of a feed, in which each address of ours, and each picture of an episode, is the same. */
function tagsOf(xml: string): string[] {
  const [head, ...items] = xml.replace(/https:\/\/api\.example\/[^"<\s]*/g, "https://api.example/").split("<item>");
  return [head, ...items.map((item) => item.replace(/<itunes:image [^>]*>/, "<itunes:image>"))]
    .flatMap((part) => part.split(/\n(?=<)/));
}

/** The differences between our feed and that of its import. */
async function compareWithSecond(sql: postgres.Sql, feed: string | Uint8Array, maxItems?: number) {
  const first = await importFeed(sql, feed, maxItems);
  const second = await importFeed(sql, first.xml, Infinity, OUR_FEED);
  const [before, after] = [tagsOf(first.xml), tagsOf(second.xml)];
  const differences: string[] = [];
  for (let i = 0; i < Math.max(before.length, after.length) && differences.length < 5; i++) {
    if (before[i] !== after[i]) differences.push(`${before[i]} became ${after[i]}`.slice(0, 1000));
  }
  return { differences, items: first.xml.split("<item>").length - 1 };
}

Deno.test(`our feeds of ${FEEDS.toLocaleString("en")} generated feeds are the same after another import`, async () => {
  await using database = await createFeedDatabase();
  for (let seed = firstSeed; seed < firstSeed + FEEDS; seed++) {
    const xml = generateFeed(seededRandom(seed), moreTemplates);
    const { differences } = await compareWithSecond(database.sql, xml);
    assert.equal(differences.length, 0, `CASTBASE_SEED=${seed} reproduces it: ${differences.join("\n")}`);
  }
});

Deno.test({
  name: "our feeds of the real feeds are the same after another import",
  ignore: !realFeeds.length,
  async fn() {
    await using database = await createFeedDatabase();
    for (const name of realFeeds) {
      const { differences } = await compareWithSecond(database.sql, readRealFeed(name), MAX_ITEMS);
      assert.equal(differences.length, 0, `${name}: ${differences.join("\n")}`);
    }
  },
});
