/**
 * What a decoder leaves out and browsers heed: the orientation of EXIF, and the color profile. Malformed metadata counts
 * as none, because browsers then show the image without it.
 */
import { inflateSync } from "node:zlib";
import type { ImageInfo } from "./image_header.ts";
import { chunkName, readPngChunks } from "./png_chunks.ts";

export interface ImageMetadata {
  /** As in EXIF: 1 is upright. */
  orientation: number;
  /** An ICC profile of RGB colors other than sRGB. */
  profile?: Uint8Array;
}

/** Longer profiles, with tables for printers, would outweigh a small image. */
const MAX_PROFILE_BYTES = 8192;

export function readImageMetadata(bytes: Uint8Array, type: ImageInfo["type"]): ImageMetadata {
  const { exif, profile } = READERS[type](bytes);
  return { orientation: (exif && readOrientation(exif)) ?? 1, profile: profile && usableProfile(profile) };
}

interface RawMetadata {
  exif?: Uint8Array;
  profile?: Uint8Array;
}

const READERS = { "image/jpeg": readJpeg, "image/png": readPng, "image/webp": readWebp };

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const startsWith = (bytes: Uint8Array, text: string) =>
  bytes.length >= text.length && [...text].every((letter, n) => bytes[n] === letter.charCodeAt(0));
const EXIF = "Exif\0\0", ICC = "ICC_PROFILE\0";

/** The first EXIF, and the parts of the profile in their order, up to the first scan. */
function readJpeg(bytes: Uint8Array): RawMetadata {
  const view = viewOf(bytes);
  const parts: Uint8Array[] = [];
  let exif: Uint8Array | undefined, partCount = 0;
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1];
    if (marker === 0xff) {
      at++; // a fill byte
      continue;
    }
    if (marker === 0xda || marker === 0xd9) break;
    if (marker === 0x01 || marker >= 0xd0 && marker <= 0xd7) {
      at += 2;
      continue;
    }
    const end = at + 2 + view.getUint16(at + 2);
    const content = bytes.subarray(at + 4, end);
    if (marker === 0xe1 && startsWith(content, EXIF)) exif ??= content.subarray(EXIF.length);
    if (marker === 0xe2 && startsWith(content, ICC) && content.length > ICC.length + 2) {
      parts[content[ICC.length] - 1] = content.subarray(ICC.length + 2);
      partCount = content[ICC.length + 1];
    }
    at = end;
  }
  const isComplete = partCount > 0 && parts.length === partCount && !parts.includes(undefined!);
  return { exif, profile: isComplete && partCount === 1 ? parts[0] : undefined }; // several parts are too long
}

function readPng(bytes: Uint8Array): RawMetadata {
  let exif: Uint8Array | undefined, profile: Uint8Array | undefined;
  for (const { name, content } of readPngChunks(bytes)) {
    if (name === IEND) break;
    if (name === EXIF_CHUNK) exif ??= content;
    if (name === PROFILE_CHUNK) profile ??= content;
  }
  return { exif, profile: profile && inflateProfile(profile) };
}

const IEND = chunkName("IEND"), EXIF_CHUNK = chunkName("eXIf"), PROFILE_CHUNK = chunkName("iCCP");

/**
 * A name that ends with 0, the method 0, and the compressed profile. Deno inflates it as a whole, a thousand times its
 * length at most.
 */
function inflateProfile(content: Uint8Array): Uint8Array | undefined {
  if (content.length > MAX_PROFILE_BYTES) return;
  try {
    return inflateSync(content.subarray(content.indexOf(0) + 2));
  } catch {
    return undefined;
  }
}

function readWebp(bytes: Uint8Array): RawMetadata {
  const view = viewOf(bytes);
  const found: RawMetadata = {};
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = view.getUint32(at), length = view.getUint32(at + 4, true);
    const content = bytes.subarray(at + 8, at + 8 + length);
    if (name === WEBP_EXIF) found.exif ??= startsWith(content, EXIF) ? content.subarray(EXIF.length) : content;
    if (name === WEBP_PROFILE) found.profile ??= content;
    at += 8 + length + length % 2;
  }
  return found;
}

const WEBP_EXIF = chunkName("EXIF"), WEBP_PROFILE = chunkName("ICCP");

/** The entry 0x0112, a short, of the first directory of a TIFF file. */
function readOrientation(tiff: Uint8Array): number | undefined {
  if (tiff.length < 8) return;
  const view = viewOf(tiff);
  const isLittle = view.getUint16(0) === 0x4949;
  if (!isLittle && view.getUint16(0) !== 0x4d4d) return;
  const directory = view.getUint32(4, isLittle);
  if (directory + 2 > tiff.length) return;
  const count = view.getUint16(directory, isLittle);
  for (let n = 0, at = directory + 2; n < count && at + 12 <= tiff.length; n++, at += 12) {
    if (view.getUint16(at, isLittle) !== 0x0112) continue;
    const orientation = view.getUint16(at + 8, isLittle);
    return view.getUint16(at + 2, isLittle) === 3 && orientation >= 1 && orientation <= 8 ? orientation : undefined;
  }
}

/** Browsers take sRGB for images without a profile. The header names the colors at 16, and has 128 bytes. */
function usableProfile(profile: Uint8Array): Uint8Array | undefined {
  if (profile.length < 128 || profile.length > MAX_PROFILE_BYTES || !startsWith(profile.subarray(16), "RGB ")) return;
  const text = new TextDecoder("latin1").decode(profile).replaceAll("\0", ""); // descriptions are ASCII or UTF-16
  return text.includes("sRGB") ? undefined : profile;
}
