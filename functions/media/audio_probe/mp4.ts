/**
 * MP4 (ISO 14496-12): the duration of its audio track, and its chapters: the list `chpl`, which ffmpeg and others
 * write, else the text track to which the audio track refers (Apple). Only boxes with these are read.
 */
import { be, type ByteSource } from "./byte_source.ts";
import { type Box, cleanTitle, findBoxes, readBoxes, type Track } from "./mp4_boxes.ts";
import { readChapterPictures, readChapterTrack } from "./mp4_chapter_track.ts";
import { type FileChapter, type Probe, readChapters } from "./probe.ts";

/** Of all kinds, whether they can be read or not. */
const MAX_TRACKS = 20;

export async function probeMp4(source: ByteSource): Promise<Probe> {
  const movie = (await findBoxes(source, { type: "", from: 0, to: source.size }, "moov")).get("moov");
  if (!movie) return { chapters: [] };
  const { boxes, tracks } = await readMovie(source, movie);
  const audio = tracks.find(({ handler }) => handler === "soun");
  return {
    duration: audio && (audio.duration || await movieDuration(source, boxes)) || undefined,
    ...await readChapters(async () => {
      const listed = await readChapterList(source, boxes.get("udta"));
      if (!audio) return listed;
      const chapters = listed.length ? listed : await readChapterTrack(source, audio, tracks);
      return await readChapterPictures(source, audio, tracks, chapters);
    }),
  };
}

async function readMovie(source: ByteSource, movie: Box) {
  const boxes = new Map<string, Box>(), tracks: Track[] = [];
  let trackCount = 0;
  for await (const box of readBoxes(source, movie)) {
    if (box.type !== "trak") {
      if (!boxes.has(box.type)) boxes.set(box.type, box);
    } else if (trackCount++ < MAX_TRACKS) {
      const track = await readTrack(source, box);
      if (track) tracks.push(track);
    }
  }
  return { boxes, tracks };
}

async function readTrack(source: ByteSource, box: Box): Promise<Track | undefined> {
  const boxes = await findBoxes(source, box, "tkhd", "tref", "mdia");
  const media = await findBoxes(source, boxes.get("mdia"), "mdhd", "hdlr", "minf");
  const head = boxes.get("tkhd"), times = media.get("mdhd"), handler = media.get("hdlr");
  if (!head || !times || !handler) return;
  const headBytes = await source.read(head.from, 24);
  const id = be(headBytes, headBytes[0] === 1 ? 20 : 12, 4);
  const kind = String.fromCharCode(...(await source.read(handler.from, 12)).subarray(8));
  return { boxes, media, id, handler: kind, ...await readTimes(source, times) };
}

/** Timescale and duration of mvhd or mdhd, behind two dates; all ones: unknown. */
async function readTimes(source: ByteSource, { from }: Box): Promise<{ timescale: number; duration: number }> {
  const bytes = await source.read(from, 32);
  const isLong = bytes[0] === 1;
  const timescale = be(bytes, isLong ? 20 : 12, 4), high = isLong ? be(bytes, 24, 4) : 0;
  const low = be(bytes, isLong ? 28 : 16, 4);
  const isUnknown = low === 0xffffffff && (!isLong || high === 0xffffffff);
  return { timescale, duration: isUnknown || timescale === 0 ? 0 : (high * 2 ** 32 + low) / timescale };
}

/** The duration that the movie declares, or that of all its fragments. */
async function movieDuration(source: ByteSource, movie: ReadonlyMap<string, Box>): Promise<number> {
  const head = movie.get("mvhd");
  if (!head) return 0;
  const { timescale, duration } = await readTimes(source, head);
  const fragments = duration === 0 && (await findBoxes(source, movie.get("mvex"), "mehd")).get("mehd");
  if (!fragments || timescale === 0) return duration;
  const bytes = await source.read(fragments.from, 12);
  return (bytes[0] === 1 ? be(bytes, 4, 4) * 2 ** 32 + be(bytes, 8, 4) : be(bytes, 4, 4)) / timescale;
}

/** Start in units of 100 ns, length of the title, title. */
async function readChapterList(source: ByteSource, userData: Box | undefined): Promise<FileChapter[]> {
  const list = (await findBoxes(source, userData, "chpl")).get("chpl");
  if (!list) return [];
  const bytes = await source.read(list.from, Math.min(list.to - list.from, 10 + 256 * 264));
  const chapters: FileChapter[] = [];
  let at = bytes[0] === 1 ? 9 : 5;
  for (let left = bytes[at - 1] ?? 0; left > 0 && at + 9 <= bytes.length; left--) {
    const title = bytes.subarray(at + 9, at + 9 + bytes[at + 8]);
    chapters.push({
      start: (be(bytes, at, 4) * 2 ** 32 + be(bytes, at + 4, 4)) / 1e7,
      title: cleanTitle(new TextDecoder().decode(title)),
    });
    at += 9 + bytes[at + 8];
  }
  return chapters;
}
