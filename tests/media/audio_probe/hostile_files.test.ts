// Files that are cut, damaged, or built to cost much.
import assert from "node:assert/strict";
import { inMemory, openObject } from "../../../functions/media/audio_probe/byte_source.ts";
import { readAudioHeaders } from "../../../functions/media/audio_probe/read_audio_headers.ts";
import { ascii, be32, joined, riffChunk } from "../../image_fixtures.ts";
import { box, chap, cover, ctoc, id3Frame, id3Tag, mp3Frames, mp4, wav, withXing } from "./audio_files.ts";
import { seededRandom } from "../../random.ts";
import { byScale } from "../../scale.ts";

const MB = 1024 * 1024;
const LIMITS = { maxBytes: 8 * MB, maxRequests: 512 };
const CHAPTERS = Array.from({ length: 20 }, (_, n) => ({ start: n, title: `Chapter ${n}` }));

/** Probes a file of this size that begins with `head` and repeats `rest`, and counts what is fetched. */
async function probeLarge(size: number, head: Uint8Array, rest: Uint8Array) {
  const fetched = { bytes: 0, requests: 0 };
  const fetchRange = (from: number, length: number) => {
    const bytes = new Uint8Array(Math.min(length, size - from));
    for (let n = 0; n < bytes.length; n++) {
      const at = from + n;
      bytes[n] = at < head.length ? head[at] : rest[(at - head.length) % rest.length];
    }
    fetched.bytes += bytes.length;
    fetched.requests++;
    return Promise.resolve({ bytes, size });
  };
  const probe = await readAudioHeaders(await openObject(fetchRange, LIMITS)).catch(({ message }) => message as string);
  return { probe, ...fetched };
}

const files: [string, Uint8Array][] = [
  [
    "MP3",
    joined(
      id3Tag([cover(3000), ...CHAPTERS.map((one, n) => chap(`c${n}`, one)), ctoc(["c0", "c1"])]),
      withXing(mp3Frames(40), 40),
    ),
  ],
  [
    "MP3 with plain sizes and pictures",
    joined(
      id3Tag([
        ctoc(Array.from({ length: 20 }, (_, n) => `c${n}`), "plain"),
        ...CHAPTERS.map((one, n) => chap(`c${n}`, { ...one, image: new Uint8Array(150).fill(n) }, "plain")),
      ], { version: 4 }),
      withXing(mp3Frames(40), 40),
    ),
  ],
  [
    "MP4 with pictures",
    mp4({
      track: CHAPTERS,
      pictures: CHAPTERS.map(({ start }, n) => ({ start, image: new Uint8Array(50).fill(n) })),
      audioBytes: 20_000,
    }),
  ],
  ["MP4 with a chapter list", mp4({ list: CHAPTERS, audioBytes: 20_000 })],
  ["MP4 with a chapter track", mp4({ track: CHAPTERS, audioBytes: 20_000, isMovieLast: true })],
  ["WAV", wav(2, { chunks: [riffChunk("id3 ", id3Tag(CHAPTERS.map((one, n) => chap(`c${n}`, one))))] })],
];

/** The pictures of chapters can be read, too. */
async function assertReadable(bytes: Uint8Array, title: string) {
  const file = inMemory(bytes), probe = await readAudioHeaders(file);
  assertPlausible(probe, bytes.length, title);
  for (const { picture } of probe.chapters) {
    if (picture) assert.ok((await picture.read(file)).length <= bytes.length, title);
  }
}

function assertPlausible(
  { duration, chapters }: Awaited<ReturnType<typeof readAudioHeaders>>,
  size: number,
  title: string,
) {
  assert.ok(duration === undefined || duration > 0 && duration <= size / 100, `${title}: ${duration}`);
  assert.ok(chapters.length <= 1000, title);
  for (const { start, title: text = "" } of chapters) assert.ok(start >= 0 && !text.includes("\0"), title);
}

for (const [name, bytes] of files) {
  Deno.test(`readAudioHeaders ends with a plausible result for ${name} cut anywhere`, async () => {
    for (let length = 0; length < bytes.length; length += length < 4000 ? 1 : 97) {
      await assertReadable(bytes.subarray(0, length), `cut at ${length}`);
    }
  });

  Deno.test(`readAudioHeaders ends with a plausible result for ${name} with damaged bytes`, async () => {
    const { below, one } = seededRandom(7);
    for (let n = 0; n < byScale(300, 1000); n++) {
      const damaged = bytes.slice();
      for (let left = 1 + below(8); left > 0; left--) {
        damaged[below(Math.min(bytes.length, 5000))] = one([0, 1, 0x7f, 0x80, 0xff, 0x55]);
      }
      await assertReadable(damaged, `damage ${n}`);
    }
  });
}

const SIZE = 500 * MB;
const ftyp = box("ftyp", ascii("M4A "), be32(0));
const endless = (type: string) => joined(be32(SIZE - 24), ascii(type));
const costly: [string, Uint8Array, Uint8Array][] = [
  ["empty boxes", ftyp, box("free")],
  ["empty tracks", joined(ftyp, endless("moov")), box("trak")],
  ["boxes far apart", ftyp, box("free", new Uint8Array(100_000))],
  ["boxes far apart in a movie", joined(ftyp, endless("moov")), box("free", new Uint8Array(100_000))],
  ["a movie box of gigabytes", joined(ftyp, be32(1), ascii("moov"), be32(2 ** 20), be32(0)), box("mvhd", be32(0))],
  ["movies in movies", joined(ftyp, endless("moov")), endless("moov")],
  [
    "ID3 frames without end",
    joined(ascii("ID3"), [3, 0, 0, 0x7f, 0x7f, 0x7f, 0x7f]),
    id3Frame("TXXX", new Uint8Array(20_000)),
  ],
  [
    "ID3 chapters without end",
    joined(ascii("ID3"), [3, 0, 0, 0x7f, 0x7f, 0x7f, 0x7f]),
    chap("a", { start: 1, title: "x" }),
  ],
  [
    "ID3 chapters with pictures",
    joined(ascii("ID3"), [3, 0, 0, 0x7f, 0x7f, 0x7f, 0x7f]),
    chap("a", { start: 1, title: "x", picture: 99_000 }),
  ],
  [
    "ID3v2.4 frames whose sizes can be read in two ways",
    joined(ascii("ID3"), [4, 0, 0, 0x7f, 0x7f, 0x7f, 0x7f]),
    chap("a", { start: 1, title: "x", picture: 33_000 }, "plain"),
  ],
  ["full tracks without a header", joined(ftyp, endless("moov")), box("trak", new Uint8Array(8000).fill(0xff))],
  [
    "contents lists without end",
    joined(ascii("ID3"), [3, 0, 0, 0x7f, 0x7f, 0x7f, 0x7f]),
    ctoc(Array(255).fill("chapter")),
  ],
  [
    "unsynchronized chapters of a megabyte",
    joined(ascii("ID3"), [4, 0, 0x80, 0x7f, 0x7f, 0x7f, 0x7f]),
    chap("a", { start: 1, picture: 900_000 }, 4),
  ],
  ["WAV chunks without end", wav(1).subarray(0, 36), riffChunk("junk", [])],
  ["WAV chunks far apart", wav(1).subarray(0, 36), riffChunk("junk", new Uint8Array(50_000))],
  ["sync bytes", new Uint8Array(), Uint8Array.of(0xff)],
  ["MP3 frames of alternating kinds", new Uint8Array(), joined(mp3Frames(3), mp3Frames(3, [320]), [0xff, 0xfb])],
  ["ID3 tags without end", new Uint8Array(), id3Tag([cover(3)])],
];

for (const [title, head, rest] of costly) {
  Deno.test(`readAudioHeaders reads at most 8 MB in 512 requests of 500 MB with ${title}`, async () => {
    const { probe, bytes, requests } = await probeLarge(SIZE, head, rest);
    assert.ok(bytes <= LIMITS.maxBytes && requests <= LIMITS.maxRequests, `${bytes} bytes, ${requests} requests`);
    if (typeof probe !== "string") assertPlausible(probe, SIZE, title);
    else assert.match(probe, /^The probe ends after/);
  });
}

Deno.test("readAudioHeaders measures MP3 of 500 MB by a sample of 2 MB", async () => {
  const { probe, bytes } = await probeLarge(SIZE, new Uint8Array(), mp3Frames(1));
  assert.equal(Math.round((probe as { duration: number }).duration), Math.round(SIZE * 8 / 128_000));
  assert.ok(bytes < 3 * MB, String(bytes));
});

Deno.test("readAudioHeaders keeps the duration and leaves out the chapters when these need too many bytes", async () => {
  const tag = joined(ascii("ID3"), [3, 0, 0, 0x10, 0, 0, 0]); // 32 MB
  const picture = 15_990;
  const chapter = chap("a", { start: 1, title: "x", picture });
  const count = Math.floor((1 << 25) / chapter.length);
  const size = 10 + (1 << 25) + 417 * 2000;
  const chapters = joined(tag, ...Array.from({ length: count }, () => chapter));
  const head = joined(chapters, new Uint8Array(10 + (1 << 25) - chapters.length), mp3Frames(2000));
  const { probe } = await probeLarge(size, head, Uint8Array.of(0));
  assert.equal(typeof probe === "object" && Math.round(probe.duration!), Math.round(2000 * 1152 / 44_100));
  assert.match((probe as { problem: string }).problem, /^Chapters were left out: The probe ends after/);
});

Deno.test("readAudioHeaders reads neither a cover nor pictures of chapters", async () => {
  const chapters = CHAPTERS.map((one, n) => chap(`c${n}`, { ...one, picture: 200_000 }));
  const head = joined(id3Tag([cover(5 * MB), ...chapters]), withXing(mp3Frames(2000), 2000));
  const { probe, bytes } = await probeLarge(head.length, head, Uint8Array.of(0));
  assert.equal((probe as { chapters: unknown[] }).chapters.length, CHAPTERS.length);
  assert.ok(bytes < MB, String(bytes));
});

Deno.test("readAudioHeaders reads no box behind the movie box, such as the fragments of a stream", async () => {
  const { probe, requests } = await probeLarge(100 * MB, mp4({ seconds: 90 }), box("moof", new Uint8Array(20_000)));
  assert.equal((probe as { duration: number }).duration, 90);
  assert.equal(requests, 1);
});
