// ID3 tags that depart from the standard as taggers write them.
import assert from "node:assert/strict";
import { inMemory } from "../../../functions/media/audio_probe/byte_source.ts";
import { readAudioHeaders } from "../../../functions/media/audio_probe/read_audio_headers.ts";
import { ascii, be16, be32, joined } from "../../image_fixtures.ts";
import {
  apic,
  chap,
  cover,
  ctoc,
  type FrameVersion,
  id3Frame,
  id3Tag,
  mp3Frames,
  unsynchronized,
} from "./audio_files.ts";

const audio = mp3Frames(50);
const readChapters = async (frames: Uint8Array[], options: Parameters<typeof id3Tag>[1] = { version: 4 }) =>
  (await readAudioHeaders(inMemory(joined(id3Tag(frames, options), audio)))).chapters;
const titlesOf = async (frames: Uint8Array[], options?: Parameters<typeof id3Tag>[1]) =>
  (await readChapters(frames, options)).map(({ title, isInToc }) => isInToc ? title : `(${title})`);

const LONG = "A long title of a chapter ".repeat(20).trim();
const chapters = (version: FrameVersion) => [
  chap("a", { start: 0, title: LONG }, version),
  chap("b", { start: 1, title: "Short" }, version),
  chap("c", { start: 2, title: `${LONG} again`, url: `https://x.test/${"y".repeat(300)}` }, version),
];

Deno.test("readAudioHeaders reads ID3v2.4 tags whose frame sizes are plain, behind frames of any size", async () => {
  for (const bytes of [1, 127, 128, 200, 255, 256, 300, 16_384, 70_000, 2_100_000]) {
    for (const version of [4, "plain"] as const) {
      for (const padding of [0, 9, 10, 2000]) {
        const titles = await titlesOf([cover(bytes, version), ...chapters(version)], { version: 4, padding });
        assert.deepEqual(titles, [LONG, "Short", `${LONG} again`], `${bytes} bytes, ${version}, padding ${padding}`);
      }
    }
  }
});

Deno.test("readAudioHeaders reads frames of a chapter whose sizes are plain, whether the last one ends it or not", async () => {
  const head = joined(ascii("a\0"), be32(0), be32(1000), be32(-1), be32(-1));
  for (const version of [4, "plain"] as const) {
    const text = (id: string) => id3Frame(id, [3, ...ascii(id === "TIT2" ? LONG : "x".repeat(300))], version);
    for (const frames of [[text("TIT2")], [text("TIT3"), text("TIT2")], [text("TIT2"), text("TIT3")]]) {
      assert.deepEqual(await titlesOf([id3Frame("CHAP", joined(head, ...frames), version)]), [LONG]);
    }
  }
});

Deno.test("readAudioHeaders reads a table of contents whose size is plain", async () => {
  const ids = Array.from({ length: 60 }, (_, n) => `element ${n}`);
  for (const version of [4, "plain"] as const) {
    assert.deepEqual(
      await titlesOf([ctoc(ids.slice(1), version), ...ids.map((id, n) => chap(id, { start: n, title: id }, version))]),
      ids.map((id, n) => n === 0 ? `(${id})` : id),
    );
  }
});

Deno.test("readAudioHeaders takes a size as ID3v2.4 defines it when both readings are possible", async () => {
  // a frame of 172 bytes, whose size as a plain number, 300, would end at another frame
  const inner = id3Frame("TIT3", new Uint8Array(300 - 172 - 10), 4);
  const frames = [id3Frame("PRIV", new Uint8Array(172), 4), inner, chap("a", { start: 0, title: "Talk" }, 4)];
  assert.deepEqual(await titlesOf(frames), ["Talk"]);
});

Deno.test("readAudioHeaders skips extended headers, data length indicators and group bytes", async () => {
  const chapter = (version: FrameVersion) => chap("a", { start: 0, title: LONG }, version);
  const body = chapter(4).subarray(10);
  const indicated = id3Frame("CHAP", joined([0, 0, 4, 0x7f], body), 4, 0x01);
  const grouped = id3Frame("CHAP", joined([7], body), 4, 0x40);
  for (const frame of [indicated, grouped]) assert.deepEqual(await titlesOf([frame]), [LONG]);
  assert.deepEqual(await titlesOf([id3Frame("CHAP", joined([7], body), 3, 0x20)], { version: 3 }), [undefined]);

  for (
    const [version, header] of [
      [3, [...be32(6), ...be16(0), ...be32(0)]],
      [3, [...be32(10), ...be16(0x8000), ...be32(0), ...be32(1)]],
      [4, [...be32(6), 1, 0]],
      [4, [...be32(12), 1, 0x20, 5, ...be32(0), 0]],
    ] as const
  ) {
    const tag = id3Tag([Uint8Array.from(header), chapter(version)], { version });
    tag[5] |= 0x40;
    const { chapters: [found] } = await readAudioHeaders(inMemory(joined(tag, audio)));
    assert.equal(found?.title, LONG, `2.${version}, ${header}`);
  }
});

const utf16 = (text: string, isBig = false) =>
  [...text].flatMap((letter) => isBig ? be16(letter.charCodeAt(0)) : be16(letter.charCodeAt(0)).reverse());
const utf8 = (text: string) => [...new TextEncoder().encode(text)];
const chapterWith = (...frames: Uint8Array[]) =>
  id3Frame("CHAP", joined(ascii("a\0"), be32(0), be32(1000), be32(-1), be32(-1), ...frames));

Deno.test("readAudioHeaders decodes UTF-16 titles without a byte order mark in the order that reads better", async () => {
  for (
    const title of [
      "Intro",
      "A",
      "Über uns: Käse & Straße",
      "Глава первая",
      "Κεφάλαιο 1",
      "פרק ראשון",
      "מה - 2",
      "第一章 開始",
      "中文播客",
      "はじめに",
      "서문",
      "Intro — “Talk”…",
      "Kapitel 1 中文",
    ]
  ) {
    for (const isBig of [false, true]) {
      for (const end of [[], [0], [0, 0], [0, 0, 0]]) {
        const frame = id3Frame("TIT2", [1, ...utf16(title, isBig), ...end]);
        const [chapter] = await readChapters([chapterWith(frame)], { version: 3 });
        assert.equal(chapter.title, title, `${title}, ${isBig ? "big" : "little"}-endian, ${end.length} zeros`);
      }
    }
  }
});

Deno.test("readAudioHeaders decodes titles whose encoding byte is wrong", async () => {
  for (
    const [body, title] of [
      [[0, ...utf8("Über — Ω 中文")], "Über — Ω 中文"],
      [[0, 0xef, 0xbb, 0xbf, ...utf8("Ü")], "Ü"],
      [[0, 0xdc, 0x62, 0x65, 0x72, 0x20, 0x96, 0x20, 0x93, 0x78, 0x94], "Über – “x”"], // Windows-1252
      [[0, 0xff, 0xfe, ...utf16("Über")], "Über"],
      [[2, 0xff, 0xfe, ...utf16("Über")], "Über"],
      [[2, 0xfe, 0xff, ...utf16("Über", true)], "Über"],
      [[1, 0xff, 0xfe, ...utf16("Über"), 0], "Über"],
    ] as const
  ) {
    const [chapter] = await readChapters([chapterWith(id3Frame("TIT2", body))], { version: 3 });
    assert.equal(chapter.title, title, String(body));
  }
});

Deno.test("readAudioHeaders finds a chapter's URL behind a description of any encoding and terminator", async () => {
  const url = "https://x.test/a?b=1";
  for (
    const body of [
      [0, 0, ...ascii(url)],
      [0, ...ascii("page\0" + url), 0],
      [1, 0xff, 0xfe, ...utf16("page"), 0, 0, ...ascii(url)],
      [1, 0xff, 0xfe, 0, 0, ...ascii(url)],
      [1, 0, ...ascii(url)], // one zero instead of two
      [1, 0, ...ascii(url), 0],
      [1, 0xff, 0xfe, 0, 0, 0xff, 0xfe, ...utf16(url)],
      [1, 0, 0, ...utf16(url), 0, 0],
      [3, ...ascii("page\0" + url)],
    ]
  ) {
    const [chapter] = await readChapters([chapterWith(id3Frame("WXXX", body))], { version: 3 });
    assert.equal(chapter.url, url, String(body));
  }
});

const IMAGE = Uint8Array.from({ length: 5000 }, (_, n) => n % 7 === 0 ? 0xff : n % 5 === 0 ? 0 : n & 255);

Deno.test("readAudioHeaders gives the picture of a chapter unread, in every form of tag", async () => {
  const plain = chap("a", { start: 0, title: "Talk", image: IMAGE });
  const flagged = (body: Uint8Array) => id3Frame("CHAP", unsynchronized(body), 4, 0x02);
  const inner = chap("a", { start: 0, title: "Talk", image: IMAGE }, 4).subarray(10);
  const head = joined(ascii("a\0"), be32(0), be32(1000), be32(-1), be32(-1));
  for (
    const [name, tag] of [
      ["2.3", id3Tag([cover(40_000), plain], { version: 3 })],
      ["2.3, unsynchronized", id3Tag([cover(40_000), plain], { version: 3, isUnsynchronized: true })],
      ["2.4", id3Tag([cover(40_000, 4), id3Frame("CHAP", inner, 4)], { version: 4 })],
      ["2.4, plain sizes", id3Tag([chap("a", { start: 0, title: "Talk", image: IMAGE }, "plain")], { version: 4 })],
      ["2.4, an unsynchronized chapter", id3Tag([cover(40_000, 4), flagged(inner)], { version: 4 })],
      [
        "2.4, an unsynchronized picture",
        id3Tag(
          [id3Frame("CHAP", joined(head, id3Frame("APIC", unsynchronized(apic(IMAGE, 4).subarray(10)), 4, 0x02)), 4)],
          { version: 4 },
        ),
      ],
      [
        "2.3, a description in UTF-16",
        id3Tag([
          chapterWith(id3Frame("APIC", joined([1], ascii("image/png\0"), [0], [0xff, 0xfe, 0x41, 0, 0, 0], IMAGE))),
        ]),
      ],
    ] as const
  ) {
    const file = inMemory(joined(tag, audio));
    const { chapters: [{ picture }] } = await readAudioHeaders(file);
    assert.ok(picture && picture.bytes >= IMAGE.length, name);
    assert.deepEqual(await picture.read(file), IMAGE, name);
  }
});

Deno.test("readAudioHeaders takes the first picture of a chapter", async () => {
  const file = inMemory(joined(id3Tag([chapterWith(apic(IMAGE), apic(IMAGE.subarray(9)))]), audio));
  const { chapters: [{ picture }] } = await readAudioHeaders(file);
  assert.deepEqual(await picture!.read(file), IMAGE);
});
