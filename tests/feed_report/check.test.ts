// The rules for parts of feeds, and the bounded findings of rendered parts.
import assert from "node:assert/strict";
import { checkChannel, checkItem, checkPlace, rules } from "../../functions/feed_report/check.ts";
import type { PlaceFacts } from "../../functions/feed_report/rule.ts";
import { parseXml } from "../../functions/feed_report/xml_tree.ts";
import { aloneInFeed, renderHead, renderItem, TAIL } from "../../functions/feed_writer/render.ts";
import { episode, podcast } from "../feed_writer/fixture.ts";
import { ofChannels, ofItems } from "./carried_samples.ts";
import { samples } from "./samples.ts";

/** The ids of rules that a channel or item with these tags does not follow. */
function brokenRules(place: "channel" | "item", tags: string): string[] {
  const [channel] = parseXml(aloneInFeed(place === "item" ? `<item>${tags}</item>` : tags)).children;
  return checkPlace(place === "item" ? channel.children[0] : channel, place, {}).map(({ rule }) => rule);
}

for (const [id, { place, right, wrong }] of Object.entries(samples)) {
  for (const where of ["channel", "item"] as const) {
    if (place !== "any" && place !== where) continue;
    Deno.test(`the rule ${id} accepts its valid tags in the ${where}`, () => {
      for (const tags of right) assert.ok(!brokenRules(where, tags).includes(id), tags);
    });
    Deno.test(`the rule ${id} rejects each of its invalid tags in the ${where}`, () => {
      for (const tags of wrong) assert.ok(brokenRules(where, tags).includes(id), tags);
    });
  }
}

for (const { place, right, wrong } of [ofChannels, ofItems]) {
  const where = place as "channel" | "item";
  Deno.test(`the rule carried-value knows the elements of the ${where}`, () => {
    for (const tags of right) assert.ok(!brokenRules(where, tags).some((id) => id.startsWith("carried-")), tags);
    for (const tags of wrong) assert.ok(brokenRules(where, tags).includes("carried-value"), tags);
  });
}

const head = (changes = {}) => `${renderHead({ ...podcast(changes), changed_at: new Date(0) })}${TAIL}`;
const item = (changes = {}) => aloneInFeed(renderItem(episode(changes), podcast()));
const ruleIds = (findings: { rule: string }[]) => findings.map(({ rule }) => rule);

const withFacts: [
  id: string,
  check: (facts: PlaceFacts) => { rule: string }[],
  broken: PlaceFacts,
  kept: PlaceFacts,
][] = [
  ["owner-missing", (facts) => checkChannel(head(), facts), { hasOwnerEmail: false }, { hasOwnerEmail: true }],
  ["keywords-length", (facts) => checkChannel(head(), facts), { hasMoreKeywords: true }, { hasMoreKeywords: false }],
  ["episodes", (facts) => checkChannel(head(), facts), { episodeCount: 0 }, { episodeCount: 1 }],
  ["artwork-size", (facts) => checkChannel(head(), facts), { coverSize: { width: 3001, height: 3001 } }, {
    coverSize: { width: 3000, height: 3000 },
  }],
  ["artwork-size", (facts) => checkItem(item(), facts), { coverSize: { width: 1400, height: 1500 } }, {
    coverSize: null,
  }],
  ["artwork-elsewhere", (facts) => checkChannel(head(), facts), { coverSize: null }, {
    coverSize: { width: 3000, height: 3000 },
  }],
  ["artwork-elsewhere", (facts) => checkItem(item(), facts), { coverSize: null }, {
    coverSize: null,
    inheritsArtwork: true,
  }],
  ["seek-table", (facts) => checkItem(item(), facts), { hasSeekTable: false }, { hasSeekTable: null }],
  ["list-medium", (facts) => checkChannel(head({ medium: "musicL" }), facts), { episodeCount: 1 }, { episodeCount: 0 }],
  [
    "serial-numbers",
    (facts) => checkItem(item({ episode_number: null, episode_type: "full" }), facts),
    { podcastType: "serial" },
    { podcastType: "episodic" },
  ],
];
for (const [id, check, broken, kept] of withFacts) {
  Deno.test(`the rule ${id} finds ${JSON.stringify(broken)}, and accepts ${JSON.stringify(kept)}`, () => {
    assert.ok(ruleIds(check(broken)).includes(id));
    assert.ok(!ruleIds(check(kept)).includes(id));
    assert.ok(!ruleIds(check({})).includes(id));
  });
}

Deno.test("checkItem names rule, tag and an excerpt of at most 200 characters without half a character", () => {
  const title = `Episode 7: ${"😀".repeat(240)}`;
  const found = checkItem(item({ title, itunes_title: "Seven" }), {}).find(({ rule }) => rule === "title-numbers")!;
  assert.deepEqual(found, {
    rule: "title-numbers",
    tag: "title",
    excerpt: `Episode 7: ${"😀".repeat(188)}…`,
  });
});

Deno.test("checkItem returns at most three findings of a rule and twenty in all", () => {
  const transcripts = Array.from({ length: 50 }, (_, n) => ({ url: `ftp://x.example/${n}`, type: "x" }));
  const found = checkItem(item({ transcripts }), {});
  assert.equal(found.filter(({ rule }) => rule === "podcast-transcript").length, 3);
  const every = Object.values(samples).filter(({ place }) => place !== "channel").flatMap(({ wrong }) => wrong).join(
    "",
  );
  assert.equal(checkItem(aloneInFeed(`<item>${every}</item>`), {}).length, 20);
});

Deno.test("rules of podcasters skip carried tags, and a carried tag that repeats one of ours is a finding", () => {
  const carried = [
    '<media:thumbnail xmlns:media="http://search.yahoo.com/mrss/" url="http://a.example/1.jpg"/>',
    "<itunes:season>3</itunes:season>",
  ];
  const xml = item({ extra_tags: carried });
  assert.deepEqual(
    ruleIds(checkItem(xml, {})).filter((id) => id === "https" || id === "item-single"),
    ["item-single", "https"],
  );
  const found = checkItem(xml, { carriedTags: carried.length });
  assert.deepEqual(found.filter(({ rule }) => rule === "https"), []);
  assert.ok(ruleIds(found).includes("item-single"));
  assert.ok(
    ruleIds(checkItem(item({ chapters_url: null, content_links: [{ href: "http://a.example", text: "a" }] }), {
      carriedTags: 1,
    })).includes("https"),
  );
});

Deno.test("faults of the podcast's artwork are the channel's, and not those of items that show it", () => {
  const xml = item({ cover_image_url: "http://a.example/1.webp" }), rulesOfArtwork = ["artwork-extension", "https"];
  const found = (inheritsArtwork: boolean) =>
    ruleIds(checkItem(xml, { inheritsArtwork })).filter((id) => rulesOfArtwork.includes(id));
  assert.deepEqual([found(false), found(true)], [rulesOfArtwork, []]);
});

Deno.test("a podcast without artwork has none at another host", () => {
  const found = ruleIds(checkChannel(head({ cover_image_url: null }), { coverSize: null }));
  assert.ok(found.includes("artwork") && !found.includes("artwork-elsewhere"));
});

Deno.test("a finding's tag has at most 200 characters", () => {
  const [found] = checkItem(aloneInFeed(`<item><${"a".repeat(300)}/></item>`), {}).filter(({ rule }) =>
    rule === "blank"
  );
  assert.equal(found.tag, `${"a".repeat(199)}…`);
});

Deno.test("a carried tag that is nested thousands of times leaves the findings of the rest", () => {
  const depth = 9000, nested = `${"<a>".repeat(depth)}b${"</a>".repeat(depth)}`;
  const found = ruleIds(checkItem(aloneInFeed(`<item>${nested}</item>`), {}));
  assert.ok(found.includes("item-title") && found.includes("item-image"));
});

Deno.test("a part that is not well-formed is a finding", () => {
  for (const broken of [checkItem(aloneInFeed("<item><a></item>"), {}), checkItem("<rss", {}), checkChannel("", {})]) {
    assert.deepEqual(ruleIds(broken), ["well-formed"]);
  }
  assert.deepEqual(ruleIds(checkItem(aloneInFeed("<item><media:rating>x</media:rating></item>"), {})), ["well-formed"]);
});

Deno.test("rules are total for names and values of other objects", () => {
  const odd = ["constructor", "__proto__", "toString", ""];
  for (const name of odd) {
    checkPlace(
      parseXml(aloneInFeed(
        `<itunes:category text="${name}"><itunes:category text="${name}"/></itunes:category>
        <enclosure type="${name}" url="${name}"/><podcast:alternateEnclosure><podcast:integrity type="${name}"/></podcast:alternateEnclosure>`,
      )).children[0],
      "channel",
      {},
    );
    checkPlace(parseXml(aloneInFeed(`<enclosure type="${name}" url="${name}"/>`)).children[0], "item", {});
  }
});

Deno.test("each rule has its own id", () => {
  assert.equal(new Set(rules.map(({ id }) => id)).size, rules.length);
});
