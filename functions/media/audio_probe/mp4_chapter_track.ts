/**
 * Tracks with the chapters of an audio track, one sample each (Apple, QuickTime File Format, "Chapter lists"): one with
 * their titles, one with pictures.
 */
import { be, type ByteSource } from "./byte_source.ts";
import { cleanTitle, findBoxes, type Track } from "./mp4_boxes.ts";
import { type FileChapter, type FilePicture, MAX_FILE_CHAPTERS } from "./probe.ts";

const MAX_SAMPLE_BYTES = 4096;

export async function readChapterTrack(source: ByteSource, audio: Track, tracks: Track[]): Promise<FileChapter[]> {
  const text = await findChapterTrack(source, audio, tracks, "text", "sbtl");
  if (!text) return [];
  const chapters: FileChapter[] = [];
  for (const { at, length, start } of await locateSamples(source, text)) {
    const sample = await source.read(at, Math.min(length, MAX_SAMPLE_BYTES));
    chapters.push({ start: start / text.timescale, title: readTitle(sample) });
  }
  return chapters;
}

/** Gives each chapter the picture that is shown when it starts. Pictures are not read. */
export async function readChapterPictures(
  source: ByteSource,
  audio: Track,
  tracks: Track[],
  chapters: FileChapter[],
): Promise<FileChapter[]> {
  const video = chapters.length > 0 && await findChapterTrack(source, audio, tracks, "vide");
  if (!video) return chapters;
  const pictures = (await locateSamples(source, video)).map(({ at, length, start }) => ({
    start: start / video.timescale,
    picture: { bytes: length, read: (file: ByteSource) => file.read(at, length) } satisfies FilePicture,
  }));
  let shown = -1; // chapters are in order; one that is not keeps the picture of those before it
  return chapters.map((chapter) => {
    while (shown + 1 < pictures.length && pictures[shown + 1].start <= chapter.start + MAX_SHIFT_SECONDS) shown++;
    return { ...chapter, picture: pictures[shown]?.picture };
  });
}

/** Between tracks, whose times are rounded differently. */
const MAX_SHIFT_SECONDS = 0.1;

async function findChapterTrack(source: ByteSource, audio: Track, tracks: Track[], ...handlers: string[]) {
  const reference = (await findBoxes(source, audio.boxes.get("tref"), "chap")).get("chap");
  if (!reference) return;
  const bytes = await source.read(reference.from, Math.min(reference.to - reference.from, 80));
  const ids = Array.from({ length: bytes.length >> 2 }, (_, n) => be(bytes, 4 * n, 4));
  return tracks.find(({ id, handler, timescale }) => timescale > 0 && ids.includes(id) && handlers.includes(handler));
}

/** A text behind its length, in UTF-8, or UTF-16 with a byte order mark. */
function readTitle(sample: Uint8Array): string | undefined {
  const text = sample.subarray(2, 2 + be(sample, 0, 2));
  const encoding = text[0] === 0xfe && text[1] === 0xff
    ? "utf-16be"
    : text[0] === 0xff && text[1] === 0xfe
    ? "utf-16le"
    : "utf-8";
  return cleanTitle(new TextDecoder(encoding).decode(text));
}

interface Sample {
  at: number;
  length: number;
  /** In units of the track. */
  start: number;
}

/** Where the samples are: chunks have offsets (stco, co64) and numbers of samples (stsc); samples have sizes (stsz). */
async function locateSamples(source: ByteSource, { media }: Track): Promise<Sample[]> {
  const list = (await findBoxes(source, media.get("minf"), "stbl")).get("stbl");
  const table = await findBoxes(source, list, "stts", "stsz", "stsc", "stco", "co64");
  const read = async (type: string, entryBytes: number, headBytes = 8): Promise<Uint8Array> => {
    const found = table.get(type);
    if (!found) return new Uint8Array();
    const length = Math.min(found.to - found.from, headBytes + entryBytes * MAX_FILE_CHAPTERS);
    return await source.read(found.from, length);
  };
  const sizes = await read("stsz", 4, 12), durations = await read("stts", 8), runs = await read("stsc", 12);
  const isLong = !table.has("stco"), width = isLong ? 8 : 4;
  const chunks = isLong ? await read("co64", 8) : await read("stco", 4);

  const samples: Sample[] = [], starts = readStarts(durations);
  const commonSize = be(sizes, 4, 4), count = Math.min(be(sizes, 8, 4), starts.length);
  for (let chunk = 1, run = 0; 8 + chunk * width <= chunks.length && samples.length < count; chunk++) {
    while (8 + 12 * (run + 2) <= runs.length && be(runs, 8 + 12 * (run + 1), 4) <= chunk) run++;
    let at = be(chunks, 8 + (chunk - 1) * width, 4) * (isLong ? 2 ** 32 : 1);
    if (isLong) at += be(chunks, 12 + (chunk - 1) * width, 4);
    for (let left = be(runs, 12 + 12 * run, 4); left > 0 && samples.length < count; left--) {
      const length = commonSize || be(sizes, 12 + 4 * samples.length, 4);
      samples.push({ at, length, start: starts[samples.length] });
      at += length;
    }
  }
  return samples;
}

/** The start of each sample: stts has numbers of samples of one duration. */
function readStarts(durations: Uint8Array): number[] {
  const starts: number[] = [];
  for (let at = 8, start = 0; at + 8 <= durations.length; at += 8) {
    const duration = be(durations, at + 4, 4);
    for (let left = be(durations, at, 4); left > 0 && starts.length < MAX_FILE_CHAPTERS; left--) {
      starts.push(start);
      start += duration;
    }
  }
  return starts;
}
