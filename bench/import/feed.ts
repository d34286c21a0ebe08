// The feeds of the parsing benchmarks: about 6.7 KB per item, as hosting software writes them.
const WORDS =
  ("night train sleeper couchette border station platform whistle dining carriage timetable morning frost " +
    "conductor ticket window corridor luggage delay departure arrival tunnel bridge river mountain valley plain signal " +
    "engine steam electric gauge island harbour ferry customs passport language stranger story coffee bread lamp")
    .split(" ");

const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:atom="http://www.w3.org/2005/Atom"
  xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:podcast="https://podcastindex.org/namespace/1.0"
  xmlns:trains="https://trains.example/feed/1.0">
<channel>
<title>Night Trains</title>
<link>https://trains.example/</link>
<description>One line at a time.</description>
<language>en</language>
<itunes:author>Ana</itunes:author>
<itunes:owner><itunes:name>Ana</itunes:name><itunes:email>ana@trains.example</itunes:email></itunes:owner>
<itunes:image href="https://trains.example/cover.jpg"/>
<itunes:category text="Society &amp; Culture"><itunes:category text="Places &amp; Travel"/></itunes:category>
<itunes:explicit>false</itunes:explicit>
<podcast:locked owner="ana@trains.example">no</podcast:locked>
`;

/** Half of the notes are escaped, half are in CDATA; both are common. */
function item(n: number, noteChars: number): string {
  let seed = n + 1;
  const next = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const sentence = () => Array.from({ length: 9 }, () => WORDS[Math.floor(next() * WORDS.length)]).join(" ");
  const paragraph = () =>
    `<p>${sentence()} — ${sentence()}. <a href="https://trains.example/${
      Math.floor(next() * 1e6)
    }">${sentence()}</a></p>\n`;
  let html = "";
  while (html.length < noteChars) html += paragraph();
  const date = new Date(Date.UTC(2024, 0, 1) - n * 86_400_000).toUTCString();
  return `<item>
<title>Paris by night, part ${n} &amp; more</title>
<link>https://trains.example/listen/${n}</link>
<guid isPermaLink="false">trains-${n}</guid>
<pubDate>${date}</pubDate>
<description>${html.slice(0, 500).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;")}</description>
<content:encoded><![CDATA[${html}]]></content:encoded>
<enclosure url="https://media.trains.example/${n}.mp3?source=feed&amp;part=${n}" length="${
    1_000_000 + n
  }" type="audio/mpeg"/>
<itunes:duration>${1800 + n % 999}</itunes:duration>
<itunes:season>${1 + n % 7}</itunes:season>
<itunes:episode>${n + 1}</itunes:episode>
<itunes:episodeType>full</itunes:episodeType>
<itunes:explicit>false</itunes:explicit>
<itunes:image href="https://trains.example/${n}.jpg"/>
<podcast:person role="guest" href="https://trains.example/people/${n}">${sentence().slice(0, 20)}</podcast:person>
<podcast:transcript url="https://trains.example/${n}.vtt" type="text/vtt"/>
<podcast:chapters url="https://trains.example/${n}.json" type="application/json+chapters"/>
</item>
`;
}

/** What few feeds have: elements of the podcast namespace, and of one that only their host knows. */
function extras(n: number): string {
  return `<itunes:keywords>night, train ${n}, sleeper</itunes:keywords>
<category domain="https://trains.example/lines">Line ${n % 40}</category>
<podcast:soundbite startTime="${n % 600}.5" duration="30">The whistle</podcast:soundbite>
<podcast:location rel="subject" geo="geo:48.8443,2.3744" osm="R${n}" country="FR">Paris, Gare de Lyon</podcast:location>
<podcast:license url="https://creativecommons.org/licenses/by/4.0/">cc-by-4.0</podcast:license>
<podcast:txt purpose="verify">train-${n}</podcast:txt>
<podcast:socialInteract protocol="activitypub" uri="https://social.trains.example/@ana/${n}" accountId="@ana"/>
<podcast:alternateEnclosure type="audio/opus" length="${500_000 + n}" bitrate="64000" title="Small">
<podcast:source uri="https://media.trains.example/${n}.opus"/><podcast:source uri="ipfs://trains/${n}"/>
</podcast:alternateEnclosure>
<podcast:value type="lightning" method="keysend" suggested="0.00000005000">
<podcast:valueRecipient name="Ana" type="node" address="03ae9f91a0cb8ff43840e3c322c4c61f019d8c1c3cea15a25cf${n}" split="90"/>
<podcast:valueRecipient name="App" type="node" address="02d5c1bf8b940dc9cadca86d1b0a3c37fbe39cee4c7e839e33b${n}" split="10"/>
</podcast:value>
<trains:carriage number="${n % 12}" class="sleeper">Voiture ${n % 12}</trains:carriage>
<trains:timetable><trains:stop station="Dijon" at="22:${10 + n % 50}"/><trains:stop station="Lyon"/></trains:timetable>
`;
}

/** Writes a feed with this many items, with or without extras; returns its size in bytes. */
export async function writeFeed(
  path: string,
  items: number,
  { hasExtras = false, noteChars = 5200 } = {},
): Promise<number> {
  using file = await Deno.open(path, { write: true, create: true, truncate: true });
  const writer = file.writable.getWriter();
  const encoder = new TextEncoder();
  let size = 0;
  const write = async (text: string) => {
    const bytes = encoder.encode(text);
    size += bytes.length;
    await writer.write(bytes);
  };
  await write(HEAD);
  for (let n = 0; n < items; n++) {
    await write(hasExtras ? item(n, noteChars).replace("</item>", extras(n) + "</item>") : item(n, noteChars));
  }
  await write("</channel>\n</rss>\n");
  await writer.close();
  return size;
}
