// How much of an MP4's lists of boxes is read, and the pictures of its chapters.
import assert from "node:assert/strict";
import { type ByteSource, inMemory } from "../../../functions/media/audio_probe/byte_source.ts";
import { readAudioHeaders } from "../../../functions/media/audio_probe/read_audio_headers.ts";
import { ascii, be32, joined } from "../../image_fixtures.ts";
import { box, mp4 } from "./audio_files.ts";

/** Counts what is read of a file. */
function counted(bytes: Uint8Array): { source: ByteSource; count: () => number } {
  const source = inMemory(bytes);
  let reads = 0;
  return {
    source: { ...source, read: (at, length) => (reads++, source.read(at, length)) },
    count: () => reads,
  };
}

const repeat = (count: number, bytes: Uint8Array) => joined(...Array.from({ length: count }, () => bytes));
const ftyp = box("ftyp", ascii("M4A "), be32(0));
const head = box("tkhd", be32(0), be32(0), be32(0), be32(1));
const times = box("mdhd", be32(0), be32(0), be32(0), be32(1000), be32(60_000));
const handler = box("hdlr", be32(0), be32(0), ascii("soun"));
const empty = repeat(1000, box("free"));

Deno.test("readAudioHeaders reads 20 tracks of a movie box, with or without a header, and each of their lists once", async () => {
  for (
    const [name, track, listsPerTrack] of [
      ["tracks without boxes that count", box("trak", empty), 1],
      ["tracks with a header only", box("trak", head, empty), 1],
      ["tracks with media only", box("trak", box("mdia", times, empty), repeat(998, box("free"))), 2],
      ["tracks with media without a handler", box("trak", head, box("mdia", empty), repeat(997, box("free"))), 2],
      ["tracks whose media are last", box("trak", empty.subarray(8), box("mdia", empty)), 2],
    ] as const
  ) {
    const { source, count } = counted(joined(ftyp, box("moov", repeat(600, track))));
    await readAudioHeaders(source);
    assert.ok(count() <= 20 * listsPerTrack * 1000 + 600 + 20, `${name}: ${count()} reads`);
  }
});

Deno.test("readAudioHeaders reads the list of samples of a chapter track once", async () => {
  const table = box("stbl", empty.subarray(8 * 5), box("stts"), box("stsz"), box("stsc"), box("co64"));
  const media = box("mdia", times, box("hdlr", be32(0), be32(0), ascii("text")), box("minf", table));
  const chapters = box("trak", box("tkhd", be32(0), be32(0), be32(0), be32(2)), media);
  const audio = box("trak", head, box("tref", box("chap", be32(2))), box("mdia", times, handler));
  const { source, count } = counted(joined(ftyp, box("moov", audio, chapters, empty.subarray(16))));
  await readAudioHeaders(source);
  assert.ok(count() <= 1000 + 1000 + 100, `${count()} reads`);
});

Deno.test("readAudioHeaders finds the audio track behind 18 tracks that cannot be read", async () => {
  const audio = box("trak", head, box("mdia", times, handler));
  const file = (others: number) =>
    joined(ftyp, box("moov", repeat(others, box("trak")), audio), box("mdat", new Uint8Array(90_000)));
  assert.equal((await readAudioHeaders(inMemory(file(18)))).duration, 60);
  assert.equal((await readAudioHeaders(inMemory(file(20)))).duration, undefined);
});

const IMAGES = [1, 2, 3].map((n) => new Uint8Array(100 * n).fill(n));
const CHAPTERS = [{ start: 0, title: "Intro" }, { start: 10, title: "Talk" }, { start: 40, title: "Bye" }];

Deno.test("readAudioHeaders gives each chapter of M4A the picture that is shown when it starts", async () => {
  const pictures = [{ start: 0, image: IMAGES[0] }, { start: 10, image: IMAGES[1] }, { start: 41, image: IMAGES[2] }];
  for (const isMovieLast of [false, true]) {
    for (const chapters of [{ list: CHAPTERS }, { track: CHAPTERS }]) {
      const file = inMemory(mp4({ ...chapters, pictures, isMovieLast }));
      const probe = await readAudioHeaders(file);
      assert.deepEqual(probe.chapters.map(({ start, title }) => ({ start, title })), CHAPTERS);
      const shown = await Promise.all(probe.chapters.map(({ picture }) => picture!.read(file)));
      assert.deepEqual(shown, [IMAGES[0], IMAGES[1], IMAGES[1]]);
      assert.equal(probe.chapters[1].picture, probe.chapters[2].picture, "chapters share a picture");
    }
  }
});

Deno.test("readAudioHeaders gives chapters of M4A before the first picture none", async () => {
  const images = [{ start: 0, image: IMAGES[0] }];
  const probe = await readAudioHeaders(inMemory(mp4({ list: [{ start: 0, title: "Intro" }], pictures: images })));
  assert.equal(probe.chapters[0].picture?.bytes, IMAGES[0].length);
  const none = await readAudioHeaders(inMemory(mp4({ list: CHAPTERS, pictures: [] })));
  assert.deepEqual(none.chapters.map(({ picture }) => picture), [undefined, undefined, undefined]);
});
