/**
 * The type and size of an image, read from its header. The frame or first chunk must be complete and valid; later bytes
 * are not read, so a truncated image still has its size. One pass, and no byte past the end for any input.
 */

export interface ImageInfo {
  type: "image/jpeg" | "image/png" | "image/webp";
  width: number;
  height: number;
}

/** Undefined for other formats and for invalid headers. */
export function parseImageHeader(bytes: Uint8Array): ImageInfo | undefined {
  const image = parseJpeg(bytes) ?? parsePng(bytes) ?? parseWebp(bytes);
  return image && image.width > 0 && image.height > 0 ? image : undefined;
}

/** Reads marker segments up to a frame header. Contents of APPn, COM and tables are not markers. */
function parseJpeg(bytes: Uint8Array): ImageInfo | undefined {
  if (bytes.length < 4 || be16(bytes, 0) !== 0xffd8) return;
  for (let at = 2; at < bytes.length;) {
    if (bytes[at++] !== 0xff) return;
    while (at < bytes.length && bytes[at] === 0xff) at++; // any number of fill bytes
    if (at + 3 > bytes.length) return;
    const marker = bytes[at++];
    if (isStandalone(marker)) continue;
    const length = be16(bytes, at);
    if (length < 2 || at + length > bytes.length) return;
    if (isFrame(marker)) return parseJpegFrame(bytes, at, length, marker);
    if (!mayPrecedeFrame(marker)) return;
    at += length;
  }
}

const isStandalone = (marker: number) => marker === 0x01 || marker >= 0xd0 && marker <= 0xd7; // TEM, RSTn

/** SOF0 to SOF2: baseline, extended, progressive. Browsers show no lossless, hierarchical or arithmetic JPEG. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xc2;

const mayPrecedeFrame = (marker: number) =>
  marker >= 0xe0 && marker <= 0xef || // APPn
  marker >= 0xdb && marker <= 0xdd || // DQT, DNL, DRI
  marker === 0xfe || // COM
  marker === 0xc4 || marker === 0xcc; // DHT, DAC

/** A height of 0 (given later by DNL) is invalid. EXIF orientation does not change the frame. */
function parseJpegFrame(bytes: Uint8Array, at: number, length: number, marker: number): ImageInfo | undefined {
  if (length < 8) return;
  const precision = bytes[at + 2], components = bytes[at + 7];
  if (precision !== 8 && (precision !== 12 || marker === 0xc0)) return;
  if (components < 1 || components > 4 || length < 8 + 3 * components) return;
  return { type: "image/jpeg", width: be16(bytes, at + 5), height: be16(bytes, at + 3) };
}

const tag = (name: string) => [...name].reduce((sum, letter) => sum * 256 + letter.charCodeAt(0), 0);
const IHDR = tag("IHDR"), RIFF = tag("RIFF"), WEBP = tag("WEBP");
const VP8 = tag("VP8 "), VP8L = tag("VP8L"), VP8X = tag("VP8X");

const MAX_PNG_DIMENSION = 2 ** 31 - 1;

/** The signature, then IHDR as the first chunk (Apple's variant has another first). */
function parsePng(bytes: Uint8Array): ImageInfo | undefined {
  if (bytes.length < 29 || be32(bytes, 0) !== 0x89504e47 || be32(bytes, 4) !== 0x0d0a1a0a) return;
  if (be32(bytes, 8) !== 13 || be32(bytes, 12) !== IHDR) return;
  const width = be32(bytes, 16), height = be32(bytes, 20);
  if (width <= MAX_PNG_DIMENSION && height <= MAX_PNG_DIMENSION) return { type: "image/png", width, height };
}

/** The first chunk of the RIFF file. Both declared sizes must cover the chunk's header. */
function parseWebp(bytes: Uint8Array): ImageInfo | undefined {
  if (bytes.length < 25 || be32(bytes, 0) !== RIFF || be32(bytes, 8) !== WEBP) return;
  const kind = be32(bytes, 12);
  const size = kind === VP8L ? 5 : 10;
  if (bytes.length < 20 + size || le32(bytes, 4) < 12 + size || le32(bytes, 16) < size) return;
  if (kind === VP8) return parseVp8(bytes);
  if (kind === VP8L) return parseVp8l(bytes);
  if (kind === VP8X) return parseVp8x(bytes);
}

/** A key frame: lowest bit 0, start code after three bytes. Two scaling bits accompany each size. */
function parseVp8(bytes: Uint8Array): ImageInfo | undefined {
  if ((bytes[20] & 1) !== 0 || le24(bytes, 23) !== 0x2a019d) return;
  return { type: "image/webp", width: le16(bytes, 26) & 0x3fff, height: le16(bytes, 28) & 0x3fff };
}

/** 14 bits each, minus one; then the alpha bit, then version 0. */
function parseVp8l(bytes: Uint8Array): ImageInfo | undefined {
  const bits = le32(bytes, 21);
  if (bytes[20] !== 0x2f || bits >>> 29 !== 0) return;
  return { type: "image/webp", width: (bits & 0x3fff) + 1, height: (bits >>> 14 & 0x3fff) + 1 };
}

/** The canvas: 24 bits each, minus one. The format limits the area to 2^32 - 1. */
function parseVp8x(bytes: Uint8Array): ImageInfo | undefined {
  const width = le24(bytes, 24) + 1, height = le24(bytes, 27) + 1;
  if (width * height < 2 ** 32) return { type: "image/webp", width, height };
}

const be16 = (bytes: Uint8Array, at: number) => bytes[at] << 8 | bytes[at + 1];
const be32 = (bytes: Uint8Array, at: number) => be16(bytes, at) * 0x10000 + be16(bytes, at + 2);
const le16 = (bytes: Uint8Array, at: number) => bytes[at] | bytes[at + 1] << 8;
const le24 = (bytes: Uint8Array, at: number) => le16(bytes, at) | bytes[at + 2] << 16;
const le32 = (bytes: Uint8Array, at: number) => le16(bytes, at) + le16(bytes, at + 2) * 0x10000;
