// Samples for the rules of RSS, PSP-1 and Apple in base_rules.ts.
import { long, of, type Samples } from "./sample_tags.ts";

const image = (inside: string) => `<title>A</title><link>https://a.example/</link><image>${inside}</image>`;
const link = (attributes: string) => `<atom:link ${attributes}/>`;
const self = link(`rel="self" type="application/rss+xml" href="https://a.example/f"`);
const next = link(`rel="next" type="application/rss+xml" href="https://a.example/f?page=2"`);
const hub = link(`rel="hub" href="https://hub.example/"`);
const enclosure = (attributes: string) => `<enclosure ${attributes}/>`;
const moved = "<itunes:new-feed-url>https://a.example/f</itunes:new-feed-url>";

export const baseSamples: Record<string, Samples> = {
  "language": of("channel", ["<language>pt-BR</language>"], ["", "<language>english_uk</language>"]),
  "self-link": of("channel", [self, self + hub + link(`rel="payment" href="https://a.example/give"`)], [
    "",
    hub,
    self + self,
    link(`rel="alternate" type="application/rss+xml" href="https://a.example/f"`),
    link(`rel="self" type="text/xml" href="https://a.example/f"`),
    link(`rel="self" type="application/rss+xml" href="/f"`),
  ]),
  "hub-link": of("channel", [self, self + hub], [self + link(`rel="hub" href="hub.example"`)]),
  "page-links": of("channel", [self, self + link(`rel="first" href="https://a.example/f"`) + next], [
    next + next,
    link(`rel="last" href="?page=2"`),
    link(`rel="previous"`),
  ]),
  "new-feed-url": of("channel", [moved], [
    `${moved}${moved}`,
    "<itunes:new-feed-url>feed:a</itunes:new-feed-url>",
  ]),
  "item-enclosure": of("item", [enclosure(`url="https://a.example/1.mp3" length="0" type="audio/mpeg"`)], [
    "",
    enclosure(`url="1.mp3" length="9" type="audio/mpeg"`),
    enclosure(`url="https://a.example/1.mp3" length="9 MB" type="audio/mpeg"`),
    enclosure(`url="https://a.example/1.mp3" length="9" type="mp3"`),
  ]),
  "explicit": of("any", ["<itunes:explicit>true</itunes:explicit>"], [
    "",
    "<itunes:explicit>clean</itunes:explicit>",
    "<itunes:explicit>true</itunes:explicit><itunes:explicit>true</itunes:explicit>",
  ]),
  "type": of(
    "any",
    [
      "<itunes:type>serial</itunes:type><itunes:complete>Yes</itunes:complete><itunes:block>Yes</itunes:block>",
      "<itunes:episodeType>bonus</itunes:episodeType>",
    ],
    [
      "<itunes:type>weekly</itunes:type>",
      "<itunes:episodeType>special</itunes:episodeType>",
      "<itunes:complete>no</itunes:complete>",
      "<itunes:block>no</itunes:block>",
    ],
  ),
  "rss-image": of(
    "channel",
    [image("<url>https://a.example/1.png</url><title>A</title><link>https://a.example/</link>")],
    [
      image("<url>https://a.example/1.png</url><title>A</title>"),
      image("<url>1.png</url><title>A</title><link>https://a.example/</link>"),
      image("<url>https://a.example/1.png</url><title>B</title><link>https://a.example/</link>"),
      image("<url>https://a.example/1.png</url><title>A</title><link>https://b.example/</link>"),
    ],
  ),
  "rss-category": of("any", ["<category>Rail</category>", `<category domain="Syndic8">1765</category>`], [
    "<category> </category>",
    `<category domain="">Rail</category>`,
  ]),
  "keywords": of("any", ["<itunes:keywords>night, train</itunes:keywords>"], [
    "<itunes:keywords>night,,train</itunes:keywords>",
  ]),
  "description-bytes": of(
    "any",
    [`<description>${long(2000)}</description><itunes:summary>${long(2000)}</itunes:summary>`],
    [`<description>${long(2001)}</description>`, `<itunes:summary>${long(2001)}</itunes:summary>`],
  ),
  "description-safe": of("any", ["<description>a &lt; b</description>"], [
    "<description>&lt;b&gt;</description>",
    "<itunes:summary>&lt;!-- a</itunes:summary>",
  ]),
  "notes-safe": of(
    "item",
    ['<content:encoded>&lt;p title="carry once=1"&gt;a &amp;lt; b&lt;/p&gt;</content:encoded>'],
    [
      "<content:encoded>&lt;script&gt;</content:encoded>",
      "<content:encoded>&lt;p onclick=x&gt;</content:encoded>",
      `<content:encoded>&lt;a href="javascript:x"&gt;</content:encoded>`,
      "<content:encoded>&lt;p</content:encoded>",
    ],
  ),
};
