// The character set of a feed: by its byte order mark, then its Content-Type, then its declaration, then its content.
import assert from "node:assert/strict";
import { item, readFeedText, rss, toBytes } from "./reading.ts";

const TEXT = "Žluťoučký café – “ünï” €";
const LATIN = "café – “ünï” €";

const declared = (text: string, charset: string) =>
  rss(item(text)).replace('<?xml version="1.0"?>', `<?xml version="1.0" encoding="${charset}"?>`);

/** Encodes windows-1252, for which there is no encoder. */
const HIGH: Record<string, number> = { "€": 0x80, "–": 0x96, "“": 0x93, "”": 0x94 };
const windows1252 = (text: string) => Uint8Array.from(text, (character) => HIGH[character] ?? character.charCodeAt(0));

function utf16(text: string, isLittle: boolean, hasMark: boolean): Uint8Array {
  const units = (hasMark ? "\ufeff" : "") + text;
  const view = new DataView(new ArrayBuffer(2 * units.length));
  for (let n = 0; n < units.length; n++) view.setUint16(2 * n, units.charCodeAt(n), isLittle);
  return new Uint8Array(view.buffer);
}

const mark = "\ufeff";

/** Bytes, Content-Type, title, and warnings. */
const feeds: Record<string, [bytes: Uint8Array, contentType: string | undefined, title: string, codes?: string[]]> = {
  "undeclared UTF-8": [toBytes(rss(item(TEXT))), undefined, TEXT],
  "UTF-8 by its byte order mark, against header and declaration": [
    toBytes(mark + declared(TEXT, "windows-1250")),
    "text/xml; charset=iso-8859-1",
    TEXT,
  ],
  "UTF-8 by its header, against its declaration": [
    toBytes(declared(TEXT, "windows-1252")),
    'application/rss+xml; charset="UTF-8"',
    TEXT,
  ],
  "ISO-8859-1 by its header, against its declaration": [
    windows1252(declared(LATIN, "utf-8")),
    "text/xml;charset=ISO-8859-1",
    LATIN,
  ],
  "ISO-8859-1 by its declaration": [windows1252(declared(LATIN, "ISO-8859-1")), "text/xml", LATIN],
  "windows-1252 by its declaration": [windows1252(declared(LATIN, "windows-1252")), undefined, LATIN],
  "another character set by its declaration": [
    Uint8Array.from(declared("\xd0\xcf\xc4\xcb\xc1\xd3\xd4", "koi8-r"), (character) => character.charCodeAt(0)),
    undefined,
    "подкаст",
  ],
  "undeclared windows-1252": [windows1252(rss(item(LATIN))), undefined, LATIN, ["CHARSET_MISMATCH"]],
  "windows-1252 declared as UTF-8": [windows1252(declared(LATIN, "utf-8")), undefined, LATIN, ["INVALID_BYTES"]],
  "UTF-8 with pasted bytes of windows-1252": [
    new Uint8Array([
      ...toBytes("<rss><channel><title>Show</title><item><guid>1</guid><title>ž "),
      0x93,
      0xe9,
      0x94,
      ...toBytes(" ž</title></item></channel></rss>"),
    ]),
    undefined,
    "ž “é” ž",
    ["INVALID_BYTES"],
  ],
  "UTF-8 declared as an unknown character set": [
    toBytes(declared(TEXT, "utf-9")),
    "text/xml; charset=none",
    TEXT,
    ["CHARSET_UNKNOWN"],
  ],
  "UTF-16LE by its byte order mark": [utf16(rss(item(TEXT)), true, true), undefined, TEXT],
  "UTF-16BE by its byte order mark": [utf16(rss(item(TEXT)), false, true), "text/xml; charset=utf-8", TEXT],
  "undeclared UTF-16LE": [utf16(rss(item(TEXT)), true, false), undefined, TEXT],
  "UTF-16BE by its declaration": [utf16(declared(TEXT, "utf-16"), false, false), undefined, TEXT],
  "ASCII declared as UTF-16": [toBytes(declared(TEXT, "utf-16")), undefined, TEXT],
};

for (const [what, [bytes, contentType, title, codes = []]] of Object.entries(feeds)) {
  Deno.test(`parseFeed reads a feed in ${what}, in chunks of any size`, async () => {
    for (const piece of [1, 3, 4096, 100_000]) {
      const found = await readFeedText(bytes, { contentType, piece });
      assert.equal(found.read[0].title, title);
      assert.deepEqual(found.codes.filter((code) => /CHARSET|BYTES/.test(code)), codes);
    }
  });
}

Deno.test("parseFeed decodes a character that is split between two chunks", async () => {
  const many = Array.from({ length: 900 }, (_, n) => item(`${n} ${"ž€🎧".repeat(1 + n % 17)}`));
  const { read } = await readFeedText(rss(many.join("")), { piece: 16_384 });
  assert.deepEqual(read.map(({ title }) => title), many.map((xml) => /<title>(.*?)</.exec(xml)![1]));
});

Deno.test("parseFeed decodes a text that is longer than the buffer", async () => {
  const text = "ž€🎧".repeat(20_000);
  const { read, codes } = await readFeedText(rss(item("One", `<description>${text}</description>`)), { piece: 16_383 });
  assert.equal(read[0].description, text);
  assert.deepEqual(codes, []);
});

Deno.test("parseFeed accepts a replacement character in the feed without a warning", async () => {
  const { read, codes } = await readFeedText(rss(item("a\ufffdb")));
  assert.equal(read[0].title, "a\ufffdb");
  assert.ok(!codes.includes("INVALID_BYTES"));
});

/** The only byte beyond ASCII, and the only control, at each offset of the eight bytes that are inspected at once. */
for (const [byte, character, code] of [[0xe9, "é", "INVALID_BYTES"], [0x0b, "", "CONTROL_CHARACTERS"]] as const) {
  Deno.test(`parseFeed finds a single byte ${byte.toString(16)} at any offset, and at the end of an item`, async () => {
    for (const after of ["", "b".repeat(16)]) {
      for (let before = 0; before < 8; before++) {
        const start = `<rss><channel><item><guid>1</guid><title>${"a".repeat(1 + before)}`;
        const feed = new Uint8Array([...toBytes(start), byte, ...toBytes(`${after}</item></channel></rss>`)]);
        const { read, codes } = await readFeedText(feed, { contentType: "text/xml; charset=utf-8" });
        assert.equal(read[0].title, `${"a".repeat(1 + before)}${character}${after}`);
        assert.ok(codes.includes(code));
      }
    }
  });
}
