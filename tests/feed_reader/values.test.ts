// Values of elements: their meaning, or null if they are ambiguous.
import assert from "node:assert/strict";
import type { FeedItem } from "../../functions/feed_reader/feed.ts";
import { readFeedText, readItem, rss, warningCodes } from "./reading.ts";

function table<Value>(
  about: string,
  element: (written: string) => string,
  value: (item: FeedItem) => Value,
  codes: RegExp,
  rows: [written: string, expected: Value, ...codes: string[]][],
) {
  for (const [written, expected, ...expectedCodes] of rows) {
    Deno.test(`parseFeed reads ${about} ${JSON.stringify(written)} as ${JSON.stringify(expected)}`, async () => {
      const item = await readItem(element(written));
      assert.deepEqual(value(item), expected);
      assert.deepEqual(warningCodes(item).filter((code) => codes.test(code)), expectedCodes);
    });
  }
}

table("the title", (text) => `<title>${text}</title>`, ({ title }) => title, /^$/, [
  [" One\r\n\t line  of &#160; text ", "One line of \u00a0 text"],
  ["Episode&#160;12", "Episode\u00a012"],
  ["One&#x2028;two&#x85;three", "One two\u2026three"], // 0x85 means windows-1252, as in HTML
  ["&#160; One &#160;", "One"],
  ["夜\u3000行", "夜\u3000行"],
  ["\u200b\u2060", null],
  ["\u200bOne", "\u200bOne"],
]);

table("the date", (text) => `<pubDate>${text}</pubDate>`, ({ pubDate }) => pubDate, /^DATE/, [
  ["Wed, 01 May 2024 10:00:00 +0000", "2024-05-01T10:00:00.000Z"],
  ["\n  Wed, 01 May 2024 10:00:00 GMT  \n", "2024-05-01T10:00:00.000Z"],
  ["Wed, 1 May 2024 10:00:00 +0200", "2024-05-01T08:00:00.000Z"],
  ["Wed, 01 May 2024 10:00:00 -0730", "2024-05-01T17:30:00.000Z"],
  ["Wed, 01 May 2024 10:00:00 EDT", "2024-05-01T14:00:00.000Z"],
  ["Wed, 01 May 2024 10:00:00 PST", "2024-05-01T18:00:00.000Z"],
  ["Wed, 01 May 2024 10:00:00 CEST", "2024-05-01T08:00:00.000Z"],
  ["Wed, 01 May 2024 10:00:00 Z", "2024-05-01T10:00:00.000Z"],
  ["Wed, 01 May 2024 10:00:00 +0200 (CEST)", "2024-05-01T08:00:00.000Z"],
  ["Wed, 01 May 2024 10:00:00 GMT+0200", "2024-05-01T08:00:00.000Z"],
  ["Wed, 01 May 2024 10:00 +0000", "2024-05-01T10:00:00.000Z"],
  ["01 May 2024 10:00:00 +0000", "2024-05-01T10:00:00.000Z"],
  ["Wed,01 May 2024 10:00:00 +0000", "2024-05-01T10:00:00.000Z"],
  ["Thu, 29 Feb 2024 24:00:00 +0000", "2024-03-01T00:00:00.000Z"],
  ["Sat, 31 Dec 2016 23:59:60 +0000", "2017-01-01T00:00:00.000Z"],
  ["Mon, 01 May 2024 10:00:00 +0000", "2024-05-01T10:00:00.000Z", "DATE_WEEKDAY_MISMATCH"],
  ["Wed, 01 May 2024 10:00:00", "2024-05-01T10:00:00.000Z", "DATE_TIMEZONE_UNKNOWN"],
  ["Wed, 01 May 2024 10:00:00 QQQ", "2024-05-01T10:00:00.000Z", "DATE_TIMEZONE_UNKNOWN"],
  ["Wed, 01 May 2024 10:00:00 Europe/Berlin", "2024-05-01T10:00:00.000Z", "DATE_TIMEZONE_UNKNOWN"],
  ["Wednesday, May 1st, 2024 at 10:00 PM GMT", "2024-05-01T22:00:00.000Z", "DATE_NONSTANDARD"],
  ["Wed, 1 May 24 10:00:00 GMT", "2024-05-01T10:00:00.000Z", "DATE_NONSTANDARD"],
  ["Wed, 01 May 1999 12:30:00 GMT", "1999-05-01T12:30:00.000Z", "DATE_WEEKDAY_MISMATCH"],
  ["Mittwoch, 1. Mai 2024 10:00:00 +0200", "2024-05-01T08:00:00.000Z"],
  ["mer., 01 août 2018 08:00:00 +0200", "2018-08-01T06:00:00.000Z", "DATE_NONSTANDARD"],
  ["2024-05-01T10:00:00Z", "2024-05-01T10:00:00.000Z", "DATE_NONSTANDARD"],
  ["2024-05-01T10:00:00.123+02:00", "2024-05-01T08:00:00.000Z", "DATE_NONSTANDARD"],
  ["2024-05-01 10:00:00", "2024-05-01T10:00:00.000Z", "DATE_TIMEZONE_UNKNOWN", "DATE_NONSTANDARD"],
  ["2024-05-01", "2024-05-01T00:00:00.000Z", "DATE_TIMEZONE_UNKNOWN", "DATE_NONSTANDARD"],
  ["2024/05/01 10:00 +0000", "2024-05-01T10:00:00.000Z", "DATE_NONSTANDARD"],
  ["20240501T100000Z", "2024-05-01T10:00:00.000Z", "DATE_NONSTANDARD"],
  ["Wed May 1 10:00:00 UTC 2024", "2024-05-01T10:00:00.000Z", "DATE_NONSTANDARD"],
  ["31.05.2024 10:00 GMT", "2024-05-31T10:00:00.000Z", "DATE_NONSTANDARD"],
  ["05/31/2024 10:00 GMT", "2024-05-31T10:00:00.000Z", "DATE_NONSTANDARD"],
  ["1714557600", "2024-05-01T10:00:00.000Z", "DATE_NONSTANDARD"],
  ["1714557600000", "2024-05-01T10:00:00.000Z", "DATE_NONSTANDARD"],
  ["2024050110", null, "DATE_INVALID", "DATE_ESTIMATED"],
  [
    "Wed, 01 May 2024 10:00:00 Eastern Standard Time",
    "2024-05-01T10:00:00.000Z",
    "DATE_TIMEZONE_UNKNOWN",
    "DATE_NONSTANDARD",
  ],
  ["Wed, 01 May 2024 10:00:00 Etc/GMT+5", "2024-05-01T10:00:00.000Z", "DATE_TIMEZONE_UNKNOWN", "DATE_NONSTANDARD"],
  ["Wed, 01 May 2024 10:00:00 EST5EDT", "2024-05-01T10:00:00.000Z", "DATE_TIMEZONE_UNKNOWN", "DATE_NONSTANDARD"],
  ["Wed, 01 May 2024 10:00:00 +00000", "2024-05-01T10:00:00.000Z", "DATE_TIMEZONE_UNKNOWN", "DATE_NONSTANDARD"],
  [
    "May 1, 2024 10:00 p.m. Eastern Standard Time",
    "2024-05-01T22:00:00.000Z",
    "DATE_TIMEZONE_UNKNOWN",
    "DATE_NONSTANDARD",
  ],
  ["2024-05-01 10:00:00 +0200 CEST", "2024-05-01T08:00:00.000Z", "DATE_NONSTANDARD"],
  ["2024-05-01T10:00:00+02:00[Europe/Berlin]", "2024-05-01T08:00:00.000Z", "DATE_NONSTANDARD"],
  ["2024-05-01T10:00:00Z[UTC]", "2024-05-01T10:00:00.000Z", "DATE_NONSTANDARD"],
  ["Wed, 01 May 2024 13:00:00 PM Eastern Standard Time", null, "DATE_INVALID", "DATE_ESTIMATED"],
  ["05/06/2024 10:00 Eastern Standard Time", null, "DATE_INVALID", "DATE_ESTIMATED"],
  ["10:00 Eastern Standard Time", null, "DATE_INVALID", "DATE_ESTIMATED"],
  ["05/06/2024 10:00 GMT", null, "DATE_INVALID", "DATE_ESTIMATED"],
  ["Fri, 30 Feb 2024 10:00:00 GMT", null, "DATE_INVALID", "DATE_ESTIMATED"],
  ["Wed, 01 May 2024 25:00:00 GMT", null, "DATE_INVALID", "DATE_ESTIMATED"],
  ["Thu, 01 Jan 1970 00:00:00 +0000", "1970-01-01T00:00:00.000Z"],
  ["Thu, 01 Jan 1970 10:20:30 GMT", "1970-01-01T10:20:30.000Z"],
  ["Thu, 1 Jan 1970 23:59:59 -0500", "1970-01-02T04:59:59.000Z"],
  ["Thu, 01 Jan 1970 00:30:00 +0100", "1970-01-01T00:00:00.000Z", "DATE_BEFORE_1970"],
  ["1970-01-01T08:00:00Z", "1970-01-01T08:00:00.000Z", "DATE_NONSTANDARD"],
  ["January 1, 1970 8:00 AM GMT", "1970-01-01T08:00:00.000Z", "DATE_NONSTANDARD"],
  ["01.01.1970 08:00 GMT", "1970-01-01T08:00:00.000Z", "DATE_NONSTANDARD"],
  ["2024-00-05T10:00:00Z", null, "DATE_INVALID", "DATE_ESTIMATED"],
  ["0000-00-00 00:00:00", null, "DATE_INVALID", "DATE_ESTIMATED"],
  ["yesterday", null, "DATE_INVALID", "DATE_ESTIMATED"],
  ["May 2024", null, "DATE_INVALID", "DATE_ESTIMATED"],
  ["10:00", null, "DATE_INVALID", "DATE_ESTIMATED"],
  ["now", null, "DATE_INVALID", "DATE_ESTIMATED"],
  ["", null, "DATE_MISSING", "DATE_ESTIMATED"],
  ["Mon, 03 Mar 1958 10:00:00 GMT", "1970-01-01T00:00:00.000Z", "DATE_BEFORE_1970"],
  ["1969-12-31T23:59:59Z", "1970-01-01T00:00:00.000Z", "DATE_BEFORE_1970", "DATE_NONSTANDARD"],
  ["0001-01-01T00:00:00Z", null, "DATE_INVALID", "DATE_ESTIMATED"],
]);

table(
  "the duration",
  (text) => `<itunes:duration>${text}</itunes:duration>`,
  (item) => item.durationSeconds,
  /^DURATION/,
  [
    ["3723", 3723],
    [" 3723 ", 3723],
    ["3723.9", 3723],
    ["3723,5", 3723],
    ["1:02:03", 3723],
    ["01:02:03.250", 3723],
    ["62:03", 3723],
    ["2:03", 123],
    ["0:67:16", 4036],
    ["", null],
    ["0", null, "DURATION_INVALID"],
    ["00:00:00", null, "DURATION_INVALID"],
    ["1:61:00", null, "DURATION_INVALID"],
    ["2:75", null, "DURATION_INVALID"],
    ["-5", null, "DURATION_INVALID"],
    ["1e3", null, "DURATION_INVALID"],
    ["1::3", null, "DURATION_INVALID"],
    ["1:2:3:4", null, "DURATION_INVALID"],
    ["about an hour", null, "DURATION_INVALID"],
    ["3723000", null, "DURATION_INVALID"],
    ["NaN", null, "DURATION_INVALID"],
  ],
);

table(
  "the episode number",
  (text) => `<itunes:episode>${text}</itunes:episode>`,
  ({ episode }) => episode,
  /^NUMBER/,
  [
    ["12", 12],
    [" 007 ", 7],
    ["0", 0],
    ["", null],
    ["12.5", null, "NUMBER_INVALID"],
    ["-1", null, "NUMBER_INVALID"],
    ["1e3", null, "NUMBER_INVALID"],
    ["twelve", null, "NUMBER_INVALID"],
  ],
);

table("the title", (text) => `<title>${text}</title>`, ({ title }) => title, /^(?!DATE|ENCL)/, [
  ["1984", "1984"],
  ["007", "007"],
  ["1e5", "1e5"],
  ["0x1F", "0x1F"],
  ["true", "true"],
  ["\n  Two\n  lines  ", "Two lines"],
  ["Caf&#233; &#xE9; &#x1F3A7;", "Café é 🎧"],
  ["It&#146;s", "It’s"],
  ["R&amp;D &lt;3", "R&D <3"],
  ["Caf&eacute; &ndash; one&hellip; &Omega;", "Café – one… Ω", "ENTITY_UNDECLARED"],
  ["&unheard; &constructor;", "&unheard; &constructor;", "ENTITY_UNKNOWN"],
  ["R&D & more; AT&T", "R&D & more; AT&T", "AMPERSAND_UNESCAPED"],
  ["Q & A; more", "Q & A; more", "AMPERSAND_UNESCAPED"],
  ["R&amp;amp;D", "R&D", "DOUBLE_ESCAPED"],
  ["&amp;amp;amp;", "&", "DOUBLE_ESCAPED"],
  ["&amp;amp;amp;amp;amp;amp;amp;", "&amp;amp;", "DOUBLE_ESCAPED"],
  ["<![CDATA[Tom &amp; Jerry]]>", "Tom & Jerry", "DOUBLE_ESCAPED"],
  ["One <![CDATA[& two]]> &amp; three", "One & two & three"],
  ["I <3 you & 2 < 3", "I <3 you & 2 < 3", "AMPERSAND_UNESCAPED"],
  ["bell\u0007 and\u0000 nul", "bell and nul"],
  ["bell&#7; &#0;&#xD800;&#99999999;", "bell", "CONTROL_CHARACTERS"],
  ["", null, "TITLE_MISSING"],
]);

table("the description", (text) => `<description>${text}</description>`, (item) => item.description, /ESCAPED|^ENTIT/, [
  ["Plain &amp; simple", "Plain & simple"],
  ["&lt;p&gt;One &amp;amp; two&lt;/p&gt;", "<p>One &amp; two</p>"],
  ["<![CDATA[<p>One &amp; two</p>]]>", "<p>One &amp; two</p>"],
  ["&amp;lt;p&amp;gt;One &amp;amp;amp; two&amp;lt;/p&amp;gt;", "<p>One &amp; two</p>", "DOUBLE_ESCAPED"],
  [
    "<![CDATA[&lt;a href=&quot;https://a.example&quot;&gt;a&lt;/a&gt;]]>",
    '<a href="https://a.example">a</a>',
    "DOUBLE_ESCAPED",
  ],
  ["<![CDATA[<p>Write &lt;p&gt; for it</p>]]>", "<p>Write &lt;p&gt; for it</p>"],
  ["<p>One &amp; <b>two</b><br/>three</p>", "<p>One &amp; <b>two</b><br/>three</p>", "MARKUP_UNESCAPED"],
  ["<p>One<br>two", "<p>One<br>two", "MARKUP_UNESCAPED"],
  ["One\r\ntwo\rthree", "One\ntwo\nthree"],
]);

table("the link", (text) => `<link>${text}</link>`, ({ link }) => link, /^(URL|DOUBLE)/, [
  ["https://a.example/1?b=c&amp;d=%20", "https://a.example/1?b=c&d=%20"],
  ["HTTP://A.example/ü", "HTTP://A.example/ü"],
  ["\n https://a.example/1 \n", "https://a.example/1", "URL_WHITESPACE"],
  ["https://a.example/a b", "https://a.example/a%20b", "URL_WHITESPACE"],
  ["https://a.example/long\n  /path", "https://a.example/long/path", "URL_WHITESPACE"],
  ["/1", "https://show.example/1", "URL_RELATIVE"],
  ["1?x", "https://show.example/1?x", "URL_RELATIVE"],
  ["audio/e1.mp3", "https://show.example/audio/e1.mp3", "URL_RELATIVE"],
  ["e1.mp3", "https://show.example/e1.mp3", "URL_RELATIVE"],
  ["e1.m4a", "https://show.example/e1.m4a", "URL_RELATIVE"],
  ["audio/my episode.mp3", "https://show.example/audio/my%20episode.mp3", "URL_WHITESPACE", "URL_RELATIVE"],
  ["?id=3", "https://show.example/feed.xml?id=3", "URL_RELATIVE"],
  ["../x", "https://show.example/x", "URL_RELATIVE"],
  ["#notes", "https://show.example/feed.xml#notes", "URL_RELATIVE"],
  ["not a url", null, "URL_WHITESPACE", "URL_INVALID"],
  ["Ask us at example.com", null, "URL_WHITESPACE", "URL_INVALID"],
  ["see http://a.example/ for more", null, "URL_WHITESPACE", "URL_INVALID"],
  ["x", null, "URL_INVALID"],
  ["&lt;b&gt;notes/1&lt;/b&gt;", null, "URL_INVALID"],
  ["none", null, "URL_INVALID"],
  ["N/A", null, "URL_INVALID"],
  ["1.5", null, "URL_INVALID"],
  ["ana@a.example", null, "URL_INVALID"],
  ["//a.example/1", "https://a.example/1", "URL_RELATIVE"],
  ["www.a.example/1", "https://www.a.example/1", "URL_RELATIVE"],
  ["https://a.example/?b&amp;amp;c", "https://a.example/?b&c", "DOUBLE_ESCAPED"],
  ["https://", null, "URL_INVALID"],
  ["javascript:alert(1)", null, "URL_INVALID"],
  ["mailto:ana@a.example", null, "URL_INVALID"],
  ["", null],
]);

Deno.test("parseFeed removes control characters and nothing else", async () => {
  const { read, codes } = await readFeedText(
    rss("<item><guid>a\u0001b\u000b</guid><title>\u0000One\u001f</title></item>"),
  );
  assert.deepEqual([read[0].guid, read[0].title], ["ab", "One"]);
  assert.ok(codes.includes("CONTROL_CHARACTERS"));
});

Deno.test("parseFeed reads itunes:block as true, false, or null if missing", async () => {
  const spellings = ["Yes", "true", "no", "false", "maybe", ""];
  const items = spellings.map((word, n) => `<item><guid>${n}</guid><itunes:block>${word}</itunes:block></item>`);
  const { read } = await readFeedText(rss(items.join("")));
  assert.deepEqual(read.map(({ isBlocked }) => isBlocked), [true, true, false, false, null, null]);
});

Deno.test("parseFeed accepts current and former values of itunes:explicit", async () => {
  const spellings = ["true", "Yes", "explicit", "false", "no", "CLEAN", "maybe", ""];
  const items = spellings.map((word, n) => `<item><guid>${n}</guid><itunes:explicit>${word}</itunes:explicit></item>`);
  const { read } = await readFeedText(rss(items.join("")));
  assert.deepEqual(read.map(({ explicit }) => explicit), [true, true, true, false, false, false, null, null]);
  assert.deepEqual(
    read.map((item) => warningCodes(item).includes("VALUE_UNKNOWN")),
    spellings.map((word) => word === "maybe"),
  );
});
