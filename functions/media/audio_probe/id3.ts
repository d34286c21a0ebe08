/**
 * Chapters of ID3v2 tags: frames CHAP and CTOC, which 2.3 and 2.4 have (https://id3.org/id3v2-chapters-1.0). Other
 * frames, such as covers of megabytes, are skipped unread, and so are pictures of chapters until they are asked for.
 */
import { be, type ByteSource, inMemory } from "./byte_source.ts";
import {
  extendedHeaderLength,
  type Frame,
  MAX_ENCODED_BYTES,
  readEncoded,
  readFrame,
  readTag,
  type Tag,
  walkFrames,
} from "./id3_frames.ts";
import { clean, latin1, readText, readUserUrl, skipText } from "./id3_text.ts";
import { type FileChapter, type FilePicture, MAX_FILE_CHAPTERS } from "./probe.ts";

const MAX_FRAMES = 5000;
/** Of the frames of a chapter. */
const MAX_SUBFRAMES = 20;
const MAX_TEXT_BYTES = 4096;

type IdentifiedChapter = FileChapter & { id: string };

/** The chapters of the tag at this offset; none for another version, or without a tag. */
export async function readId3Chapters(source: ByteSource, at: number): Promise<FileChapter[]> {
  let tag = await readTag(source, at);
  if (!tag || tag.version < 3 || tag.version > 4) return [];
  let isCopy = false;
  if (tag.isUnsynchronized && tag.version === 3) { // of the tag as a whole
    const bytes = await readEncoded(source, tag);
    if (!bytes) return [];
    source = inMemory(bytes);
    tag = { ...tag, from: 0, to: bytes.length };
    isCopy = true;
  }
  const chapters: IdentifiedChapter[] = [], listed = new Set<string>();
  const from = tag.from + (tag.hasExtendedHeader ? await extendedHeaderLength(source, tag) : 0);
  for await (const frame of walkFrames(source, tag, from, tag.to, MAX_FRAMES)) {
    if (frame.id === "CHAP" && chapters.length < MAX_FILE_CHAPTERS) {
      const chapter = await readChapter(source, tag, frame, isCopy);
      if (chapter) chapters.push(chapter);
    } else if (frame.id === "CTOC" && frame.to - frame.from <= MAX_ENCODED_BYTES) {
      for (const id of listedIds(await readFrame(source, frame))) listed.add(id);
    }
  }
  const hasContents = chapters.some(({ id }) => listed.has(id));
  return chapters.map(({ id, ...chapter }) => ({ ...chapter, isInToc: !hasContents || listed.has(id) }));
}

/** Element id, times in milliseconds, byte offsets, then frames of its own. `isCopy`: the source is not the file. */
async function readChapter(
  source: ByteSource,
  tag: Tag,
  frame: Frame,
  isCopy: boolean,
): Promise<IdentifiedChapter | undefined> {
  let { from, to } = frame;
  if (frame.isUnsynchronized) {
    const bytes = await readEncoded(source, frame);
    if (!bytes) return;
    source = inMemory(bytes);
    tag = { ...tag, isUnsynchronized: false };
    [from, to] = [0, bytes.length];
  }
  const head = await source.read(from, Math.min(to - from, 300));
  const idEnd = head.indexOf(0);
  if (idEnd < 0 || head.length < idEnd + 17) return;
  const chapter: IdentifiedChapter = {
    id: latin1(head.subarray(0, idEnd)),
    start: be(head, idEnd + 1, 4) / 1000,
    end: be(head, idEnd + 5, 4) / 1000,
  };
  for await (const sub of walkFrames(source, tag, from + idEnd + 17, to, MAX_SUBFRAMES)) {
    if (sub.id === "APIC") {
      chapter.picture ??= picture(sub, isCopy ? source : undefined, frame.isUnsynchronized ? frame : undefined);
    } else if (sub.to - sub.from > MAX_TEXT_BYTES) continue;
    else if (sub.id === "TIT2") chapter.title ??= readText(await readFrame(source, sub));
    else if (sub.id === "WXXX") chapter.url ??= readUserUrl(await readFrame(source, sub));
    else if (sub.id === "WOAR" || sub.id === "WCOM") chapter.url ??= clean(latin1(await readFrame(source, sub)));
  }
  return chapter;
}

/** A picture of the file, of a copy of its tag, or of an unsynchronized chapter, which is decoded again. */
function picture(frame: Frame, copy: ByteSource | undefined, chapter: Frame | undefined): FilePicture {
  return {
    bytes: chapter ? chapter.to - chapter.from : frame.to - frame.from,
    async read(file) {
      const decoded = chapter && await readEncoded(file, chapter);
      return imageOf(await readFrame(decoded ? inMemory(decoded) : copy ?? file, frame));
    },
  };
}

/** The image behind encoding, MIME type, kind of picture and description. */
function imageOf(bytes: Uint8Array): Uint8Array {
  const typeEnd = bytes.indexOf(0, 1);
  return typeEnd < 0 ? new Uint8Array() : bytes.subarray(skipText(bytes, typeEnd + 2));
}

/** The elements that a table of contents lists, after its own id, flags and their number. */
function listedIds(bytes: Uint8Array): string[] {
  const from = bytes.indexOf(0) + 3;
  if (from < 3) return [];
  return latin1(bytes.subarray(from)).split("\0").slice(0, Math.min(bytes[from - 1], 255));
}
