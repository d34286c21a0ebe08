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
export async function readBoxes(source: ByteSource, { from, to }: Box): Promise<Box[]> {
  const boxes: Box[] = [];
  for (let at = from; at + 8 <= to && boxes.length < MAX_BOXES;) {
    const head = await source.read(at, 16);
    const isLong = be(head, 0, 4) === 1;
    const length = isLong ? be(head, 8, 4) * 2 ** 32 + be(head, 12, 4) : be(head, 0, 4) || to - at;
    const headLength = isLong ? 16 : 8;
    if (length < headLength) break;
    boxes.push({
      type: String.fromCharCode(...head.subarray(4, 8)),
      from: at + headLength,
      to: Math.min(at + length, to), // a file that was cut off
    });
    at += length;
  }
  return boxes;
}

/** The first box at this path. */
export async function findBox(source: ByteSource, box: Box, ...path: string[]): Promise<Box | undefined> {
  let found: Box | undefined = box;
  for (const type of path) {
    found = (await readBoxes(source, found)).find((one) => one.type === type);
    if (!found) return;
  }
  return found;
}

/** Without zeros, which Postgres does not store. */
export const cleanTitle = (title: string): string | undefined => title.replaceAll("\0", "").trim() || undefined;
