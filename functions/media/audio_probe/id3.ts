/**
 * ID3v2 tags (2.2 to 2.4) and their chapters: frames CHAP and CTOC, which 2.3 and 2.4 have
 * (https://id3.org/id3v2-chapters-1.0). Other frames, such as covers of megabytes, are skipped unread. Pictures of
 * chapters are left out.
 */
import { isTagged } from "../is_tagged.ts";
import { be, type ByteSource, inMemory } from "./byte_source.ts";
import { type FileChapter, MAX_FILE_CHAPTERS } from "./probe.ts";

const MAX_TAGS = 4;
const MAX_FRAMES = 5000;
/** Of the frames of a chapter. */
const MAX_SUBFRAMES = 20;
const MAX_TEXT_BYTES = 4096;
/** Of a tag or chapter with unsynchronization, which must be decoded before its frames are found. */
const MAX_ENCODED_BYTES = 1_048_576;

interface Tag {
  version: number;
  isUnsynchronized: boolean;
  hasExtendedHeader: boolean;
  from: number;
  to: number;
  /** With the footer. */
  end: number;
}

interface Frame {
  id: string;
  from: number;
  to: number;
  isUnsynchronized: boolean;
}

/** The offset behind the tags at the beginning. */
export async function skipId3Tags(source: ByteSource): Promise<number> {
  let at = 0;
  for (let n = 0, tag; n < MAX_TAGS && (tag = await readTag(source, at)); n++) at = tag.end;
  return at;
}

/** The chapters of the tag at this offset; none for another version, or without a tag. */
export async function readId3Chapters(source: ByteSource, at: number): Promise<FileChapter[]> {
  let tag = await readTag(source, at);
  if (!tag || tag.version < 3 || tag.version > 4) return [];
  if (tag.isUnsynchronized && tag.version === 3) { // of the tag as a whole
    const bytes = await readEncoded(source, tag);
    if (!bytes) return [];
    source = inMemory(bytes);
    tag = { ...tag, from: 0, to: bytes.length };
  }
  const chapters: (FileChapter & { id: string })[] = [], listed = new Set<string>();
  const from = tag.from + (tag.hasExtendedHeader ? await extendedHeaderLength(source, tag) : 0);
  for await (const frame of walkFrames(source, tag, from, tag.to, MAX_FRAMES)) {
    if (frame.id === "CHAP" && chapters.length < MAX_FILE_CHAPTERS) {
      const chapter = await readChapter(source, tag, frame);
      if (chapter) chapters.push(chapter);
    } else if (frame.id === "CTOC" && frame.to - frame.from <= MAX_ENCODED_BYTES) {
      for (const id of listedIds(await decoded(source, frame))) listed.add(id);
    }
  }
  const hasContents = chapters.some(({ id }) => listed.has(id));
  return chapters.map(({ id, ...chapter }) => ({ ...chapter, isInToc: !hasContents || listed.has(id) }));
}

async function readTag(source: ByteSource, at: number): Promise<Tag | undefined> {
  const head = await source.read(at, 10);
  if (head.length < 10 || !isTagged(head, 0, "ID3")) return;
  const size = synchsafe(head, 6), from = at + 10, flags = head[5];
  return {
    version: head[3],
    isUnsynchronized: (flags & 0x80) !== 0,
    hasExtendedHeader: (flags & 0x40) !== 0,
    from,
    to: Math.min(from + size, source.size),
    end: from + size + (head[3] === 4 && (flags & 0x10) !== 0 ? 10 : 0),
  };
}

const synchsafe = (bytes: Uint8Array, at: number) =>
  (bytes[at] & 127) << 21 | (bytes[at + 1] & 127) << 14 | (bytes[at + 2] & 127) << 7 | bytes[at + 3] & 127;

async function extendedHeaderLength(source: ByteSource, { version, from }: Tag): Promise<number> {
  const bytes = await source.read(from, 4);
  return version === 4 ? synchsafe(bytes, 0) : be(bytes, 0, 4) + 4;
}

/** The frames between two offsets, without those that are compressed or encrypted. Ends at padding. */
async function* walkFrames(
  source: ByteSource,
  { version, isUnsynchronized }: Tag,
  from: number,
  to: number,
  maxFrames: number,
): AsyncGenerator<Frame> {
  for (let at = from, n = 0; at + 10 <= to && n < maxFrames; n++) {
    const head = await source.read(at, 10);
    const id = String.fromCharCode(...head.subarray(0, 4));
    if (!/^[A-Z0-9]{4}$/.test(id)) return;
    // some writers of 2.4 use plain sizes
    const isPlain = version === 3 || ((head[4] | head[5] | head[6] | head[7]) & 0x80) !== 0;
    const end = at + 10 + (isPlain ? be(head, 4, 4) : synchsafe(head, 4));
    if (end > to) return;
    const flags = head[9];
    const isEncoded = (flags & (version === 4 ? 0x0c : 0xc0)) !== 0;
    const added = version === 4
      ? ((flags & 0x40) !== 0 ? 1 : 0) + ((flags & 0x01) !== 0 ? 4 : 0)
      : (flags & 0x20) !== 0
      ? 1
      : 0;
    if (!isEncoded) {
      yield {
        id,
        from: Math.min(at + 10 + added, end),
        to: end,
        isUnsynchronized: version === 4 && (isUnsynchronized || (flags & 0x02) !== 0),
      };
    }
    at = end;
  }
}

/** The bytes of a frame, decoded. */
async function decoded(source: ByteSource, { from, to, isUnsynchronized }: Frame): Promise<Uint8Array> {
  const bytes = await source.read(from, to - from);
  return isUnsynchronized ? synchronized(bytes) : bytes;
}

async function readEncoded(source: ByteSource, { from, to }: { from: number; to: number }) {
  if (to - from <= MAX_ENCODED_BYTES) return synchronized(await source.read(from, to - from));
}

/** Without the zero bytes that unsynchronization added after 0xff. */
function synchronized(bytes: Uint8Array): Uint8Array {
  const decoded = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== 0 || at === 0 || bytes[at - 1] !== 0xff) decoded[length++] = bytes[at];
  }
  return decoded.subarray(0, length);
}

/** Element id, times in milliseconds, byte offsets, then frames of its own. */
async function readChapter(
  source: ByteSource,
  tag: Tag,
  frame: Frame,
): Promise<FileChapter & { id: string } | undefined> {
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
  const chapter: FileChapter & { id: string } = {
    id: latin1(head.subarray(0, idEnd)),
    start: be(head, idEnd + 1, 4) / 1000,
    end: be(head, idEnd + 5, 4) / 1000,
  };
  for await (const sub of walkFrames(source, tag, from + idEnd + 17, to, MAX_SUBFRAMES)) {
    if (sub.to - sub.from > MAX_TEXT_BYTES) continue;
    if (sub.id === "TIT2") chapter.title ??= text(await decoded(source, sub));
    if (sub.id === "WXXX") chapter.url ??= userUrl(await decoded(source, sub));
    if (sub.id === "WOAR" || sub.id === "WCOM") chapter.url ??= clean(latin1(await decoded(source, sub)));
  }
  return chapter;
}

/** The elements that a table of contents lists, after its own id, flags and their number. */
function listedIds(bytes: Uint8Array): string[] {
  const from = bytes.indexOf(0) + 3;
  if (from < 3) return [];
  return latin1(bytes.subarray(from)).split("\0").slice(0, Math.min(bytes[from - 1], 255));
}

const latin1 = (bytes: Uint8Array) => new TextDecoder("latin1").decode(bytes);

/** A text with its encoding before it. */
function text(bytes: Uint8Array): string | undefined {
  return clean(decodeText(bytes[0], bytes.subarray(1)));
}

function decodeText(encoding: number, bytes: Uint8Array): string {
  if (encoding === 3) return new TextDecoder().decode(bytes);
  if (encoding === 2) return new TextDecoder("utf-16be").decode(bytes);
  if (encoding !== 1) return latin1(bytes);
  return new TextDecoder(bytes[0] === 0xfe ? "utf-16be" : "utf-16le").decode(bytes);
}

/** A URL behind encoding and description, which ends with a zero of one or two bytes. */
function userUrl(bytes: Uint8Array): string | undefined {
  const width = bytes[0] === 1 || bytes[0] === 2 ? 2 : 1;
  for (let at = 1; at + width <= bytes.length; at += width) {
    if (be(bytes, at, width) === 0) return clean(latin1(bytes.subarray(at + width)));
  }
}

/** Up to the first zero; Postgres stores none. */
const clean = (value: string): string | undefined => value.split("\0", 1)[0].trim() || undefined;
