/** Boxes of MP4, and the tracks that they describe. */
import { be, type ByteSource } from "./byte_source.ts";

const MAX_BOXES = 1000;

export interface Box {
  type: string;
  /** Of the contents. */
  from: number;
  to: number;
}

export interface Track {
  box: Box;
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

/** The first box at this path. Boxes behind it, such as the fragments of a file, are not read. */
export async function findBox(
  source: ByteSource,
  box: Box,
  ...[type, ...path]: string[]
): Promise<Box | undefined> {
  if (!type) return box;
  for await (const one of readBoxes(source, box)) {
    if (one.type === type) return await findBox(source, one, ...path);
  }
}

/** Without zeros, which Postgres does not store. */
export const cleanTitle = (title: string): string | undefined => title.replaceAll("\0", "").trim() || undefined;
