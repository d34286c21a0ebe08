// The character set of a feed: by its byte order mark or its bytes, then its Content-Type, then its declaration.
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
  "UTF-8 declared as UTF-8, against its header": [
    toBytes(declared(TEXT, "utf-8")),
    "text/xml; charset=ISO-8859-1",
    TEXT,
    ["CHARSET_MISMATCH"],
  ],
  "UTF-8, against a header of ASCII": [toBytes(rss(item(TEXT))), "text/xml; charset=us-ascii", TEXT, [
    "CHARSET_MISMATCH",
  ]],
  "UTF-8 declared as ISO-8859-1": [toBytes(declared("Größe", "ISO-8859-1")), undefined, "Größe", ["CHARSET_MISMATCH"]],
  "UTF-8 declared as windows-1251": [toBytes(declared("Größe", "windows-1251")), undefined, "Größe", [
    "CHARSET_MISMATCH",
  ]],
  "UTF-8 declared as Shift_JIS": [toBytes(declared(TEXT, "Shift_JIS")), undefined, TEXT, ["CHARSET_MISMATCH"]],
  "UTF-8 with a pasted byte of windows-1252, declared as ISO-8859-1": [
    new Uint8Array([
      ...toBytes(declared(TEXT.repeat(3), "ISO-8859-1").split(TEXT.repeat(3))[0] + TEXT.repeat(3)),
      0xe9,
      ...toBytes("</title><guid>1</guid></item></channel></rss>"),
    ]),
    undefined,
    TEXT.repeat(3) + "é",
    ["CHARSET_MISMATCH", "INVALID_BYTES"],
  ],
  "ASCII declared as ISO-8859-1": [toBytes(declared("One", "ISO-8859-1")), undefined, "One"],
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
  "undeclared windows-1252": [windows1252(rss(item(LATIN))), undefined, LATIN, ["CHARSET_UNDECLARED"]],
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
  "one quotation mark of UTF-8, declared as windows-1251": [
    toBytes(declared("It’s", "windows-1251")),
    undefined,
    "It’s",
    ["CHARSET_MISMATCH"],
  ],
  "one letter of UTF-8 by its declaration, against a header of Shift_JIS": [
    toBytes(declared("piñata", "utf-8")),
    "text/xml; charset=shift_jis",
    "piñata",
    ["CHARSET_MISMATCH"],
  ],
  "UTF-8 declared as ISO-2022-JP": [toBytes(declared("日本", "iso-2022-jp")), undefined, "日本", ["CHARSET_MISMATCH"]],
  "ISO-2022-JP": [toBytes(declared("\x1b$BF|K\\\x1b(B", "iso-2022-jp")), undefined, "日本"],
  "KOI8-R by its declaration, against the server's default": [
    Uint8Array.from(declared("\xd0\xcf\xc4\xcb\xc1\xd3\xd4", "koi8-r"), (character) => character.charCodeAt(0)),
    "text/xml; charset=utf-8",
    "подкаст",
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

/** Encodes a character set that the platform only decodes, and that has one or two bytes per character. */
function encoderOf(charset: string): (text: string) => Uint8Array {
  const decoder = new TextDecoder(charset, { fatal: true });
  const codes = new Map<string, number[]>();
  const learn = (bytes: number[]) => {
    try {
      const text = decoder.decode(Uint8Array.from(bytes));
      if ([...text].length === 1 && !codes.has(text)) codes.set(text, bytes);
    } catch {
      // no character
    }
  };
  for (let one = 0; one < 256; one++) learn([one]);
  for (let lead = 0x81; lead < 0xff; lead++) for (let trail = 0x40; trail < 0xff; trail++) learn([lead, trail]);
  return (text) => Uint8Array.from([...text].flatMap((character) => codes.get(character)!));
}

/** Titles as short as feeds have them. */
const legacy: Record<string, string[]> = {
  "ISO-8859-1": ["Größe – Über", "café", "Ä", "Ça va ?", "año"],
  "ISO-8859-2": ["Žluťoučký kůň", "Łódź"],
  "windows-1251": ["Подкаст о науке", "«Я»", "Ё", "В… и «Я»", "№ 5"],
  "KOI8-R": ["Подкаст о науке", "её имя", "Ёж"],
  "ISO-8859-7": ["Η ώρα της επιστήμης", "ο"],
  "windows-1254": ["Günlük ışık"],
  "Shift_JIS": ["科学の時間", "ラジオ", "ｱﾆﾒ", "あ"],
  "EUC-JP": ["科学の時間", "ラジオ"],
  "GBK": ["科学时间", "联通", "二"],
  "GB18030": ["播客节目"],
  "Big5": ["科學時間", "廣播"],
  "EUC-KR": ["과학 시간", "라디오"],
  "windows-874": ["วิทยาศาสตร์"],
};

for (const [charset, titles] of Object.entries(legacy)) {
  Deno.test(`parseFeed reads a feed that is declared as ${charset} and is so, however short its titles`, async () => {
    const encode = encoderOf(charset);
    for (const title of titles) {
      for (const padding of ["", "a".repeat(100_000)]) {
        const xml = declared(title, charset).replace("<item>", `<description>${padding}</description><item>`);
        for (const piece of [1, 1000, 24_576].slice(padding ? 1 : 0)) {
          const found = await readFeedText(encode(xml), { piece });
          assert.equal(found.read[0].title, title);
          assert.deepEqual(found.codes.filter((code) => /CHARSET|BYTES/.test(code)), []);
        }
      }
    }
  });
}

Deno.test("parseFeed decides on the first bytes beyond ASCII, however late they come", async () => {
  const latin = encoderOf("ISO-8859-1");
  for (const length of [20_000, 24_000, 100_000, 300_000]) {
    for (let shift = 0; shift < 3; shift++) {
      const late = declared("Größe", "ISO-8859-1").replace(
        "<item>",
        `<docs>${"a".repeat(length + shift)}</docs><item>`,
      );
      for (const [bytes, codes] of [[toBytes(late), ["CHARSET_MISMATCH"]], [latin(late), []]] as const) {
        const found = await readFeedText(bytes, { piece: 24_576 });
        assert.equal(found.read[0].title, "Größe");
        assert.deepEqual(found.codes.filter((code) => /CHARSET|BYTES/.test(code)), codes);
      }
    }
  }
});

Deno.test("parseFeed keeps all characters of a long feed that is not declared as UTF-8", async () => {
  const titles = Array.from({ length: 800 }, (_, n) => `Größe – Über ${n} ${"ä".repeat(1 + (n % 300))}`);
  const xml = declared("Ä", "ISO-8859-1").replace(
    "</channel>",
    `${titles.map((title) => item(title)).join("")}</channel>`,
  );
  for (const bytes of [toBytes(xml), windows1252(xml)]) {
    const { read } = await readFeedText(bytes, { piece: 16_384 });
    assert.deepEqual(read.slice(1).map(({ title }) => title), titles);
  }
});

Deno.test("parseFeed names the contradicted declaration of UTF-8", async () => {
  const { warnings } = await readFeedText(declared(TEXT, "windows-1251"));
  assert.match(warnings[0].message, /^The feed is in UTF-8, and was read so, .*: windows-1251$/);
});

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
