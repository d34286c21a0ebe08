/** ID3v2 tags (2.2 to 2.4), and the frames of 2.3 and 2.4, which are found without reading their contents. */
import { isTagged } from "../headers/is_tagged.ts";
import { be, type ByteSource } from "./byte_source.ts";

const MAX_TAGS = 4;
/** Of a tag or chapter with unsynchronization, which must be decoded before its frames are found. */
export const MAX_ENCODED_BYTES = 1_048_576;
/** Of padding that is checked to be zero. */
const MAX_PADDING_BYTES = 64;

export interface Tag {
  version: number;
  isUnsynchronized: boolean;
  hasExtendedHeader: boolean;
  from: number;
  to: number;
  /** With the footer. */
  end: number;
  /** A writer of 2.4 uses one kind of sizes for all frames. */
  sizes: { arePlain: boolean };
}

export interface Frame {
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

export async function readTag(source: ByteSource, at: number): Promise<Tag | undefined> {
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
    sizes: { arePlain: head[3] === 3 },
  };
}

const synchsafe = (bytes: Uint8Array, at: number) =>
  (bytes[at] & 127) << 21 | (bytes[at + 1] & 127) << 14 | (bytes[at + 2] & 127) << 7 | bytes[at + 3] & 127;

export async function extendedHeaderLength(source: ByteSource, { version, from }: Tag): Promise<number> {
  const bytes = await source.read(from, 4);
  return version === 4 ? synchsafe(bytes, 0) : be(bytes, 0, 4) + 4;
}

/** The frames between two offsets, without those that are compressed or encrypted. Ends at padding. */
export async function* walkFrames(
  source: ByteSource,
  tag: Tag,
  from: number,
  to: number,
  maxFrames: number,
): AsyncGenerator<Frame> {
  const { version, isUnsynchronized } = tag;
  for (let at = from, n = 0; at + 10 <= to && n < maxFrames; n++) {
    const head = await source.read(at, 10);
    const id = String.fromCharCode(...head.subarray(0, 4));
    if (!/^[A-Z0-9]{4}$/.test(id)) return;
    const end = at + 10 + await frameSize(source, tag, head, at + 10, to);
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

/**
 * 2.3 has plain sizes, 2.4 those of seven bits a byte. Some writers of 2.4, such as iTunes, use plain ones: the size
 * counts behind which the tag continues.
 */
async function frameSize(source: ByteSource, { version, sizes }: Tag, head: Uint8Array, from: number, to: number) {
  const plain = be(head, 4, 4), safe = synchsafe(head, 4);
  if (version === 3 || plain === safe) return plain;
  if (((head[4] | head[5] | head[6] | head[7]) & 0x80) !== 0) sizes.arePlain = true;
  else {
    const [expected, other] = sizes.arePlain ? [plain, safe] : [safe, plain];
    const trust = await trustEnd(source, from + expected, to);
    const otherTrust = trust < 2 ? await trustEnd(source, from + other, to) : 0;
    if (otherTrust > trust) sizes.arePlain = !sizes.arePlain;
    else if (trust === 1 && otherTrust === 1) sizes.arePlain = !await isZero(source, from + plain - 10, 10);
  }
  return sizes.arePlain ? plain : safe;
}

/** Whether all are zero: padding continues beyond the end of the larger size, unlike zeros within a frame. */
const isZero = async (source: ByteSource, at: number, length: number) =>
  (await source.read(at, length)).every((byte) => byte === 0);

/** 2 if a frame of 2.4, or the end of the frames, is at this offset; 1 for padding, which a picture may contain. */
async function trustEnd(source: ByteSource, at: number, to: number): Promise<number> {
  if (at >= to) return at === to ? 2 : 0;
  const length = Math.min(to - at, MAX_PADDING_BYTES);
  if (await isZero(source, at, length)) return 1;
  const bytes = await source.read(at, length);
  const isFrame = /^[A-Z0-9]{4}$/.test(String.fromCharCode(...bytes.subarray(0, 4))) && bytes.length > 10 &&
    (bytes[8] & 0x8f) === 0 && (bytes[9] & 0xb0) === 0 && // flags that 2.4 does not have
    at + 10 + Math.min(synchsafe(bytes, 4), be(bytes, 4, 4)) <= to;
  return isFrame ? 2 : 0;
}

/** The bytes of a frame, decoded. */
export async function readFrame(source: ByteSource, { from, to, isUnsynchronized }: Frame): Promise<Uint8Array> {
  const bytes = await source.read(from, to - from);
  return isUnsynchronized ? synchronized(bytes) : bytes;
}

/** Undefined if they are too many to be decoded. */
export async function readEncoded(source: ByteSource, { from, to }: { from: number; to: number }) {
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
