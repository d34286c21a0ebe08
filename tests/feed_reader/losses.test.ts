// What is lost, with the reason: one case at least for each reason.
import assert from "node:assert/strict";
import { channelTags } from "../../functions/feed_writer/channel_tags.ts";
import { itemTags } from "../../functions/feed_writer/item_tags.ts";
import { LOSS_REASONS, type LossReason } from "../../functions/feed_reader/losses.ts";
import { COMPLETE_ITEM, item, readFeedText, readItem, rss } from "./reading.ts";

const channelOf = async (inside: string) => (await readFeedText(rss(inside + item("One")))).channel;
const GUID = "917393e3-1b1e-5cef-ace4-edaa54e1f810";

type Case = [inside: string, ...losses: [path: string, reason: LossReason, excerpt?: string][]];

/** The losses of an item with this content. */
const ofItems: Record<string, Case> = {
  "an unknown attribute": ['<enclosure foo="1 &amp; 2" url="u"/>', ["enclosure/@foo", "UNKNOWN_ATTRIBUTE", "1 & 2"], [
    "enclosure",
    "ENCLOSURE",
    "u",
  ]],
  "a second attribute of the same name": [
    '<podcast:person role="a" x:role="b" xmlns:x="urn:example:x">Ana</podcast:person>',
    ["podcast:person/@x:role", "REPEATED", "b"],
  ],
  "an unknown element in a modelled one": [
    '<podcast:value type="a" method="b"><podcast:valueRecipient type="c" address="d" split="1"/><podcast:foo a="1">x</podcast:foo></podcast:value>',
    ["podcast:value/podcast:foo", "UNKNOWN_ELEMENT", "x"],
  ],
  "a name that RSS does not have": ["<order>1</order>", ["order", "UNKNOWN_ELEMENT", "1"]],
  "a name that a module does not have": ["<itunes:order>1</itunes:order>", [
    "itunes:order",
    "UNKNOWN_ELEMENT",
    "1",
  ]],
  "an element of an unchecked module": ['<g:price xmlns:g="http://base.google.com/ns/1.0">1 EUR</g:price>', [
    "g:price",
    "UNCHECKED",
    "1 EUR",
  ]],
  "a second single element": [
    "<comments>https://a.example/1</comments><comments>https://a.example/2</comments>",
    ["comments", "REPEATED", "https://a.example/2"],
  ],
  "an invalid value of a carried element": [
    "<slash:comments xmlns:slash='http://purl.org/rss/1.0/modules/slash/'>many</slash:comments>",
    [
      "slash:comments",
      "INVALID",
      "many",
    ],
  ],
  "a carried element without a required attribute": ["<source>Old</source>", ["source", "INVALID", "Old"]],
  "an invalid namespace": ['<y:a xmlns:y="urn:y">1</y:a>', ["y:a", "INVALID", "1"]],
  "an element without a namespace in one with a namespace": ["<podcast:a><c>1</c></podcast:a>", [
    "podcast:a",
    "UNKNOWN_ELEMENT",
    "1",
  ]],
  "an undeclared prefix": ["<odd:one>1</odd:one>", ["odd:one", "UNKNOWN_NAMESPACE_PREFIX", "1"]],
  "an undeclared prefix of an attribute": ['<podcast:order odd:a="1">2</podcast:order>', [
    "podcast:order/@odd:a",
    "UNKNOWN_NAMESPACE_PREFIX",
    "1",
  ]],
  "text between elements": ["one <!-- no -->two<title>T</title><![CDATA[three]]>", ["#text", "TEXT", "one two"], [
    "#text",
    "TEXT",
    "three",
  ]],
  "text in an element without text": ["<media:group>x<media:rating>nonadult</media:rating></media:group>", [
    "media:group/#text",
    "TEXT",
    "x",
  ]],
  "a second title": ["<title>T</title><title>U</title>", ["title", "REPEATED", "U"]],
  "a second text of an image": ['<itunes:image href="https://a.example/1.jpg">https://a.example/2.jpg</itunes:image>', [
    "itunes:image",
    "REPEATED",
    "https://a.example/2.jpg",
  ]],
  "another season in the podcast namespace": [
    "<itunes:season>1</itunes:season><podcast:season>2</podcast:season>",
    ["podcast:season", "REPEATED", "2"],
  ],
  "invalid values": [
    '<itunes:duration>?</itunes:duration><podcast:soundbite startTime="1"/><itunes:explicit>maybe</itunes:explicit>',
    ["itunes:duration", "INVALID", "?"],
    ["itunes:explicit", "INVALID", "maybe"],
    ["podcast:soundbite", "INVALID", 'startTime="1"'],
  ],
  "an invalid part of an image set": ['<podcast:images srcset="https://a.example/1.jpg 2x"/>', [
    "podcast:images/@srcset",
    "INVALID",
    "https://a.example/1.jpg 2x",
  ]],
  "an invalid URL of an attribute": ['<podcast:person href="mailto:ana@a.example">Ana</podcast:person>', [
    "podcast:person/@href",
    "INVALID",
    "mailto:a***@a***.example",
  ]],
  "a script as URL": ['<podcast:contentLink href=" java&#10;script:alert(1)">x</podcast:contentLink>', [
    "podcast:contentLink/@href",
    "INVALID",
    "java script:alert(1)",
  ], ["podcast:contentLink", "INVALID", "x"]],
  "a link to a feed": [
    '<atom:link rel="self" href="https://a.example/f"/><atom:link rel="alternate" type="application/rss+xml" href="https://a.example/g"/>',
    ["atom:link", "SELF_LINK", 'rel="self" href="https://a.example/f"'],
    ["atom:link", "SELF_LINK", 'rel="alternate" type="application/rss+xml" href="https://a.example/g"'],
  ],
  "a hub": ['<x:link xmlns:x="http://www.w3.org/2005/Atom" rel="hub" href="https://hub.example/"/>', [
    "atom:link",
    "HUB",
    'rel="hub" href="https://hub.example/"',
  ]],
  "links to pages": [
    ["next", "prev", "first", "last", "current", "prev-archive", "next-archive"].map((rel) =>
      `<atom:link rel="${rel}"/>`
    )
      .join(""),
    ...["next", "prev", "first", "last", "current", "prev-archive", "next-archive"].map((
      rel,
    ) => ["atom:link", "PAGING", `rel="${rel}"`] as [string, LossReason, string]),
  ],
  "the history namespace": ['<fh:archive xmlns:fh="http://purl.org/syndication/history/1.0"/>', [
    "fh:archive",
    "PAGING",
  ]],
  "a redirect": ["<itunes:new-feed-url>https://b.example/</itunes:new-feed-url>", [
    "itunes:new-feed-url",
    "REDIRECT",
    "https://b.example/",
  ]],
  "a redirect inside an unknown element": [
    "<podcast:order><itunes:new-feed-url>https://b.example/</itunes:new-feed-url></podcast:order>",
    ["podcast:order", "REDIRECT", "https://b.example/"],
  ],
  "a redirect of RSS": ["<redirect><newLocation>https://b.example/</newLocation></redirect>", [
    "redirect",
    "REDIRECT",
    "https://b.example/",
  ]],
  "a lock": ["<podcast:locked>yes</podcast:locked>", ["podcast:locked", "LOCK", "yes"]],
  "further media files": [
    '<enclosure url="https://a.example/2.mp3" type="audio/mpeg"/><media:content url="https://a.example/1.mp3"/>' +
    '<media:group><media:content url="https://a.example/3.mp3" medium="audio"/></media:group>',
    ["enclosure", "ENCLOSURE", "https://a.example/2.mp3"],
    ["media:group/media:content/@medium", "NO_PLACE", "audio"],
    ["media:group/media:content", "ENCLOSURE", "https://a.example/3.mp3"],
  ],
  "a live item": ['<podcast:liveItem status="live"><title>Now</title></podcast:liveItem>', [
    "podcast:liveItem",
    "LIVE_ITEM",
    "Now",
  ]],
  "a block of directories": ["<podcast:block>yes</podcast:block><googleplay:block>yes</googleplay:block>", [
    "podcast:block",
    "HIDES",
    "yes",
  ], ["googleplay:block", "HIDES", "yes"]],
  "a limit of the episodes that are shown": ['<spotify:limit recentCount="1"/>', [
    "spotify:limit",
    "HIDES",
    'recentCount="1"',
  ]],
  "an inclusion of another document": ['<podcast:order><xi:include href="file:///etc/hosts"/></podcast:order>', [
    "podcast:order",
    "UNSAFE",
    'href="file:///etc/hosts"',
  ]],
  "values that our feed replaces": [
    '<guid isPermaLink="true">2</guid><generator>x</generator>',
    ["guid", "REPEATED", "2"],
    ["generator", "REPLACED_BY_OURS", "x"],
  ],
  "a link that is not a URL": ["<link>javascript:a()</link>", ["link", "INVALID", "javascript:a()"]],
  "HTML": ["<p>One</p>", ["p", "UNSAFE", "One"]],
  "HTML by its namespace": ['<h:b xmlns:h="http://www.w3.org/1999/xhtml">One</h:b>', ["xhtml:b", "UNSAFE", "One"]],
  "a script inside an unknown element": ["<podcast:order><script>1</script></podcast:order>", [
    "podcast:order",
    "UNSAFE",
    "1",
  ]],
  "an escaped script": ["<podcast:order>&lt;scr<![CDATA[ipt>1</script>]]></podcast:order>", [
    "podcast:order",
    "UNSAFE",
    "<script>1</script>",
  ]],
  "an attribute with a script": [
    '<podcast:order onclick="a()">1</podcast:order><podcast:order href="JavaScript:a()">2</podcast:order>',
    [
      "podcast:order",
      "UNSAFE",
      "1",
    ],
    ["podcast:order", "UNSAFE", "2"],
  ],
  "an address": ["<author>ana@a.example (Ana)</author>", ["author", "PRIVATE_ADDRESS", "a***@a***.example (Ana)"]],
};

const seen = new Set<LossReason>();

for (const [what, [inside, ...expected]] of Object.entries(ofItems)) {
  Deno.test(`parseFeed reports ${what} of an item as lost`, async () => {
    const { losses, extraTags } = await readItem(COMPLETE_ITEM + inside);
    assert.deepEqual(
      losses,
      expected.map(([path, reason, excerpt]) => excerpt ? { path, reason, excerpt } : { path, reason }),
    );
    assert.ok(!extraTags.some((xml) => /script|href|evil/i.test(xml)));
    for (const { reason } of losses) seen.add(reason);
  });
}

const ofChannels: Record<string, Case> = {
  "an item whose GUID another has": [item("One"), ["item", "DUPLICATE", "One"]],
  "values that our feed replaces": [
    "<docs>a</docs><ttl>60</ttl><skipDays><day>Monday</day></skipDays><sy:updatePeriod>daily</sy:updatePeriod><pubDate>b</pubDate><cloud domain='c'/><podcast:podping usesPodping='true'/><podcast:trailer url='t'>T</podcast:trailer>",
    ["docs", "REPLACED_BY_OURS", "a"],
    ["ttl", "REPLACED_BY_OURS", "60"],
    ["skipDays", "REPLACED_BY_OURS", "Monday"],
    ["sy:updatePeriod", "REPLACED_BY_OURS", "daily"],
    ["pubDate", "REPLACED_BY_OURS", "b"],
    ["cloud", "REPLACED_BY_OURS", 'domain="c"'],
    ["podcast:podping", "REPLACED_BY_OURS", 'usesPodping="true"'],
    ["podcast:trailer", "REPLACED_BY_OURS", "T"],
  ],
  "a second lock": ["<podcast:locked>no</podcast:locked><podcast:locked>yes</podcast:locked>", [
    "podcast:locked",
    "LOCK",
    "yes",
  ]],
  "parts of an item without an item": ['<enclosure url="u"/><guid>g</guid>', ["enclosure", "ENCLOSURE", 'url="u"'], [
    "guid",
    "REPLACED_BY_OURS",
    "g",
  ]],
  "a remote item without a GUID": ['<podcast:remoteItem feedUrl="https://b.example/"/>', [
    "podcast:remoteItem",
    "INVALID",
    'feedUrl="https://b.example/"',
  ]],
  "a publisher's episode": [
    `<podcast:publisher><podcast:remoteItem feedGuid="${GUID}" itemGuid="i"/><podcast:remoteItem feedGuid="${GUID}"/></podcast:publisher>`,
    ["podcast:publisher/podcast:remoteItem", "REPEATED", GUID],
    ["podcast:publisher/podcast:remoteItem/@itemGuid", "UNKNOWN_ATTRIBUTE", "i"],
  ],
  "an item inside an unknown element": ["<podcast:order><item><title>Evil</title></item></podcast:order>", [
    "podcast:order",
    "UNSAFE",
    "Evil",
  ]],
};

for (const [what, [inside, ...expected]] of Object.entries(ofChannels)) {
  Deno.test(`parseFeed reports ${what} of the channel as lost`, async () => {
    const { losses, extraTags } = await channelOf(inside);
    assert.deepEqual(losses, expected.map(([path, reason, excerpt]) => ({ path, reason, excerpt })));
    assert.deepEqual(extraTags, []);
    for (const { reason } of losses) seen.add(reason);
  });
}

/** Elements that our feed must not have, written so that only readers of XML recognize them. */
const disguises: Record<string, [xml: string, reason: LossReason]> = {
  "a relation with a character reference": ['<atom:link rel="sel&#102;" href="https://a.example/f"/>', "SELF_LINK"],
  "a relation with an entity of the document": ['<atom:link rel="&own;" href="https://a.example/f"/>', "SELF_LINK"],
  "a relation beside one with a prefix": [
    '<atom:link x:rel="license" rel="self" href="https://a.example/f" xmlns:x="urn:example:x"/>',
    "SELF_LINK",
  ],
  "one of several relations": ['<atom:link rel="license HUB" href="https://hub.example/"/>', "HUB"],
  "a registered relation": [
    '<atom:link rel="https://www.iana.org/assignments/relation/prev" href="https://a.example/2"/>',
    "PAGING",
  ],
  "a namespace with a character reference": [
    '<a:new-feed-url xmlns:a="http://www.itunes.com/dtds/podcast-1.0&#46;dtd">https://b.example/</a:new-feed-url>',
    "REDIRECT",
  ],
  "a namespace with an entity of the document": ['<a:locked xmlns:a="&podcast;">yes</a:locked>', "LOCK"],
  "a default namespace": [
    '<link xmlns="http://www.w3.org/2005/Atom" rel="self" href="https://a.example/f"/>',
    "SELF_LINK",
  ],
  "a namespace that the element itself binds to another prefix": [
    '<itunes:locked xmlns:itunes="https://podcastindex.org/namespace/1.0">yes</itunes:locked>',
    "LOCK",
  ],
};
const DOCTYPE = '<!DOCTYPE rss [<!ENTITY own "self"><!ENTITY podcast "https://podcastindex.org/namespace/1.0">]>';

for (const [what, [xml, reason]] of Object.entries(disguises)) {
  Deno.test(`parseFeed carries nothing that acts for the old feed, in the disguise of ${what}`, async () => {
    for (const written of [xml, `<podcast:order>${xml}</podcast:order>`]) {
      // a lock of the channel is modelled, so that it need not be lost
      const inside = reason === "LOCK" ? "" : written;
      const { channel, read: [found] } = await readFeedText(DOCTYPE + rss(inside + item("One", written)));
      for (const { extraTags, losses } of inside ? [channel, found] : [found]) {
        assert.deepEqual([extraTags, losses.map((loss) => loss.reason)], [[], [reason]], written);
      }
    }
  });
}

Deno.test("parseFeed carries no element that our feed writes itself", async () => {
  for (const [tags, inChannel] of [[channelTags, true], [itemTags, false]] as const) {
    const named = tags.map(({ name }) => `<${name} a="b">c</${name}>`).join("");
    const { channel, read: [found] } = await readFeedText(
      inChannel ? rss(named + item("One")) : rss(item("One", named)),
    );
    const { extraTags } = inChannel ? channel : found;
    assert.deepEqual(extraTags.filter((xml) => tags.some(({ name }) => xml.startsWith(`<${name}`))), []);
  }
});

Deno.test("parseFeed reports unknown attributes of the root, the channel and items, but no namespaces", async () => {
  const { channel, read } = await readFeedText(
    `<rss version="2.0" xml:base="https://a.example/" xml:lang="en" xmlns:a="urn:a"><channel a:b="1" xmlns:c="urn:c">${
      item("One").replace("<item>", '<item c:d="2">')
    }</channel></rss>`,
  );
  assert.deepEqual(channel.losses, [
    { path: "rss/@xml:lang", reason: "NO_PLACE", excerpt: "en" },
    { path: "@a:b", reason: "UNKNOWN_ATTRIBUTE", excerpt: "1" },
  ]);
  assert.deepEqual(read[0].losses, [{ path: "@c:d", reason: "UNKNOWN_ATTRIBUTE", excerpt: "2" }]);
});

Deno.test("parseFeed keeps at most 200 losses of an item and counts the others", async () => {
  const { losses } = await readItem("<p>1</p>".repeat(250));
  assert.equal(losses.length, 201);
  assert.deepEqual(losses.at(-1), { path: "*", reason: "LIMIT", excerpt: "50 more" });
});

Deno.test("parseFeed reports a truncated text, and elements nested too deep", async () => {
  const { losses } = await readItem(`<title>${"x".repeat(1_000_001)}</title>`);
  assert.deepEqual(losses, [{ path: "title", reason: "LIMIT" }]);
  const { losses: deep, extraTags } = await readItem(
    "<a:b xmlns:a='urn:example:a'>".repeat(120) + "</a:b>".repeat(120),
  );
  assert.deepEqual([deep.map(({ path, reason }) => [path, reason]), extraTags], [[["a:b", "LIMIT"]], []]);
});

Deno.test("parseFeed masks the owner's addresses in each part, in warnings too", async () => {
  const address = "Ana.Z+pod@mail.a.example";
  const inside =
    `<podcast:order>Write to ${address}!</podcast:order><podcast:order mail="mailto:${
      address.replace("@", "%40")
    }">1</podcast:order>` +
    `<podcast:foo>&lt;${
      address.replace("@", "&#64;")
    }&gt;</podcast:foo><podcast:person href="mailto:${address}">A</podcast:person>` +
    `<podcast:order>@ana@social.example and cover@2x.png</podcast:order><generator>${
      "x".repeat(70)
    } ${address}</generator>`;
  for (
    const owner of [
      `<itunes:owner><itunes:email>${address.toLowerCase()}</itunes:email></itunes:owner>`,
      `<podcast:locked owner="${address}">yes</podcast:locked>`,
    ]
  ) {
    // after the items: an item cannot know the address yet
    const { channel, read: [found], warnings } = await readFeedText(rss(item("One", inside) + inside + owner));
    for (const { extraTags, losses } of [found, channel]) {
      assert.deepEqual(extraTags, ["<podcast:order>@ana@social.example and cover@2x.png</podcast:order>"]);
      assert.deepEqual(
        losses.filter(({ reason }) => reason === "PRIVATE_ADDRESS").map(({ path, excerpt }) => [path, excerpt]),
        [
          ["podcast:order", "Write to a***@m***.example!"],
          ["podcast:order", "1"],
          ["podcast:foo", "<a***@m***.example>"],
        ],
      );
    }
    const reports = JSON.stringify([channel.losses, channel.extraTags, found, warnings]);
    assert.doesNotMatch(reports, /ana\.z|a\.example[^"]*ana|mail\.a/i);
  }
});

Deno.test("parseFeed carries the address of another person in the channel, and no contact's", async () => {
  const { extraTags, losses } = await channelOf(
    "<podcast:order>bob@b.example</podcast:order><managingEditor>bob@b.example (Bob)</managingEditor><webMaster>Bob</webMaster>" +
      "<atom:author><atom:name>Bob</atom:name><atom:email>bob@b.example</atom:email></atom:author>" +
      "<itunes:owner><itunes:email>ana@a.example</itunes:email></itunes:owner>",
  );
  assert.deepEqual(extraTags, ["<podcast:order>bob@b.example</podcast:order>"]);
  assert.deepEqual(losses, [
    { path: "webMaster", reason: "INVALID", excerpt: "Bob" }, // RSS requires an address
    { path: "managingEditor", reason: "PRIVATE_ADDRESS", excerpt: "b***@b***.example (Bob)" },
    { path: "atom:author", reason: "PRIVATE_ADDRESS", excerpt: "Bob b***@b***.example" },
  ]);
});

Deno.test("LOSS_REASONS names exactly the reasons that these tests find", () => {
  seen.add("LIMIT");
  assert.deepEqual([...seen].sort(), Object.keys(LOSS_REASONS).sort());
});
