// The character set of a feed: by its byte order mark, then its Content-Type, then its declaration, then what it looks like.
import assert from "node:assert/strict";
import { bytesOf, item, reading, rss } from "./reading.ts";

const SAID = "Žluťoučký café – “ünï” €";
const LATIN = "café – “ünï” €";

const declared = (text: string, charset: string) =>
  rss(item(text)).replace('<?xml version="1.0"?>', `<?xml version="1.0" encoding="${charset}"?>`);

/** windows-1252 by hand: there is no encoder. */
const HIGH: Record<string, number> = { "€": 0x80, "–": 0x96, "“": 0x93, "”": 0x94 };
const windows1252 = (text: string) => Uint8Array.from(text, (character) => HIGH[character] ?? character.charCodeAt(0));

function utf16(text: string, isLittle: boolean, hasMark: boolean): Uint8Array {
  const units = (hasMark ? "\ufeff" : "") + text;
  const view = new DataView(new ArrayBuffer(2 * units.length));
  for (let n = 0; n < units.length; n++) view.setUint16(2 * n, units.charCodeAt(n), isLittle);
  return new Uint8Array(view.buffer);
}

const mark = "\ufeff";

/** The bytes, the Content-Type, the title they hold, and the warnings. */
const feeds: Record<string, [bytes: Uint8Array, contentType: string | undefined, title: string, codes?: string[]]> = {
  "UTF-8, which nobody names": [bytesOf(rss(item(SAID))), undefined, SAID],
  "UTF-8 by its mark, against header and declaration": [
    bytesOf(mark + declared(SAID, "windows-1250")),
    "text/xml; charset=iso-8859-1",
    SAID,
  ],
  "UTF-8 by its header, against its declaration": [
    bytesOf(declared(SAID, "windows-1252")),
    'application/rss+xml; charset="UTF-8"',
    SAID,
  ],
  "ISO-8859-1 by its header, against its declaration": [
    windows1252(declared(LATIN, "utf-8")),
    "text/xml;charset=ISO-8859-1",
    LATIN,
  ],
  "ISO-8859-1 by its declaration": [windows1252(declared(LATIN, "ISO-8859-1")), "text/xml", LATIN],
  "windows-1252 by its declaration": [windows1252(declared(LATIN, "windows-1252")), undefined, LATIN],
  "another set by its declaration": [
    Uint8Array.from(declared("\xd0\xcf\xc4\xcb\xc1\xd3\xd4", "koi8-r"), (character) => character.charCodeAt(0)),
    undefined,
    "подкаст",
  ],
  "windows-1252, which nobody names": [windows1252(rss(item(LATIN))), undefined, LATIN, ["CHARSET_MISMATCH"]],
  "windows-1252 that calls itself UTF-8": [windows1252(declared(LATIN, "utf-8")), undefined, LATIN, ["INVALID_BYTES"]],
  "UTF-8 with pasted bytes of windows-1252": [
    new Uint8Array([
      ...bytesOf("<rss><channel><title>Show</title><item><guid>1</guid><title>ž "),
      0x93,
      0xe9,
      0x94,
      ...bytesOf(" ž</title></item></channel></rss>"),
    ]),
    undefined,
    "ž “é” ž",
    ["INVALID_BYTES"],
  ],
  "a set that does not exist, in truth UTF-8": [
    bytesOf(declared(SAID, "utf-9")),
    "text/xml; charset=none",
    SAID,
    ["CHARSET_UNKNOWN"],
  ],
  "UTF-16, little end first, by its mark": [utf16(rss(item(SAID)), true, true), undefined, SAID],
  "UTF-16, big end first, by its mark": [utf16(rss(item(SAID)), false, true), "text/xml; charset=utf-8", SAID],
  "UTF-16, little end first, which nobody names": [utf16(rss(item(SAID)), true, false), undefined, SAID],
  "UTF-16, big end first, by its declaration": [utf16(declared(SAID, "utf-16"), false, false), undefined, SAID],
  "UTF-16 by a declaration that can be read as ASCII": [bytesOf(declared(SAID, "utf-16")), undefined, SAID],
};

for (const [what, [bytes, contentType, title, codes = []]] of Object.entries(feeds)) {
  Deno.test(`A feed in ${what} is read, in whatever pieces it comes`, async () => {
    for (const piece of [1, 3, 4096, 100_000]) {
      const found = await reading(bytes, { contentType, piece });
      assert.equal(found.read[0].title, title);
      assert.deepEqual(found.codes.filter((code) => /CHARSET|BYTES/.test(code)), codes);
    }
  });
}

Deno.test("A character that comes in two pieces is one, wherever a long feed is cut", async () => {
  const many = Array.from({ length: 900 }, (_, n) => item(`${n} ${"ž€🎧".repeat(1 + n % 17)}`));
  const { read } = await reading(rss(many.join("")), { piece: 16_384 });
  assert.deepEqual(read.map(({ title }) => title), many.map((xml) => /<title>(.*?)</.exec(xml)![1]));
});

Deno.test("A text longer than any piece has every one of its characters", async () => {
  const text = "ž€🎧".repeat(20_000);
  const { read, codes } = await reading(rss(item("One", `<description>${text}</description>`)), { piece: 16_383 });
  assert.equal(read[0].description, text);
  assert.deepEqual(codes, []);
});

Deno.test("A replacement character that the feed holds itself is no fault", async () => {
  const { read, codes } = await reading(rss(item("a\ufffdb")));
  assert.equal(read[0].title, "a\ufffdb");
  assert.ok(!codes.includes("INVALID_BYTES"));
});
