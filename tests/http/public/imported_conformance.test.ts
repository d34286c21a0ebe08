// The feed of a realistic imported podcast follows the rules of docs/feed-rules.md, with any choice of the podcaster.
import assert from "node:assert/strict";
import { advice, violations } from "../../feed_writer/conformance.ts";
import { childrenNamed, parseXml } from "../../feed_writer/fixture.ts";
import { allBytes, mp3 } from "../../worker/source.ts";
import { httpResponse, source } from "../api/artwork.ts";
import { newUserName } from "../api/images.ts";
import { done, post, served, standing } from "../api/imports.ts";
import { person, podcast, sendRequest, sql, waitFor } from "../harness.ts";

/** Habits of other hosts' feeds, one per item. */
const oddities: Record<string, string> = {
  "HTML in the title": "<title><![CDATA[<b>Rails</b> &amp; sleepers <br/> ]]></title>",
  "a title that is escaped twice": "<title>Q&amp;amp;A: 5 &amp;lt; 6</title>",
  "a title of 900 characters": `<title>${"Lang und länger ".repeat(60)}</title>`,
  "no title": "<itunes:title>Only for Apple</itunes:title>",
  "lines in the title": "<title>\n  One\r\n\ttwo&#160;three  </title>",
  "a title with a number":
    "<title>S2 E7: Vienna</title><itunes:season>2</itunes:season><itunes:episode>7</itunes:episode>",
  "HTML in the description":
    `<description><![CDATA[<p onclick="x()">Hi <a href="javascript:x">you</a></p><script>x</script>]]></description>`,
  "a long description": `<description>${"&lt;p&gt;Wörter &amp;amp; mehr&lt;/p&gt;".repeat(900)}</description>`,
  "a description as long as the summary": `<description>${"ü".repeat(9000)}</description><itunes:summary>${
    "夜".repeat(4500)
  }</itunes:summary>`,
  "hostile notes":
    "<description>Short</description><content:encoded><![CDATA[<iframe src=//x></iframe><img src=x onerror=y><style>p{}</style><p>Notes]]></content:encoded>",
  "entities":
    "<title>Caf&eacute; &mdash; &#x1F682; &#0; &unknown;</title><description>&nbsp;&copy; 2019&hellip;</description>",
  "no date": "",
  "an unreadable date": "<pubDate>yesterday-ish</pubDate>",
  "a date in a local zone": "<pubDate>Tue, 3 Mar 2020 9:05:00 EST</pubDate>",
  "a date of another format": "<pubDate>2020-03-03T09:05:00+01:00</pubDate>",
  "a permalink as GUID": "<guid>https://old.example/?p=1&amp;x=ü</guid>",
  "a GUID with spaces": `<guid isPermaLink="false">  tag:old.example, 2020: é </guid>`,
  "odd numbers":
    "<itunes:season>0</itunes:season><itunes:episode>-3</itunes:episode><podcast:episode>1.5</podcast:episode>",
  "huge numbers": "<itunes:season>99999999999</itunes:season><itunes:episode>2020</itunes:episode>",
  "odd durations": "<itunes:duration>1:02:03.5</itunes:duration>",
  "another odd duration": "<itunes:duration>n/a</itunes:duration>",
  "old values":
    "<itunes:explicit>clean</itunes:explicit><itunes:episodeType>Bonus</itunes:episodeType><itunes:block>yes</itunes:block>",
  "unknown values":
    "<itunes:explicit>maybe</itunes:explicit><itunes:episodeType>special</itunes:episodeType><itunes:block>no</itunes:block>",
  "transcripts":
    `<podcast:transcript url="https://old.example/ü 1.srt" type="application/srt" language="en_US" rel="subtitles"/>
    <podcast:transcript url="/2.vtt" type="TEXT/VTT; charset=utf-8" language="English" rel="CAPTIONS"/>
    <podcast:transcript url="https://old.example/3.html" type="text/html" language="pt-BR"/>
    <podcast:transcript url="javascript:x" type="text/html"/><podcast:transcript url="https://old.example/5"/>`,
  "chapters": `<podcast:chapters url="https://old.example/c.json" type="application/json"/>`,
  "people": `<podcast:person role="Guest" img="x" href="mailto:a@b.example">Zoë ${"Long ".repeat(80)}</podcast:person>
    <podcast:person role="ghost writer" group="nobody"> </podcast:person>`,
  "a cover without a host": `<itunes:image href="/cover.jpg?x=1 2"/>`,
};

const CHANNEL = `<description><![CDATA[<p>About <b>trains</b></p>${"Wörter ".repeat(900)}]]></description>
<language>EN_us</language><link>nighttrains.example</link><itunes:author> Ana &amp;amp; Bo </itunes:author>
<itunes:owner><itunes:name>Ana</itunes:name></itunes:owner><itunes:explicit>clean</itunes:explicit>
<itunes:category text="Society &amp;amp; Culture"><itunes:category text="Places &amp; Travel"/></itunes:category>
<itunes:category text="Podcasting"/><itunes:category text="Technology"><itunes:category text="Gadgets"/></itunes:category>
<itunes:type>Serial</itunes:type><itunes:block>no</itunes:block><copyright>© 2019 Ana</copyright>
<podcast:txt purpose="ai-content">partly</podcast:txt><podcast:txt purpose="verify">abc</podcast:txt>
<podcast:guid>not a guid</podcast:guid><podcast:medium>Podcast</podcast:medium><lastBuildDate>never</lastBuildDate>`;

const oddFeed = (audio: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE rss [<!ENTITY eacute "é">]>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:content="http://purl.org/rss/1.0/modules/content/"
 xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel><title>Night &amp;amp; Trains</title>${CHANNEL}${
    Object.entries(oddities).map(([what, tags], n) =>
      `<item>${/<guid/.test(tags) ? "" : `<guid isPermaLink="false">odd-${n}</guid>`}${
        /<(?:itunes:)?title/.test(tags) ? "" : `<title>${what}</title>`
      }${/[Dd]ate/.test(what) ? "" : `<pubDate>${new Date(Date.UTC(2020, 0, 60 - n)).toUTCString()}</pubDate>`}
<enclosure url="${audio}a ${n}.mp3?x=1&amp;y=ü" length="" type="audio/mp3"/>${tags}</item>`
    ).join("")
  }</channel></rss>`;

Deno.test("the feed of an imported podcast follows every rule, before and after the podcaster's edits", async () => {
  const count = Object.keys(oddities).length;
  const file = allBytes(mp3(20_000));
  let text = "";
  await using from = await source(({ request, send }) =>
    send(request.startsWith("GET /feed") ? served(text) : httpResponse(file, { type: "audio/mpeg" }))
  );
  text = oddFeed(from.url);
  const owner = newUserName("imports");
  const show = await podcast("Imported oddities", owner);
  const started = done(
    await sendRequest({
      method: "POST",
      path: "/api/imports/podcast",
      as: "admin",
      json: { podcast_id: show.id, feed_url: `${from.url}feed.xml` },
    }),
  );
  assert.equal(started.status, "preview");
  done(await post(started.importId, "confirm", { applyDetectedEpisodeNumbers: true, limit: null }));
  await waitFor("the import ends", async () => {
    await sql`
      update pgmq.q_import_items set vt = clock_timestamp()
      where message ->> 'import_id' = ${started.importId} and vt > clock_timestamp() and read_ct = 0`;
    return (await standing(started.importId)).completed === count;
  }, 60);

  const rendered = (expected: (xml: string) => boolean) =>
    waitFor("the feed is rendered", async () => {
      const { text } = await sendRequest({ method: "GET", path: `/public/feeds/${show.slug}.xml` });
      return expected(text) ? text : "";
    }, 30);
  const before = await rendered((xml) =>
    xml.split("<item>").length === count + 1 && xml.split("<content:encoded>").length >= 4
  );
  assert.deepEqual(violations(before), []);
  assert.ok(!/script&gt;|onclick|onerror|iframe|javascript/.test(before.replaceAll(/<itunes:title>.*|<title>.*/g, "")));
  const items = childrenNamed(parseXml(before).children[0], "item");
  assert.equal(items.filter((item) => childrenNamed(item, "itunes:block").length > 0).length, 1);
  assert.ok(advice(before).includes("show-description"));

  const { client } = await person(owner);
  const { error } = await client.from("podcasts").update({
    ...{ description: `<p>${"Wörter & ".repeat(1000)}`, language: "EN-us", author: "Ana & <Bo>", type: "serial" },
    ...{ categories: [{ category: "Society & Culture", subcategory: "Places & Travel" }, { category: "Technology" }] },
    ...{
      owner_name: "Ana",
      owner_email: "ana@old.example",
      show_owner_email: true,
      copyright: "© Ana",
      explicit: true,
    },
    ...{
      medium: "podcastL",
      is_complete: true,
      is_blocked: true,
      locked: false,
      link: "https://old.example/ü?a=1&b={2}",
    },
    ...{ funding: [{ url: "https://old.example/give?a=1&b=é", text: "Give & <take>" }] },
    ...{
      verify_texts: [{ text: "<x>", purpose: "verify" }],
      ai_disclosure: "Only & <music>",
      apple_verify_token: "a&b",
    },
    ...{ cover_image_url: "https://old.example/coverü.png?size=3000" },
  }).eq("id", show.id).select("id").single();
  assert.equal(error, null);
  const after = await rendered((xml) =>
    xml.includes("<itunes:owner>") && /itunes:image/.test(xml.split("<item>").at(-1)!)
  );
  assert.deepEqual(violations(after), []);
  assert.match(after, /<language>EN-us/);
  assert.ok(!advice(after).includes("show-description"));
  for (const id of ["artwork", "category", "author", "episodes"]) assert.ok(!advice(after).includes(id), id);
});
