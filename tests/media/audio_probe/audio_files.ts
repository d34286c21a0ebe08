// Audio files of tests: MP3 with and without headers and ID3 tags, MP4 with chapters, WAV.
import { ascii, be16, be32, joined, le16, le32, riff, riffChunk } from "../../image_fixtures.ts";

const KILOBITS = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];

/** A frame of MPEG 1 layer III, 44.1 kHz, stereo: 1,152 samples. */
export function mp3Frame(kilobits: number, contents: ArrayLike<number> = [], at = 36): Uint8Array {
  const bytes = new Uint8Array(Math.floor(144_000 * kilobits / 44_100));
  bytes.set([0xff, 0xfb, (KILOBITS.indexOf(kilobits) + 1) << 4, 0]);
  bytes.set(Array.from(contents), at);
  return bytes;
}

/** Frames with these bitrates, in turn. */
export const mp3Frames = (count: number, bitrates = [128]): Uint8Array =>
  joined(...Array.from({ length: count }, (_, n) => mp3Frame(bitrates[n % bitrates.length])));

/** A frame with a Xing header before other frames. */
export function withXing(frames: Uint8Array, count: number, { kind = "Xing", bytes = frames.length + 417 } = {}) {
  return joined(mp3Frame(128, [...ascii(kind), ...be32(3), ...be32(count), ...be32(bytes)]), frames);
}

export const withVbri = (frames: Uint8Array, count: number): Uint8Array =>
  joined(
    mp3Frame(128, [
      ...ascii("VBRI"),
      ...be16(1),
      ...be16(0),
      ...be16(75),
      ...be32(frames.length + 417),
      ...be32(count),
    ]),
    frames,
  );

const synchsafe = (n: number) => [n >> 21 & 127, n >> 14 & 127, n >> 7 & 127, n & 127];

export interface TagOptions {
  version?: 2 | 3 | 4;
  isUnsynchronized?: boolean;
  padding?: number;
}

export function id3Tag(frames: Uint8Array[], { version = 3, isUnsynchronized, padding = 0 }: TagOptions = {}) {
  let body = joined(...frames, new Uint8Array(padding));
  if (isUnsynchronized && version === 3) body = unsynchronized(body);
  return joined(
    ascii("ID3"),
    [version, 0, isUnsynchronized ? 0x80 : 0],
    synchsafe(body.length),
    body,
  );
}

/** With a zero byte after each 0xff. */
export const unsynchronized = (bytes: Uint8Array): Uint8Array =>
  Uint8Array.from([...bytes].flatMap((byte) => byte === 0xff ? [byte, 0] : [byte]));

/** "plain": 2.4 with the sizes of 2.3, as iTunes writes it. */
export type FrameVersion = 3 | 4 | "plain";

export const id3Frame = (
  id: string,
  body: ArrayLike<number>,
  version: FrameVersion = 3,
  flags = 0,
): Uint8Array => joined(ascii(id), version === 4 ? synchsafe(body.length) : be32(body.length), [0, flags], body);

export interface ChapterFields {
  start: number;
  end?: number;
  title?: string;
  url?: string;
  /** Bytes of a picture that is none. */
  picture?: number;
  image?: Uint8Array;
}

/** A CHAP frame; times are seconds. */
export function chap(
  id: string,
  { start, end, title, url, picture, image }: ChapterFields,
  version: FrameVersion = 3,
): Uint8Array {
  const frames = [];
  if (title !== undefined) frames.push(id3Frame("TIT2", [3, ...ascii(title)], version));
  if (picture) frames.push(id3Frame("APIC", new Uint8Array(picture).fill(0xff), version));
  if (image) frames.push(apic(image, version));
  if (url !== undefined) frames.push(id3Frame("WXXX", [0, ...ascii("page\0" + url)], version));
  const times = [...be32(start * 1000), ...be32((end ?? start + 1) * 1000), ...be32(-1), ...be32(-1)];
  return id3Frame("CHAP", joined(ascii(id + "\0"), times, ...frames), version);
}

export const apic = (image: Uint8Array, version: FrameVersion = 3): Uint8Array =>
  id3Frame("APIC", joined([0], ascii("image/jpeg\0"), [3], ascii("art\0"), image), version);

export const ctoc = (ids: string[], version: FrameVersion = 3): Uint8Array =>
  id3Frame("CTOC", joined(ascii("toc\0"), [3, ids.length], ascii(ids.map((id) => id + "\0").join(""))), version);

export const cover = (bytes: number, version: FrameVersion = 3): Uint8Array =>
  id3Frame("APIC", new Uint8Array(bytes), version);

/** 8-bit mono at 8 kHz: a byte per sample. */
export function wav(seconds: number, { chunks = [] as Uint8Array[], dataLength = seconds * 8000 } = {}): Uint8Array {
  const format = riffChunk("fmt ", [...le16(1), ...le16(1), ...le32(8000), ...le32(8000), ...le16(1), ...le16(8)]);
  const data = riffChunk("data", new Uint8Array(seconds * 8000), dataLength);
  return joined(
    ascii("RIFF"),
    riff(joined(format, ...chunks, data)).subarray(4, 8),
    ascii("WAVE"),
    format,
    ...chunks,
    data,
  );
}

export const box = (type: string, ...contents: ArrayLike<number>[]): Uint8Array => {
  const body = joined(...contents);
  return joined(be32(body.length + 8), ascii(type), body);
};

const times = (
  timescale: number,
  units: number,
) => [...be32(0), ...be32(0), ...be32(0), ...be32(timescale), ...be32(units)];

export interface Mp4Options {
  seconds?: number;
  /** Bytes of the audio. */
  audioBytes?: number;
  isMovieLast?: boolean;
  list?: { start: number; title: string }[];
  track?: { start: number; title: string }[];
  /** Samples of a track of pictures. */
  pictures?: { start: number; image: Uint8Array }[];
  /** Boxes of the movie besides tracks. */
  more?: Uint8Array[];
}

/** M4A; the samples of the chapter tracks are at the beginning of mdat, in two chunks. */
export function mp4(
  { seconds = 60, audioBytes = 200_000, isMovieLast, list, track, pictures, more = [] }: Mp4Options = {},
): Uint8Array {
  const type = box("ftyp", ascii("M4A "), be32(0), ascii("M4A isom"));
  const samples = (track ?? []).map(({ title }) => joined(be16(ascii(title).length), ascii(title)));
  const images = (pictures ?? []).map(({ image }) => image);
  const movie = (at: number) =>
    box(
      "moov",
      box("mvhd", times(1000, seconds * 1000)),
      ...more,
      audioTrack(seconds, [...track ? [2] : [], ...pictures ? [3] : []]),
      ...track ? [chapterTrack(2, "text", track, samples, at, seconds)] : [],
      ...pictures ? [chapterTrack(3, "vide", pictures, images, at + joined(...samples).length, seconds)] : [],
      ...list ? [box("udta", chapterList(list))] : [],
    );
  const media = box("mdat", ...samples, ...images, new Uint8Array(audioBytes));
  return isMovieLast
    ? joined(type, media, movie(type.length + 8))
    : joined(type, movie(type.length + movie(0).length + 8), media);
}

function audioTrack(seconds: number, chapterTracks: number[]): Uint8Array {
  return box(
    "trak",
    box("tkhd", be32(0), be32(0), be32(0), be32(1)),
    ...chapterTracks.length ? [box("tref", box("chap", ...chapterTracks.map(be32)))] : [],
    box("mdia", box("mdhd", times(44_100, seconds * 44_100)), box("hdlr", be32(0), be32(0), ascii("soun"))),
  );
}

function chapterTrack(
  id: number,
  handler: string,
  track: { start: number }[],
  samples: Uint8Array[],
  at: number,
  seconds: number,
): Uint8Array {
  const durations = track.map(({ start }, n) => (track[n + 1]?.start ?? seconds) - start);
  const secondChunkAt = at + (samples[0]?.length ?? 0);
  return box(
    "trak",
    box("tkhd", be32(0), be32(0), be32(0), be32(id)),
    box(
      "mdia",
      box("mdhd", times(1000, seconds * 1000)),
      box("hdlr", be32(0), be32(0), ascii(handler)),
      box(
        "minf",
        box(
          "stbl",
          box("stts", be32(0), be32(track.length), ...durations.map((one) => [...be32(1), ...be32(one * 1000)])),
          box("stsz", be32(0), be32(0), be32(samples.length), ...samples.map(({ length }) => be32(length))),
          box("stsc", be32(0), be32(2), [...be32(1), ...be32(1), ...be32(1)], [...be32(2), ...be32(999), ...be32(1)]),
          box("stco", be32(0), be32(2), be32(at), be32(secondChunkAt)),
        ),
      ),
    ),
  );
}

function chapterList(list: { start: number; title: string }[]): Uint8Array {
  const entries = list.map(({ start, title }) => {
    const units = start * 1e7;
    return joined(be32(Math.floor(units / 2 ** 32)), be32(units % 2 ** 32), [ascii(title).length], ascii(title));
  });
  return box("chpl", be32(0x01000000), be32(0), [list.length], ...entries);
}
