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

const item = `<link>https://old.example/1</link><description>&lt;p&gt;About one &amp;amp; two&lt;/p&gt;</description>
<itunes:duration>00:01:01</itunes:duration><itunes:season>2</itunes:season><podcast:season name="Egypt">2</podcast:season>
<podcast:person role="Executive Producer">Eve</podcast:person><podcast:person role="narrator">Ann</podcast:person>
<podcast:transcript url="https://a.example/1.srt" type="application/srt"/>
<podcast:soundbite startTime="1" duration="2">Bite</podcast:soundbite>
<podcast:location geo="here">Graz</podcast:location>
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
  '<media:rating xmlns:media="http://search.yahoo.com/mrss/" scheme="urn:simple">nonadult</media:rating>',
];

const reasons = (lost: { path: string; reason: string }[]) =>
  lost.map(({ path, reason }) => `${path} ${reason}`).sort();

Deno.test("a confirmed import serves all parts of the feed that its report does not list as lost", async () => {
  const file = allBytes(mp3(20_000));
  await using from = await source(({ send }) => send(httpResponse(file, { type: "audio/mpeg" })));
  const address = newAddress();
  const items = episodes(1, `${from.url}a.mp3`).map((one) => ({ ...one, more: item }));
  const { id, show } = await started(feed(items, channel(address)));
  const fields = Object.keys(done(await get(id)).channel);
  done(await post(id, "confirm", { applyDetectedEpisodeNumbers: false, limit: null, applyChannel: fields }));
  await waitFor("the import ends", async () => done(await get(id)).status === "completed", 30);

  const read = async () => (await sendRequest({ method: "GET", path: `/public/feeds/${show.slug}.xml` })).text;
  // the first request of a feed renders it without the notes, which the worker sanitizes
  await waitFor("the feed has the episode's notes", async () => (await read()).includes("</content:encoded>"), 30);
  const xml = await read();
  for (const part of [...KEPT_IN_CHANNEL, ...KEPT_IN_ITEM]) assert.ok(xml.includes(part), `${part} is not in ${xml}`);
  assert.ok(!xml.includes(address) && !xml.includes("old.example"), xml);
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
    "podcast:location INVALID",
    "podcast:person INVALID",
    "podcast:person/@role REPLACED_BY_OURS",
  ]);
  assert.equal(summary.lost.count, 4);
  for (const field of ["enclosure", "transcripts", "soundbites", "seasonName"]) {
    assert.ok(ofItem.modelled.includes(field));
  }
});
