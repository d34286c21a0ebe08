/** Work on decoded pixels. All of it is written for the size of the originals, where a closure per pixel would show. */

/** RGBA, row by row, with straight alpha. */
export interface Pixels {
  data: Uint8Array | Uint8ClampedArray;
  width: number;
  height: number;
}

export interface Dimensions {
  width: number;
  height: number;
}

/** The size of an image that fits into a square of this side; never larger than the original. */
export function fitInto(side: number, { width, height }: Dimensions): Dimensions {
  const scale = Math.min(1, side / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/**
 * Averages the pixels that each pixel of the result covers, with the share of those on its border. For reductions it is
 * as sharp as filters with a wider window, and it needs one row of numbers instead of a second image.
 */
export function shrink(source: Pixels, { width, height }: Dimensions): Pixels {
  if (width === source.width && height === source.height) return source;
  const columns = spans(source.width, width), rows = spans(source.height, height);
  const result = new Uint8ClampedArray(4 * width * height), sums = new Float32Array(4 * width);
  for (let y = 0; y < height; y++) {
    sums.fill(0);
    const { first, last, firstShare, lastShare } = rows[y];
    for (let row = first; row <= last; row++) {
      const share = row === first ? firstShare : row === last ? lastShare : 1;
      if (share > 0) addRow(source, row, { columns, sums, share });
    }
    writeRow(sums, result, 4 * width * y, 1 / (source.width / width * (source.height / height)));
  }
  return { data: result, width, height };
}

/** The pixels, from first to last, that a pixel of the result covers, and how much of those at both ends. */
interface Span {
  first: number;
  last: number;
  firstShare: number;
  lastShare: number;
}

function spans(from: number, to: number): Span[] {
  return Array.from({ length: to }, (_, n) => {
    const start = n * from / to, end = (n + 1) * from / to;
    const first = Math.floor(start), last = Math.min(from, Math.ceil(end)) - 1;
    return first === last
      ? { first, last, firstShare: end - start, lastShare: 0 }
      : { first, last, firstShare: first + 1 - start, lastShare: end - last };
  });
}

/** Adds a row of the source to the sums, with colors multiplied by alpha, so that hidden colors do not show. */
function addRow(
  { data, width }: Pixels,
  row: number,
  { columns, sums, share }: { columns: Span[]; sums: Float32Array; share: number },
) {
  const start = 4 * width * row;
  for (let x = 0, to = 0; x < columns.length; x++, to += 4) {
    const { first, last, firstShare, lastShare } = columns[x];
    let red = 0, green = 0, blue = 0, alpha = 0;
    for (let n = first, at = start + 4 * first; n <= last; n++, at += 4) {
      const weight = data[at + 3] * (n === first ? firstShare : n === last ? lastShare : 1);
      red += weight * data[at];
      green += weight * data[at + 1];
      blue += weight * data[at + 2];
      alpha += weight;
    }
    sums[to] += share * red;
    sums[to + 1] += share * green;
    sums[to + 2] += share * blue;
    sums[to + 3] += share * alpha;
  }
}

function writeRow(sums: Float32Array, result: Uint8ClampedArray, at: number, perPixel: number) {
  for (let n = 0; n < sums.length; n += 4, at += 4) {
    const alpha = sums[n + 3];
    if (alpha === 0) continue;
    result[at] = sums[n] / alpha;
    result[at + 1] = sums[n + 1] / alpha;
    result[at + 2] = sums[n + 2] / alpha;
    result[at + 3] = alpha * perPixel;
  }
}

/** Turns or mirrors an image as EXIF's orientation, 1 to 8, asks. */
export function orient(source: Pixels, orientation: number): Pixels {
  if (orientation === 1) return source;
  const isTurned = orientation > 4; // width and height change places
  const { width, height } = isTurned ? { width: source.height, height: source.width } : source;
  const isMirroredX = [2, 3, 7, 8].includes(orientation), isMirroredY = [3, 4, 6, 7].includes(orientation);
  const from = new Uint32Array(source.data.buffer, source.data.byteOffset, source.width * source.height);
  const to = new Uint32Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let column = isTurned ? y : x, row = isTurned ? x : y;
      if (isMirroredX) column = source.width - 1 - column;
      if (isMirroredY) row = source.height - 1 - row;
      to[y * width + x] = from[row * source.width + column];
    }
  }
  return { data: new Uint8ClampedArray(to.buffer), width, height };
}

/** For JPEG, which has no transparency. */
export function overWhite({ data, width, height }: Pixels): Pixels {
  const result = new Uint8ClampedArray(data);
  for (let at = 0; at < result.length; at += 4) {
    const alpha = data[at + 3] / 255;
    for (let channel = at; channel < at + 3; channel++) result[channel] = 255 + alpha * (data[channel] - 255);
    result[at + 3] = 255;
  }
  return { data: result, width, height };
}
