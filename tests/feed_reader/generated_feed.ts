// Generates well-formed feeds with all known elements, unknown ones, and hostile content.
import type { SeededRandom } from "../random.ts";

const NAMESPACES = [
  'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"',
  'xmlns:podcast="https://podcastindex.org/namespace/1.0"',
  'xmlns:content="http://purl.org/rss/1.0/modules/content/"',
  'xmlns:atom="http://www.w3.org/2005/Atom"',
  'xmlns:media="http://search.yahoo.com/mrss/"',
  'xmlns:dc="http://purl.org/dc/elements/1.1/"',
  'xmlns:psc="http://podlove.org/simple-chapters"',
  'xmlns:googleplay="http://www.google.com/schemas/play-podcasts/1.0"',
  'xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"',
  'xmlns:wfw="http://wellformedweb.org/CommentAPI/"',
  'xmlns:fh="http://purl.org/syndication/history/1.0"',
  'xmlns:feedburner="http://rssnamespace.org/feedburner/ext/1.0"',
  'xmlns:x="urn:example:x"',
  'xmlns:y="https://y.example/?a=1&amp;b=2"',
].join(" ");

/** Escaped; each is a text and an attribute value. */
const TEXTS = [
  "Night trains",
  "A &amp; B",
  "&lt;p&gt;One &lt;b&gt;two&lt;/b&gt;&lt;/p&gt;",
  "“Ünï – 🎧”",
  "7",
  "315.5",
  "true",
  "no",
  "https://a.example/1?a=1&amp;b=2",
  "mailto:ana@a.example",
  "javascript:alert(1)",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "x &lt;img src=x onerror=alert(1)&gt;",
  "]]&gt;",
  "&#9;&#10; two   lines &#10;",
  "&amp;amp; &amp;nbsp; &amp;lt;p&amp;gt;",
  "&#x1F600;&#8217;",
  "00:10:00.5",
  "-5",
  "ana@a.example (Ana)",
  "a".repeat(300),
  "audio/e1.mp3",
  "?id=3",
];
const BASES = ["https://base.example/dir/", "sub/", "/root", "?x", "file:///etc/", "javascript:alert(1)"];
const NAMES = [
  "url",
  "href",
  "uri",
  "type",
  "length",
  "rel",
  "role",
  "name",
  "text",
  "domain",
  "startTime",
  "duration",
];
const ODD_NAMES = ["foo", "x:foo", "xml:lang", "media:x", "onload", "style", "Data-Set", "itunes:foo", "xml:base"];

const uuid = "917393e3-1b1e-5cef-ace4-edaa54e1f810";

/** Elements as the specifications have them; `$` is a random text, `@` are random further attributes. */
const BOTH = [
  "<title@>$</title>",
  "<link@>https://a.example/$</link>",
  "<description@>$</description>",
  "<itunes:summary@>$</itunes:summary>",
  "<itunes:subtitle@>$</itunes:subtitle>",
  "<itunes:author@>$</itunes:author>",
  "<itunes:explicit@>$</itunes:explicit>",
  "<itunes:block@>Yes</itunes:block>",
  '<itunes:image href="https://a.example/$"@/>',
  "<itunes:keywords@>a, b,$</itunes:keywords>",
  '<category domain="$"@>$</category>',
  '<podcast:person role="$" group="cast" img="https://a.example/a.jpg" href="$"@>$</podcast:person>',
  '<podcast:location rel="creator" geo="geo:30.27,-97.74" osm="R113314" country="US"@>$</podcast:location>',
  '<podcast:location rel="$"@>Austin</podcast:location>',
  '<podcast:license url="https://a.example/license"@>$</podcast:license>',
  '<podcast:image href="https://a.example/c.jpg" alt="$" aspect-ratio="16/9" width="1600" height="$" type="image/jpeg" purpose="social"@/>',
  '<podcast:images srcset="https://a.example/1.jpg 1500w, https://a.example/2.jpg 300w"@/>',
  '<podcast:socialInteract protocol="activitypub" uri="https://a.example/@ana/1" accountId="@ana" accountUrl="https://a.example/@ana" priority="1"@/>',
  '<podcast:socialInteract protocol="nostr" uri="nostr:abc" priority="$"/>',
  '<podcast:funding url="https://a.example/give"@>$</podcast:funding>',
  '<podcast:txt purpose="$"@>$</podcast:txt>',
  `<podcast:value type="lightning" method="keysend" suggested="0.00000005000"@>
     <podcast:valueRecipient name="$" type="node" address="02d5" split="40" customKey="1" customValue="2" fee="true"@/>
     <podcast:valueRecipient name="Bob" type="lnaddress" address="bob@b.example" split="$"/><!-- c -->
     <podcast:valueTimeSplit startTime="60" duration="237.5" remoteStartTime="1" remotePercentage="95"@>
       <podcast:remoteItem itemGuid="i" feedGuid="${uuid}" medium="music" feedUrl="https://a.example/f" title="$"@/>
     </podcast:valueTimeSplit>
     <podcast:valueTimeSplit startTime="$" duration="1"><podcast:valueRecipient type="node" address="$" split="1"/>
       <x:odd/></podcast:valueTimeSplit>$</podcast:value>`,
  '<podcast:value><podcast:valueRecipient name="$"/></podcast:value>',
  '<podcast:chat server="irc.example" protocol="irc" accountId="@a" space="#a"@/>',
  '<podcast:futureTag level="1"@><podcast:inner>$</podcast:inner></podcast:futureTag>',
  '<atom:link href="https://a.example/feed.xml" rel="self" type="application/rss+xml"@/>',
  '<atom:link href="https://hub.example/" rel="hub"/>',
  '<atom:link href="https://a.example/$" rel="payment" title="$"@/>',
  '<atom:link href="https://a.example/page2.xml" rel="last"/>',
  "<atom:author><atom:name>$</atom:name><atom:uri>$</atom:uri></atom:author>",
  "<dc:creator@>$</dc:creator>",
  "<dc:date>2024-05-01T10:00:00Z</dc:date>",
  '<media:thumbnail url="https://a.example/t.jpg" width="1"@/>',
  '<media:rating scheme="urn:simple"@>adult</media:rating>',
  '<media:content url="https://a.example/2.mp3" type="audio/mpeg" medium="audio"@><media:title>$</media:title></media:content>',
  "<googleplay:author@>$</googleplay:author>",
  "<googleplay:email>ana@a.example</googleplay:email>",
  "<sy:updatePeriod>hourly</sy:updatePeriod>",
  "<wfw:commentRss>https://a.example/comments</wfw:commentRss>",
  "<feedburner:origLink>https://a.example/$</feedburner:origLink>",
  "<fh:complete/>",
  "<x:note level='$' x:level=\"$\" y:n='1'@>$<x:deep>$</x:deep><![CDATA[ a & b <c> ]]><!-- no --><?pi no?></x:note>",
  '<note xmlns="urn:example:default"@>$<inner a="$"/><x:y/></note>',
  '<z:a xmlns:z="urn:example:z1"><z:b xmlns:z="urn:example:z2" z:c="$">$</z:b><z:d/></z:a>',
  '<other:link xmlns:other="http://www.w3.org/2005/Atom" rel="next" href="https://a.example/2"/>',
  '<other:name xmlns:other="http://www.w3.org/2005/Atom">$</other:name>',
  "<order@>$</order>",
  "<p>$</p>",
  '<x:wrapper><enclosure url="https://evil.example/1.mp3" type="audio/mpeg" length="1"/></x:wrapper>',
  "<x:wrapper><itunes:new-feed-url>https://evil.example/</itunes:new-feed-url></x:wrapper>",
  "<x:html><script>$</script></x:html>",
  "<itunes:new-feed-url>https://evil.example/</itunes:new-feed-url>",
  "<podcast:complete>yes</podcast:complete>",
  "<generator@>$</generator>",
  "<author>ana@a.example (Ana)</author>",
  "$",
  "<![CDATA[stray]]>",
];
const CHANNEL = [
  "<language@>en</language>",
  "<itunes:owner@><itunes:name>$</itunes:name><itunes:email>ana@a.example</itunes:email><x:odd/></itunes:owner>",
  '<podcast:locked owner="ana@a.example"@>yes</podcast:locked>',
  `<podcast:guid@>${uuid}</podcast:guid>`,
  "<podcast:medium@>podcast</podcast:medium>",
  '<itunes:category text="$"@><itunes:category text="$"/></itunes:category>',
  "<itunes:type@>serial</itunes:type>",
  "<itunes:complete@>Yes</itunes:complete>",
  '<podcast:block id="google"@>yes</podcast:block>',
  "<podcast:block>$</podcast:block>",
  "<image@><url>https://a.example/c.jpg</url><title>$</title><link>$</link><width>$</width><x:odd>$</x:odd></image>",
  "<copyright@>$</copyright>",
  "<lastBuildDate>Wed, 01 May 2024 10:00:00 GMT</lastBuildDate>",
  '<podcast:updateFrequency complete="$" dtstart="2024-01-01" rrule="FREQ=WEEKLY"@>$</podcast:updateFrequency>',
  `<podcast:podroll><podcast:remoteItem feedGuid="${uuid}" feedUrl="https://a.example/f" title="$"@/></podcast:podroll>`,
  `<podcast:remoteItem feedGuid="$" medium="music"@/>`,
  `<podcast:publisher><podcast:remoteItem medium="publisher" feedGuid="${uuid}" feedUrl="https://a.example/p"/></podcast:publisher>`,
  '<podcast:trailer url="https://a.example/t.mp3" pubdate="Thu, 01 Apr 2021 08:00:00 EST">$</podcast:trailer>',
  '<podcast:podping usesPodping="true"/>',
  '<podcast:liveItem status="live" start="2021-09-26T07:30:00Z"><title>$</title><guid>1</guid></podcast:liveItem>',
  "<managingEditor>ana@a.example (Ana)</managingEditor>",
  "<webMaster@>$</webMaster>",
  "<ttl>60</ttl>",
  "<skipHours><hour>1</hour></skipHours>",
  '<cloud domain="a.example" port="80"/>',
];
const ITEM = [
  "<itunes:title@>$</itunes:title>",
  "<content:encoded@><![CDATA[<p>One</p>]]></content:encoded>",
  "<pubDate>Wed, 01 May 2024 10:00:00 GMT</pubDate>",
  "<pubDate@>$</pubDate>",
  '<enclosure url="https://a.example/1.mp3?a=1&amp;b=2" length="$" type="audio/mpeg"@/>',
  '<media:group@><media:content url="https://a.example/1.mp3?a=1&amp;b=2" fileSize="5"/><media:title>$</media:title></media:group>',
  '<media:content url="https://a.example/1.mp3?a=1&amp;b=2" duration="$" medium="audio"><media:credit@>$</media:credit>' +
  '<media:thumbnail url="https://a.example/t.jpg" width="$"/><x:odd>$</x:odd></media:content>',
  "<itunes:duration>$</itunes:duration>",
  "<itunes:season@>$</itunes:season>",
  '<podcast:season name="$"@>2</podcast:season>',
  "<itunes:episode@>7</itunes:episode>",
  '<podcast:episode display="$"@>7</podcast:episode>',
  "<podcast:episode>315.5</podcast:episode>",
  "<itunes:episodeType@>$</itunes:episodeType>",
  '<podcast:transcript url="https://a.example/1.vtt" type="text/vtt" language="fr" rel="captions"@/>',
  '<podcast:chapters url="https://a.example/1.json" type="application/json+chapters"@/>',
  '<psc:chapters version="1.2"@><psc:chapter start="00:01:02.5" title="$" href="https://a.example/c" image="$"@/>' +
  '<psc:chapter start="$" title="Two"/></psc:chapters>',
  '<podcast:soundbite startTime="73.25" duration="60.0"@>$</podcast:soundbite>',
  '<podcast:soundbite startTime="$" duration="$"/>',
  '<podcast:contentLink href="https://a.example/watch"@>$</podcast:contentLink>',
  '<podcast:alternateEnclosure type="audio/opus" length="32400000" bitrate="96000.5" height="1" lang="en" title="$" rel="a" codecs="opus" default="true"@>' +
  '<podcast:source uri="https://a.example/1.opus" contentType="audio/opus"@/><podcast:source uri="ipfs://abc"/>' +
  '<podcast:integrity type="sri" value="sha384-abc"@/><x:odd>$</x:odd></podcast:alternateEnclosure>',
  '<podcast:alternateEnclosure type="$"/>',
  '<source url="https://a.example/feed.xml">$</source>',
  "<comments>https://a.example/$</comments>",
  "<podcast:block>yes</podcast:block>",
];

/** Atom's elements: texts are plain, HTML or XHTML. */
const ATOM_BOTH = [
  "<title@>$</title>",
  '<title type="html">One &amp;amp; two</title>',
  "<author@><name>$</name><uri>$</uri><email>ana@a.example</email></author>",
  "<contributor><name>$</name></contributor>",
  '<category term="$" label="$" scheme="$"@/>',
  '<category term="$"@>$</category>',
  '<link href="https://a.example/$"@/>',
  '<link rel="self" href="https://a.example/feed"/>',
  '<link rel="next" href="https://a.example/2"/>',
  '<link rel="payment" href="$" title="$"@/>',
  '<link rel="$" href="$"/>',
  "<rights@>$</rights>",
  "<updated@>2024-05-01T10:00:00Z</updated>",
  "<foo@>$</foo>",
];
const ATOM_CHANNEL = [
  '<subtitle type="html"@>$</subtitle>',
  "<subtitle>$</subtitle>",
  "<logo@>https://a.example/l.png</logo>",
  "<icon@>$</icon>",
  '<generator uri="$" version="$"@>$</generator>',
  "<id@>$</id>",
];
const ATOM_ITEM = [
  '<link rel="enclosure" href="https://a.example/1.mp3?a=1&amp;b=2" type="audio/mpeg" length="$"@/>',
  '<link rel="enclosure" href="$" title="$"/>',
  '<content type="html"@>$</content>',
  '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">One</div></content>',
  '<content type="$">$</content>',
  '<content type="audio/mpeg" src="https://a.example/2.mp3"/>',
  "<summary@>$</summary>",
  "<published@>2024-05-01T10:00:00+02:00</published>",
  "<source><id>$</id><title>$</title></source>",
];
const isPrefixed = (template: string) => /^<\w+:/.test(template);

/** An Atom feed with one to three entries. */
export function generateAtomFeed(random: SeededRandom): string {
  const { below, chance, one } = random;
  const { some, base } = filler(random);
  const both = [...BOTH.filter(isPrefixed), ...ATOM_BOTH, ...ATOM_BOTH];
  const entry = (n: number) =>
    `<entry${base()}><id>${n}</id>${
      some([...both, ...ITEM.filter(isPrefixed), ...ATOM_ITEM, ...ATOM_ITEM], below(25))
    }</entry>`;
  const entries = Array.from({ length: 1 + below(3) }, (_, n) => entry(n)).join("");
  const head = some([...both, ...CHANNEL.filter(isPrefixed), ...ATOM_CHANNEL], below(25));
  const language = chance(0.5) ? ` xml:lang="${one(["de", "en-GB"])}"` : "";
  return `<?xml version="1.0"?>\n<feed xmlns="http://www.w3.org/2005/Atom" ${NAMESPACES}${base()}${language}>${head}${entries}</feed>`;
}

/** A feed with one to three items. The further templates are as those above. */
export function generateFeed(
  random: SeededRandom,
  more: { channel: string[]; item: string[] } = { channel: [], item: [] },
): string {
  const { below, chance } = random;
  const { some, base } = filler(random);
  const item = (n: number) =>
    `<item${base()}><guid isPermaLink="false">${n}</guid>${some([...BOTH, ...ITEM, ...more.item], below(25))}</item>`;
  const items = Array.from({ length: 1 + below(3) }, (_, n) => item(n));
  const channel = some([...BOTH, ...CHANNEL, ...more.channel], below(25));
  const after = chance(0.2) ? some([...BOTH, ...CHANNEL], 3) : "";
  return `<?xml version="1.0"?>\n<rss version="2.0" ${NAMESPACES}${base()}><channel${base()}>${channel}${
    items.join("\n")
  }${after}</channel></rss>`;
}

/** Fills templates at random. */
function filler({ below, one, chance }: SeededRandom) {
  const attributes = () => {
    const names = new Set(Array.from({ length: below(3) }, () => one(chance(0.5) ? ODD_NAMES : NAMES)));
    return [...names].map((name) => ` ${name}="${one(TEXTS).replaceAll('"', "&quot;")}"`).join("");
  };
  const fill = (template: string) => {
    const tags = template.replaceAll("$", () => one(TEXTS));
    // no attribute twice, which would not be well-formed
    return tags.replace(/<(\w[^<>]*)@(\/?)>/g, (_, tag: string, end: string) => {
      const more = chance(0.2)
        ? attributes().split(/(?= [\w:-]+=")/).filter((each) => !tag.includes(` ${each.trim().split("=")[0]}=`))
        : [];
      return `<${tag}${more.join("")}${end}>`;
    });
  };
  const some = (templates: string[], count: number) =>
    Array.from({ length: count }, () => fill(one(templates))).join(chance(0.5) ? "\n" : "");
  const base = () => chance(0.2) ? ` xml:base="${one(BASES)}"` : "";
  return { some, base };
}
