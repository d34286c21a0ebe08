// The reader has no limits of its own for feed values: what private.feed_shapes() may reject, it passes on as written.
import assert from "node:assert/strict";
import { MAX_LIST_ITEMS } from "../../functions/feed_reader/element_rules.ts";
import type { FeedItem } from "../../functions/feed_reader/feed.ts";
import { COMPLETE_ITEM, readItem } from "./reading.ts";

const source = await Deno.readTextFile(new URL("../../sql/20_podcasts/rules/feed_values.sql", import.meta.url));
const shapes = JSON.parse(source.split("$shapes$")[1]);

function listLimits(shape: unknown, name: "max" | "text"): number[] {
  if (!shape || typeof shape !== "object") return [];
  const own = (shape as Record<string, unknown>)[name];
  return [...typeof own === "number" ? [own] : [], ...Object.values(shape).flatMap((one) => listLimits(one, name))];
}

Deno.test("the reader's lists have room for each list of feed_shapes, so that only the database limits them", () => {
  assert.ok(listLimits(shapes, "max").length > 10);
  assert.ok(MAX_LIST_ITEMS >= Math.max(...listLimits(shapes, "max")));
});

Deno.test("the reader's lists have room for more than a value block can have, so that the database sees the excess", () => {
  const { recipients, time_splits } = shapes.value_blocks.list.object;
  assert.ok(MAX_LIST_ITEMS > recipients.max + time_splits.max);
  assert.ok(MAX_LIST_ITEMS > shapes.time_split.object.recipients.max);
});

const LONG = "é".repeat(Math.max(...listLimits({ ...shapes, extra_tags: null }, "text")) + 1);

/** Doubtful elements as they are written, and the members that the database gets. */
const doubtful: Record<string, [element: string, members: Partial<FeedItem>]> = {
  "numbers": [
    `<podcast:alternateEnclosure type="jpg" bitrate="30507983.490909092" height="1080px" length="1.28e5" lang="en_US" default="maybe">
      <podcast:source uri="ipfs://a" contentType="x"/><podcast:integrity type="md5" value="a"/></podcast:alternateEnclosure>
     <podcast:soundbite startTime="0.123456789" duration="0">A</podcast:soundbite>
     <podcast:image href="https://a.example/i" width="-1" height="12345678901234567890" aspect-ratio="wide"/>`,
    {
      alternateEnclosures: [{
        type: "jpg",
        length: "1.28e5",
        bitrate: "30507983.490909092",
        height: "1080px",
        lang: "en_US",
        default: "maybe",
        sources: [{ uri: "ipfs://a", contentType: "x" }],
        integrity: { type: "md5", value: "a" },
      }],
      soundbites: [{ startSeconds: "0.123456789", durationSeconds: 0, title: "A" }],
      images: [{ href: "https://a.example/i", aspectRatio: "wide", width: "-1", height: "12345678901234567890" }],
    },
  ],
  "choices and places": [
    '<podcast:location rel="about" geo="51.5,-0.12" osm="1" country="GBR">Graz</podcast:location>' +
    '<podcast:socialInteract protocol="X!" priority="first"/>',
    {
      locations: [{ name: "Graz", rel: "about", geo: "51.5,-0.12", osm: "1", country: "GBR" }],
      socialInteractions: [{ protocol: "X!", priority: "first" }],
    },
  ],
  "texts of any length": [
    `<podcast:season name="${LONG}">1</podcast:season><podcast:episode display="${LONG}">1</podcast:episode>` +
    `<podcast:funding url="https://a.example/">${LONG}</podcast:funding><podcast:location>${LONG}</podcast:location>` +
    `<podcast:txt purpose="${LONG}">${LONG}</podcast:txt><itunes:keywords>${LONG}</itunes:keywords>` +
    `<podcast:license>${LONG}</podcast:license>`,
    {
      seasonName: LONG,
      episodeDisplay: LONG,
      funding: [{ url: "https://a.example/", text: LONG }],
      locations: [{ name: LONG }],
      texts: [{ text: LONG, purpose: LONG }],
      keywords: [LONG],
      license: LONG,
    },
  ],
  "parts of value blocks, of which none may be missing": [
    `<podcast:value type="lightning" suggested="5e-8">
      <podcast:valueRecipient type="node" address="a" split="95%" fee="some"/>
      <podcast:valueRecipient split="0.12345678901234567890"/><podcast:valueRecipient/>
      <podcast:valueTimeSplit startTime="1:30"><podcast:remoteItem feedGuid="x"/><podcast:remoteItem/></podcast:valueTimeSplit>
      <podcast:valueTimeSplit/></podcast:value>`,
    {
      valueBlocks: [{
        type: "lightning",
        suggested: "5e-8",
        recipients: [
          { type: "node", address: "a", split: "95%", fee: "some" },
          { split: "0.12345678901234567890" },
          {},
        ],
        timeSplits: [{ startTime: "1:30", remoteItem: [{ feedGuid: "x" }, {}] }, {}],
      }],
    },
  ],
};

for (const [what, [element, members]] of Object.entries(doubtful)) {
  Deno.test(`parseFeed passes on doubtful ${what} as written, without a warning or a loss`, async () => {
    const found = await readItem(`<title>T</title>${COMPLETE_ITEM}${element}`);
    const read = Object.keys(members).map((key) => [key, found[key as keyof FeedItem]]);
    assert.deepEqual(Object.fromEntries(read), members);
    const losses = found.losses.filter(({ path }) => path !== "itunes:keywords"); // the tag has 255 characters
    assert.deepEqual([losses, found.warnings], [[], []]);
  });
}
