/** Boxes of MP4, and the tracks that they describe. Each list of boxes is read once. */
import { be, type ByteSource } from "./byte_source.ts";

/** Of one list. */
const MAX_BOXES = 1000;

export interface Box {
  type: string;
  /** Of the contents. */
  from: number;
  to: number;
}

/** The boxes of a list: the first of each type. */
type Boxes = ReadonlyMap<string, Box>;

export interface Track {
  boxes: Boxes;
  /** Of the media, in the track's box mdia. */
  media: Boxes;
  id: number;
  /** soun, text, vide and others. */
  handler: string;
  /** Units per second. */
  timescale: number;
  /** Seconds; 0 if unknown. */
  duration: number;
}

/** The boxes in a box. Ends at a size that cannot be. */
export async function* readBoxes(source: ByteSource, { from, to }: Box): AsyncGenerator<Box> {
  for (let at = from, n = 0; at + 8 <= to && n < MAX_BOXES; n++) {
    const head = await source.read(at, 16);
    const isLong = be(head, 0, 4) === 1;
    const length = isLong ? be(head, 8, 4) * 2 ** 32 + be(head, 12, 4) : be(head, 0, 4) || to - at;
    const headLength = isLong ? 16 : 8;
    if (length < headLength) break;
    yield {
      type: String.fromCharCode(...head.subarray(4, 8)),
      from: at + headLength,
      to: Math.min(at + length, to), // a file that was cut off
    };
    at += length;
  }
}

/** The first boxes of these types in a box; none of a box that is missing. Boxes behind the last one are not read. */
export async function findBoxes(source: ByteSource, box: Box | undefined, ...types: string[]): Promise<Boxes> {
  const found = new Map<string, Box>();
  if (!box) return found;
  for await (const one of readBoxes(source, box)) {
    if (types.includes(one.type) && !found.has(one.type)) found.set(one.type, one);
    if (found.size === types.length) break;
  }
  return found;
}

/** Without zeros, which Postgres does not store. */
export const cleanTitle = (title: string): string | undefined => title.replaceAll("\0", "").trim() || undefined;
