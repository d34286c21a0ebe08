// An import without silent losses: each part of a feed is in ours, or the report says what became of it.
import assert from "node:assert/strict";
import { sendRequest, sql, waitFor } from "../harness.ts";
import { allBytes, mp3 } from "../../worker/source.ts";
import { httpResponse, source } from "./artwork.ts";
import { BASE, done, episodes, feed, get, newAddress, post, started } from "./imports.ts";

const channel = (address: string) =>
  `<description>About trains</description><language>de-AT</language><copyright>Jane</copyright>
<itunes:author>Jane Doe</itunes:author><itunes:explicit>Yes</itunes:explicit>
<itunes:owner><itunes:name>Jane</itunes:name><itunes:email>${address}</itunes:email></itunes:owner>
<itunes:category text="Arts"><itunes:category text="Books"/></itunes:category><itunes:category text="Gadgets"/>
<podcast:medium>music</podcast:medium><podcast:funding url="https://a.example/give">Help</podcast:funding>
<podcast:locked>no</podcast:locked><podcast:chat server="irc.example" protocol="irc"/>
<webMaster>${address} (Jane)</webMaster><generator>Old Host</generator>
<atom:link href="https://old.example/feed.xml" rel="self"/>`;

const item = `<description>&lt;p&gt;About one &amp;amp; two&lt;/p&gt;</description>
<itunes:duration>00:01:01</itunes:duration><itunes:season>2</itunes:season><podcast:season name="Egypt">2</podcast:season>
<podcast:person role="Executive Producer">Eve</podcast:person><podcast:person role="narrator">Ann</podcast:person>
<podcast:transcript url="https://a.example/1.srt" type="application/srt"/>
<podcast:soundbite startTime="1" duration="2">Bite</podcast:soundbite>
<podcast:location geo="here">Graz</podcast:location>
<podcast:alternateEnclosure type="video/mp4" bitrate="30507983.490909092" lang="en_US">
<podcast:source uri="https://a.example/v.mp4"/></podcast:alternateEnclosure>
<podcast:value type="lightning" method="keysend"><podcast:valueRecipient type="node" address="a" split="95%"/>
<podcast:valueRecipient type="node" address="b" split="5"/></podcast:value>
<media:rating xmlns:media="http://search.yahoo.com/mrss/" scheme="urn:simple">nonadult</media:rating>`;

const KEPT_IN_CHANNEL = [
  "<description>About trains</description>",
  "<language>de-AT</language>",
  "<copyright>Jane</copyright>",
  "<itunes:author>Jane Doe</itunes:author>",
  "<itunes:explicit>true</itunes:explicit>",
  '<itunes:category text="Arts"><itunes:category text="Books"/></itunes:category>',
  "<podcast:medium>music</podcast:medium>",
  '<podcast:funding url="https://a.example/give">Help</podcast:funding>',
  '<podcast:chat server="irc.example" protocol="irc"/>',
];
const KEPT_IN_ITEM = [
  "<description>About one &amp; two</description>",
  "<content:encoded>&lt;p&gt;About one &amp;amp; two&lt;/p&gt;</content:encoded>",
  '<podcast:season name="Egypt">2</podcast:season>',
  '<podcast:person group="Creative Direction" role="Producer">Eve</podcast:person>',
  '<podcast:transcript url="https://a.example/1.srt" type="application/x-subrip"/>',
  '<podcast:soundbite startTime="1" duration="2">Bite</podcast:soundbite>',
  "<podcast:location>Graz</podcast:location>",
  '<podcast:alternateEnclosure type="video/mp4" bitrate="30507983.490909" lang="en-US">' +
  '<podcast:source uri="https://a.example/v.mp4"/></podcast:alternateEnclosure>',
  '<media:rating xmlns:media="http://search.yahoo.com/mrss/" scheme="urn:simple">nonadult</media:rating>',
];

/** What acts for the old feed, as the report names it; the host is that of the old feed. */
const ACTS = {
  '<atom:link rel="self" href="https://old.example/f"/>': "atom:link SELF_LINK",
  '<x:link xmlns:x="http&#58;//www.w3.org/2005/Atom" rel="sel&#102;" href="https://old.example/f"/>':
    "atom:link SELF_LINK",
  '<atom:link rel="hub" href="https://old.example/hub"/>': "atom:link HUB",
  ...Object.fromEntries(
    ["first", "prev", "last", "current", "next-archive"].map((rel) => [
      `<atom:link rel="${rel}" href="https://old.example/${rel}"/>`,
      "atom:link PAGING",
    ]),
  ),
  '<fh:complete xmlns:fh="http://purl.org/syndication/history/1.0">old.example</fh:complete>': "fh:complete PAGING",
  "<itunes:new-feed-url>https://old.example/f</itunes:new-feed-url>": "itunes:new-feed-url REDIRECT",
  '<x:order xmlns:x="https://x.example/ns"><itunes:new-feed-url>https://old.example/f</itunes:new-feed-url></x:order>':
    "x:order REDIRECT",
  "<redirect><newLocation>https://old.example/f</newLocation></redirect>": "redirect REDIRECT",
  '<spotify:limit xmlns:spotify="http://www.spotify.com/ns/rss" recentCount="1" old.example="1"/>':
    "spotify:limit HIDES",
  "<podcast:liveItem><title>old.example</title></podcast:liveItem>": "podcast:liveItem LIVE_ITEM",
  '<cloud domain="old.example"/>': "cloud REPLACED_BY_OURS",
  "<generator>old.example</generator>": "generator REPLACED_BY_OURS",
  '<x:order xmlns:x="https://x.example/ns"><script>old.example</script></x:order>': "x:order UNSAFE",
};
/** Of the channel, these are fields that only applyChannel applies. */
const BLOCKS =
  '<itunes:block>yes</itunes:block><itunes:complete>yes</itunes:complete><podcast:block id="apple">yes</podcast:block>';
const ITEM_ACTS = {
  ...ACTS,
  '<podcast:locked owner="o">yes</podcast:locked>': "podcast:locked LOCK",
  "<podcast:block>yes</podcast:block>": "podcast:block HIDES",
  "<itunes:complete>yes</itunes:complete>": "itunes:complete HIDES",
  '<enclosure url="https://old.example/2.mp3" length="1" type="audio/mpeg"/>': "enclosure ENCLOSURE",
  '<media:content xmlns:media="http://search.yahoo.com/mrss/" url="https://old.example/3.mp3"/>':
    "media:content ENCLOSURE",
};

const reasons = (lost: { path: string; reason: string }[]) =>
  lost.map(({ path, reason }) => `${path} ${reason}`).sort();

Deno.test("a confirmed import serves all parts of the feed that its report does not list as lost", async () => {
  const file = allBytes(mp3(20_000));
  await using from = await source(({ send }) => send(httpResponse(file, { type: "audio/mpeg" })));
  const address = newAddress();
  const items = episodes(1, `${from.url}a.mp3`).map((one) => ({ ...one, more: `<link>${from.url}1</link>${item}` }));
  const { id, show } = await started(feed(items, channel(address)));
  const { channel: fieldsOf, warnings } = done(await get(id));
  assert.ok(warnings.some(({ code }: { code: string }) => code === "VALUE_BLOCK_LOST"));
  const fields = Object.keys(fieldsOf);
  done(await post(id, "confirm", { applyDetectedEpisodeNumbers: false, limit: null, applyChannel: fields }));
  await waitFor("the import ends", async () => done(await get(id)).status === "completed", 30);

  const read = async () => (await sendRequest({ method: "GET", path: `/public/feeds/${show.slug}.xml` })).text;
  // the first request of a feed renders it without the notes, which the worker sanitizes
  await waitFor("the feed has the episode's notes", async () => (await read()).includes("</content:encoded>"), 30);
  const xml = await read();
  for (const part of [...KEPT_IN_CHANNEL, ...KEPT_IN_ITEM]) assert.ok(xml.includes(part), `${part} is not in ${xml}`);
  assert.ok(![address, "old.example", from.url].some((part) => xml.includes(part)), xml);
  const [{ owner_email }] = await sql`select owner_email from public.podcasts where id = ${show.id}`;
  assert.equal(owner_email, address);

  const { text, body } = await sendRequest({ method: "GET", path: `${BASE}/${id}/report`, as: "admin" });
  assert.ok(!text.includes(address), text);
  const { channel: ofChannel, items: [ofItem], summary } = body.data;
  assert.deepEqual(ofChannel.carried, ["podcast:chat"]);
  assert.deepEqual(reasons(ofChannel.lost), [
    "atom:link SELF_LINK",
    "generator REPLACED_BY_OURS",
    "itunes:category INVALID",
    "podcast:locked LOCK",
    "webMaster PRIVATE_ADDRESS",
  ]);
  assert.deepEqual(ofItem.carried, ["media:rating"]);
  assert.deepEqual(reasons(ofItem.lost), [
    "link REPLACED_BY_OURS",
    "podcast:alternateEnclosure/@bitrate TRUNCATED",
    "podcast:location/@geo INVALID",
    "podcast:person INVALID",
    "podcast:person/@role REPLACED_BY_OURS",
    "podcast:value MONEY",
  ]);
  assert.ok(!xml.includes("<podcast:value"), xml);
  assert.equal(ofItem.lost[0].reason, "MONEY");
  assert.deepEqual(summary.lost.list[0], { path: "podcast:value", reason: "MONEY", count: 1 });
  assert.equal(summary.lost.count, 6);
  for (const field of ["enclosure", "transcripts", "soundbites", "seasonName"]) {
    assert.ok(ofItem.modelled.includes(field));
  }
});

Deno.test("an import carries nothing that acts for the old feed, hides or ends the podcast, and reports each", async () => {
  const file = allBytes(mp3(20_000));
  await using from = await source(({ send }) => send(httpResponse(file, { type: "audio/mpeg" })));
  const [item] = episodes(1, `${from.url}a.mp3`);
  item.more = Object.keys(ITEM_ACTS).join("");
  const { id, show } = await started(feed([item], `${BLOCKS}${Object.keys(ACTS).join("")}`));
  done(await post(id, "confirm", { applyDetectedEpisodeNumbers: false, limit: null, applyChannel: [] }));
  await waitFor("the import ends", async () => done(await get(id)).status === "completed", 30);

  const read = async () => (await sendRequest({ method: "GET", path: `/public/feeds/${show.slug}.xml` })).text;
  await waitFor("the feed has the episode", async () => (await read()).includes("</item>"), 30);
  const xml = await read();
  for (const part of ["old.example", "block", "complete", "new-feed-url", "limit", 'locked="']) {
    assert.ok(!xml.includes(part), `${part} is in ${xml}`);
  }
  assert.equal(xml.match(/<enclosure /g)!.length, 1);
  const { body } = await sendRequest({ method: "GET", path: `${BASE}/${id}/report`, as: "admin" });
  const { channel: ofChannel, items: [ofItem] } = body.data;
  assert.deepEqual([ofChannel.carried, ofItem.carried], [[], []]);
  assert.deepEqual(reasons(ofChannel.lost), Object.values(ACTS).sort());
  assert.deepEqual(reasons(ofItem.lost), Object.values(ITEM_ACTS).sort());
});
