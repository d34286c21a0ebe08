// Pictures whose pixels tests know: four quadrants of one color each, as PNGs of every kind.
import { Buffer } from "node:buffer";
import { deflateSync } from "node:zlib";
import type { Pixels } from "../../../functions/media/copies/pixels.ts";
import { be32, joined, PNG_SIGNATURE, pngChunk } from "../../image_fixtures.ts";

export type Color = [red: number, green: number, blue: number, alpha: number];
export const RED: Color = [230, 20, 20, 255], GREEN: Color = [20, 200, 20, 255];
export const BLUE: Color = [20, 20, 230, 255], YELLOW: Color = [230, 220, 20, 255];

/** Colors of the quadrants: top left, top right, bottom left, bottom right. */
export function quadrants(width: number, height: number, colors: Color[] = [RED, GREEN, BLUE, YELLOW]): Pixels {
  const data = new Uint8ClampedArray(4 * width * height);
  const all = new Uint32Array(data.buffer),
    values = colors.map((color) => new Uint32Array(Uint8Array.from(color).buffer)[0]);
  for (let y = 0; y < height; y++) {
    const middle = y * width + Math.ceil(width / 2), half = y < height / 2 ? 0 : 2;
    all.fill(values[half], y * width, middle).fill(values[half + 1], middle, (y + 1) * width);
  }
  return { data, width, height };
}

/** The colors in the middle of the quadrants. */
export function colorsOf({ data, width, height }: Pixels): Color[] {
  const at = (x: number, y: number) => {
    const start = 4 * (Math.floor(y * height) * width + Math.floor(x * width));
    return [...data.slice(start, start + 4)] as Color;
  };
  return [at(0.25, 0.25), at(0.75, 0.25), at(0.25, 0.75), at(0.75, 0.75)];
}

export function isNear(actual: Color[], expected: Color[], tolerance = 16): boolean {
  return actual.every((color, n) =>
    color.every((value, channel) => Math.abs(value - expected[n][channel]) <= tolerance)
  );
}

interface PngKind {
  colorType?: 0 | 2 | 3 | 4 | 6;
  depth?: 8 | 16;
  isInterlaced?: boolean;
  /** Before the image's data. */
  chunks?: Uint8Array[];
}

/** Start and step of each pass of Adam7, across and down. */
const ADAM7 = [[0, 8, 0, 8], [4, 8, 0, 8], [0, 4, 4, 8], [2, 4, 0, 4], [0, 2, 2, 4], [1, 2, 0, 2], [0, 1, 1, 2]];

/** A gray value is that of red. */
export function pngOf(
  { data, width, height }: Pixels,
  { colorType = 6, depth = 8, isInterlaced = false, chunks = [] }: PngKind = {},
): Uint8Array {
  const palette: string[] = [];
  const samples = (x: number, y: number): number[] => {
    const [red, green, blue, alpha] = data.slice(4 * (y * width + x), 4 * (y * width + x) + 4);
    if (colorType === 3) {
      const color = [red, green, blue].join();
      if (!palette.includes(color)) palette.push(color);
      return [palette.indexOf(color)];
    }
    const all = { 0: [red], 2: [red, green, blue], 4: [red, alpha], 6: [red, green, blue, alpha] }[colorType];
    return depth === 16 ? all.flatMap((value) => [value, value]) : all;
  };
  const rows: Uint8Array[] = [];
  const pixelsOf = (y: number) => Buffer.from(data.buffer, 4 * width * y, 4 * width);
  for (const [left, across, top, down] of isInterlaced ? ADAM7 : [[0, 1, 0, 1]]) {
    if (left >= width) continue;
    for (let y = top, last = -1; y < height; last = y, y += down) {
      if (last >= 0 && pixelsOf(y).equals(pixelsOf(last))) {
        rows.push(rows.at(-1)!); // a pixel at a time takes seconds for a large image
        continue;
      }
      const row = [0]; // no filter
      for (let x = left; x < width; x += across) row.push(...samples(x, y));
      rows.push(Uint8Array.from(row));
    }
  }
  const header = [...be32(width), ...be32(height), depth, colorType, 0, 0, isInterlaced ? 1 : 0];
  return joined(
    PNG_SIGNATURE,
    pngChunk("IHDR", header),
    ...chunks,
    colorType === 3 ? pngChunk("PLTE", palette.flatMap((color) => color.split(",").map(Number))) : [],
    pngChunk("IDAT", deflateSync(joined(...rows))),
    pngChunk("IEND", []),
  );
}
