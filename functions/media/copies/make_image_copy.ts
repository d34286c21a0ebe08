/** Makes a smaller copy of an image, upright and with its colors, as browsers show the original. */
import { parseImageHeader } from "../headers/image_header.ts";
import { readImageMetadata } from "../headers/image_metadata.ts";
import { decodeImage, encodeJpeg, encodeWebp, UndecodableImageError } from "./codecs.ts";
import { addProfileToJpeg, addProfileToWebp } from "./color_profile.ts";
import { type Dimensions, fitInto, orient, overWhite, type Pixels, shrink } from "./pixels.ts";

export { UndecodableImageError };

export interface CopyForm {
  /** The side of the square, in pixels, into which the copy fits. */
  size: number;
  contentType: "image/webp" | "image/jpeg";
}

export interface ImageCopy extends Dimensions {
  bytes: Uint8Array;
}

/** A progressive JPEG is decoded once per scan; real ones have about ten, and thumbnails add some. */
const MAX_JPEG_SCANS = 100;

/** Throws UndecodableImageError if the image is malformed or exceeds maxPixels. */
export async function makeImageCopy(
  original: Uint8Array,
  { size, contentType }: CopyForm,
  maxPixels: number,
): Promise<ImageCopy> {
  const info = parseImageHeader(original);
  if (!info) throw new UndecodableImageError("not a JPEG, PNG or WebP image");
  if (info.width * info.height > maxPixels) {
    throw new UndecodableImageError(`${info.width} × ${info.height} pixels; at most ${maxPixels} are decoded`);
  }
  if (info.type === "image/jpeg" && countScans(original) > MAX_JPEG_SCANS) {
    throw new UndecodableImageError(`more than ${MAX_JPEG_SCANS} scans`);
  }
  const { orientation, profile } = readImageMetadata(original, info.type);
  const decoded = await decodeImage(original, info.type);
  const pixels = orient(shrink(decoded, fitInto(size, decoded)), orientation);
  const { width, height } = pixels;
  return { bytes: await encode(pixels, contentType, profile), width, height };
}

async function encode(pixels: Pixels, contentType: CopyForm["contentType"], profile?: Uint8Array): Promise<Uint8Array> {
  if (contentType === "image/jpeg") {
    const image = await encodeJpeg(overWhite(pixels));
    return profile ? addProfileToJpeg(image, profile) : image;
  }
  const image = await encodeWebp(pixels);
  return profile ? addProfileToWebp(image, profile, { ...pixels, hasAlpha: hasAlpha(pixels) }) : image;
}

function hasAlpha({ data }: Pixels): boolean {
  for (let at = 3; at < data.length; at += 4) if (data[at] < 255) return true;
  return false;
}

/** Counts the markers SOS; compressed data has none. */
function countScans(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(0xff); at >= 0; at = bytes.indexOf(0xff, at + 1)) if (bytes[at + 1] === 0xda) count++;
  return count;
}
