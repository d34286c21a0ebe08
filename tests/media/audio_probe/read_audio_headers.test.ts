// Durations and chapters of files that the tests generate.
import assert from "node:assert/strict";
import { inMemory } from "../../../functions/media/audio_probe/byte_source.ts";
import { hasSeekTable } from "../../../functions/media/audio_probe/mp3.ts";
import { readAudioHeaders } from "../../../functions/media/audio_probe/read_audio_headers.ts";
import { ascii, be16, be32, joined } from "../../image_fixtures.ts";
import {
  box,
  chap,
  cover,
  ctoc,
  type FrameVersion,
  id3Frame,
  id3Tag,
  mp3Frames,
  mp4,
  unsynchronized,
  wav,
  withVbri,
  withXing,
} from "./audio_files.ts";

const FRAME_SECONDS = 1152 / 44_100;
const VARIABLE = [32, 64, 128, 320];
const CHAPTERS = [{ start: 0, title: "Intro" }, { start: 10, title: "Talk" }, { start: 40, title: "Bye — Ω" }];

const durations: [string, Uint8Array, number | undefined][] = [
  ["a short MP3 of a constant bitrate without a header, by all frames", mp3Frames(2000), 2000 * FRAME_SECONDS],
  ["a long MP3 of a constant bitrate without a header, by its size", mp3Frames(9000), 9000 * 417 * 8 / 128_000],
  ["a short MP3 of a variable bitrate without a header, by all frames", mp3Frames(400, VARIABLE), 400 * FRAME_SECONDS],
  ["a long MP3 of a variable bitrate without a header, by all frames", mp3Frames(9000, VARIABLE), 9000 * FRAME_SECONDS],
  [
    "a long MP3 whose bitrate changes too much for a sample, by all frames",
    joined(mp3Frames(5000, [32]), mp3Frames(3000, [320]), mp3Frames(9000, [64])),
    17_000 * FRAME_SECONDS,
  ],
  [
    "nothing for MP3 that is half garbage",
    joined(...Array.from({ length: 100 }, () => joined(mp3Frames(4), new Uint8Array(1700)))),
    undefined,
  ],
  ["MP3 by its Xing header", withXing(mp3Frames(500, VARIABLE), 500), 500 * FRAME_SECONDS],
  ["MP3 by its Info header", withXing(mp3Frames(500), 500, { kind: "Info" }), 500 * FRAME_SECONDS],
  ["MP3 by its VBRI header", withVbri(mp3Frames(500, VARIABLE), 500), 500 * FRAME_SECONDS],
  [
    "MP3 by its frames when the Xing header tells the size of another file",
    withXing(mp3Frames(2000), 100, { bytes: 42_000 }),
    2001 * FRAME_SECONDS,
  ],
  [
    "MP3 behind a cover of 3 MB",
    joined(id3Tag([cover(3_000_000)]), withXing(mp3Frames(500), 500)),
    500 * FRAME_SECONDS,
  ],
  [
    "MP3 behind two tags",
    joined(id3Tag([cover(200_000)]), id3Tag([cover(200_000, 4)], { version: 4 }), withXing(mp3Frames(500), 500)),
    500 * FRAME_SECONDS,
  ],
  [
    "MP3 behind a tag of version 2.2",
    joined(id3Tag([ascii("TT2\0\0\x02\0x")], { version: 2 }), withXing(mp3Frames(500), 500)),
    500 * FRAME_SECONDS,
  ],
  ["MP3 behind garbage", joined(new Uint8Array(5000).fill(0xff), withXing(mp3Frames(500), 500)), 500 * FRAME_SECONDS],
  ["WAV by its bytes", wav(90), 90],
  ["WAV whose data chunk has no length", wav(90, { dataLength: 0 }), 90],
  ["WAV whose data chunk claims gigabytes", wav(90, { dataLength: 0xffffffff }), 90],
  ["M4A whose movie box is first", mp4({ seconds: 90 }), 90],
  ["M4A whose movie box is last", mp4({ seconds: 90, isMovieLast: true }), 90],
  ["M4A with a cover of 3 MB", mp4({ seconds: 90, more: [box("udta", box("meta", new Uint8Array(3_000_000)))] }), 90],
  ["M4A of fragments", mp4({ seconds: 0, more: [box("mvex", box("mehd", be32(0), be32(90_000)))] }), 90],
  ["nothing for M4A that claims 40 hours in 200 KB", mp4({ seconds: 144_000 }), undefined],
  ["nothing for M4A without a movie box", mp4().subarray(0, 24), undefined],
  ["nothing for text", ascii("Text instead of audio. ".repeat(2000)), undefined],
  ["nothing for zeros", new Uint8Array(300_000), undefined],
  ["nothing for an empty tag", id3Tag([]), undefined],
];

for (const [title, bytes, expected] of durations) {
  Deno.test(`readAudioHeaders measures ${title}`, async () => {
    const { duration, problem } = await readAudioHeaders(inMemory(bytes));
    if (expected === undefined) assert.deepEqual([duration, typeof problem], [undefined, "string"]);
    else assert.ok(Math.abs(duration! / expected - 1) < 0.01, `${duration}, expected ${expected}`);
  });
}

const variable = joined(mp3Frames(5000, [32]), mp3Frames(3000, [320]), mp3Frames(9000, [64]));
Deno.test("readAudioHeaders counts each frame of a variable bitrate without a header, across blocks and garbage", async () => {
  const frames = 17_000 + 2000, file = joined(variable, new Uint8Array(3000), mp3Frames(2000, [96, 48]));
  assert.equal((await readAudioHeaders(inMemory(file))).duration, frames * FRAME_SECONDS);
});

const tables: [title: string, bytes: Uint8Array, expected: boolean | undefined][] = [
  ["true for MP3 with a Xing header", withXing(mp3Frames(500, VARIABLE), 500), true],
  ["true for MP3 with a VBRI header", withVbri(mp3Frames(500, VARIABLE), 500), true],
  ["true for MP3 of a constant bitrate", mp3Frames(5000), true],
  ["true for MP3 of a constant bitrate but for its first frame", joined(mp3Frames(1, [64]), mp3Frames(500)), true],
  ["false for MP3 of a variable bitrate without a header", mp3Frames(9000, VARIABLE), false],
  ["false for a short one", mp3Frames(400, VARIABLE), false],
  ["false for one that was joined with a file that has a header", joined(withXing(mp3Frames(50), 50), variable), false],
  ["true for M4A", mp4({ seconds: 90 }), true],
  ["true for WAV", wav(90), true],
  ["undefined for text", ascii("Text instead of audio. ".repeat(2000)), undefined],
];

for (const [title, bytes, expected] of tables) {
  Deno.test(`the seek table that readAudioHeaders finds is ${title}`, async () => {
    assert.equal((await readAudioHeaders(inMemory(bytes))).hasSeekTable, expected);
    const isMp3 = !/M4A|WAV/.test(title);
    if (isMp3) assert.equal(await hasSeekTable(inMemory(bytes), 0), expected, "by a few frames");
  });
}

const audio = mp3Frames(500);
const read = async (bytes: Uint8Array) => (await readAudioHeaders(inMemory(bytes))).chapters;
const tagged = (...tag: Parameters<typeof id3Tag>) => joined(id3Tag(...tag), audio);
const listed = [
  { start: 0, end: 5, title: "Intro", url: undefined, isInToc: true },
  { start: 5, end: 9, title: "Talk", url: "https://x.test/", isInToc: true },
];
const frames = (version?: FrameVersion) => [
  chap("a", { start: 0, end: 5, title: "Intro" }, version),
  chap("b", { start: 5, end: 9, title: "Talk", url: "https://x.test/" }, version),
];
const withoutMissing = (chapters: unknown) => JSON.parse(JSON.stringify(chapters));

Deno.test("readAudioHeaders reads the chapters of ID3v2.3 and ID3v2.4 tags, also beside a cover of megabytes", async () => {
  for (const version of [3, 4] as const) {
    const bytes = tagged([cover(1_000_000, version), ...frames(version), ctoc(["a", "b"], version)], {
      version,
      padding: 99,
    });
    assert.deepEqual(withoutMissing(await read(bytes)), withoutMissing(listed), `2.${version}`);
  }
});

Deno.test("readAudioHeaders reads the chapters of an unsynchronized ID3v2.3 tag", async () => {
  const bytes = tagged([...frames(), id3Frame("PRIV", [0xff, 0, 0xff])], { isUnsynchronized: true });
  assert.deepEqual(withoutMissing(await read(bytes)), withoutMissing(listed));
});

Deno.test("readAudioHeaders reads an unsynchronized chapter of an ID3v2.4 tag", async () => {
  const body = unsynchronized(chap("a", { start: 0, end: 5, title: "Intro" }, 4).subarray(10));
  const bytes = tagged([id3Frame("CHAP", body, 4, 0x02)], { version: 4 });
  assert.deepEqual(withoutMissing(await read(bytes)), withoutMissing(listed.slice(0, 1)));
});

Deno.test("readAudioHeaders takes a chapter that no table of contents lists out of it", async () => {
  const bytes = tagged([...frames(), ctoc(["b"])]);
  assert.deepEqual((await read(bytes)).map(({ isInToc }) => isInToc), [false, true]);
});

Deno.test("readAudioHeaders lists all chapters when the table of contents names none of them", async () => {
  const bytes = tagged([...frames(), ctoc(["x"])]);
  assert.deepEqual((await read(bytes)).map(({ isInToc }) => isInToc), [true, true]);
});

Deno.test("readAudioHeaders decodes chapter titles in each encoding of ID3", async () => {
  const utf16 = [...be16(0x41), ...be16(0x3a9), ...be16(0)];
  const swapped = [0x41, 0, 0xa9, 0x03];
  for (
    const [body, title] of [
      [[0, 0x41, 0xe4], "Aä"],
      [[1, 0xff, 0xfe, ...swapped], "AΩ"],
      [[1, 0xfe, 0xff, ...utf16], "AΩ"],
      [[2, ...utf16], "AΩ"],
      [[3, ...ascii("AΩ\0rest")], "AΩ"],
      [[3], undefined],
    ] as const
  ) {
    const head = joined(ascii("a\0"), be32(0), be32(1000), be32(-1), be32(-1));
    const bytes = tagged([id3Frame("CHAP", joined(head, id3Frame("TIT2", body)))]);
    assert.deepEqual((await read(bytes)).map((chapter) => chapter.title), [title], String(body));
  }
});

Deno.test("readAudioHeaders reads the chapters of an ID3 chunk of WAV", async () => {
  const tag = id3Tag(frames());
  const chunk = joined(ascii("id3 "), be32(tag.length).reverse(), tag, new Uint8Array(tag.length % 2));
  assert.deepEqual(withoutMissing(await read(wav(90, { chunks: [chunk] }))), withoutMissing(listed));
});

Deno.test("readAudioHeaders reads the chapter list of M4A, whose movie box is first or last", async () => {
  for (const isMovieLast of [false, true]) {
    assert.deepEqual(await read(mp4({ list: CHAPTERS, isMovieLast })), CHAPTERS);
  }
});

Deno.test("readAudioHeaders reads the chapter track of M4A, whose movie box is first or last", async () => {
  for (const isMovieLast of [false, true]) {
    assert.deepEqual(await read(mp4({ track: CHAPTERS, isMovieLast })), CHAPTERS);
  }
});

Deno.test("readAudioHeaders prefers the chapter list of M4A to its chapter track", async () => {
  assert.deepEqual(await read(mp4({ list: CHAPTERS.slice(0, 1), track: CHAPTERS })), CHAPTERS.slice(0, 1));
});
