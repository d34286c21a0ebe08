// Files with two formats, and files of other formats. The beginning of a file decides.
import { ascii, be16, be32, joined, jpeg, le16, le32, png, riffChunk, segment, TYPE, webp } from "../image_fixtures.ts";
import type { MalformedCase } from "./malformed.ts";

const size = { width: 1400, height: 900 };
const photo = jpeg(size), drawing = png(size), web = webp(size);
const gif = joined(ascii("GIF89a"), le16(1400), le16(900), [0, 0, 0, 0x3b]);
const zip = joined(ascii("PK\x03\x04"), new Uint8Array(26), ascii("PK\x05\x06"), new Uint8Array(18));
const page = ascii("<!DOCTYPE html><script>alert(document.cookie)</script>");
const box = (name: string, ...data: ArrayLike<number>[]) => {
  const all = joined(ascii(name), ...data);
  return joined(be32(all.length + 4), all);
};

const shown = (name: string, bytes: Uint8Array, type: typeof TYPE[keyof typeof TYPE]): MalformedCase => {
  return [name, bytes, { type, ...size }];
};
const rejected = (name: string, ...parts: ArrayLike<number>[]): MalformedCase => [name, joined(...parts), undefined];

export const polyglots: MalformedCase[] = [
  shown("a JPEG with a ZIP behind it", joined(photo, zip), TYPE.jpeg),
  shown("a PNG with a ZIP behind it", joined(drawing, zip), TYPE.png),
  shown("a WebP with a ZIP behind it", joined(web, zip), TYPE.webp),
  shown("a JPEG with a page behind it", joined(photo, page), TYPE.jpeg),
  shown("a JPEG with a page in a comment", jpeg({ ...size, before: [segment(0xfe, page)] }), TYPE.jpeg),
  shown("a JPEG with a PNG behind it", joined(photo, png({ width: 7, height: 7 })), TYPE.jpeg),
  shown("a PNG with a JPEG behind it", joined(drawing, jpeg({ width: 7, height: 7 })), TYPE.png),

  rejected("nothing"),
  ...[0x00, 0xff, 0x89, 0x52, 0x47].map((byte) => rejected(`one byte, ${byte.toString(16)}`, [byte])),
  rejected("64 KB of zeros", new Uint8Array(65_536)),
  rejected("a GIF", gif),
  rejected("a GIF with a JPEG inside", gif, photo),
  rejected("a PDF with a JPEG inside", ascii("%PDF-1.7\n1 0 obj <</Filter /DCTDecode>> stream\n"), photo),
  rejected("a ZIP with a PNG inside", zip, drawing),
  rejected("a page with a JPEG inside", page, photo),
  rejected("a text that names a picture", ascii("data:image/png;base64,iVBORw0KGgo=")),
  rejected("an SVG", ascii('<svg xmlns="http://www.w3.org/2000/svg" width="1400" height="900"/>')),
  rejected("an SVG with a JPEG inside", ascii('<svg width="1400" height="900"/>'), photo),
  rejected("a BMP", ascii("BM"), le32(58), le32(0), le32(54), le32(40), le32(1400), le32(900), new Uint8Array(32)),
  rejected("a TIFF with a JPEG inside", ascii("II*\0"), le32(8), le16(0), le32(0), photo),
  rejected(
    "an icon with a PNG inside",
    le16(0),
    le16(1),
    le16(1),
    [0, 0, 0, 0, 1, 0, 32, 0],
    le32(99),
    le32(22),
    drawing,
  ),
  rejected("a HEIC", box("ftyp", ascii("heic"), be32(0), ascii("mif1heic")), box("meta", be32(0))),
  rejected("an AVIF", box("ftyp", ascii("avif"), be32(0), ascii("mif1avif")), box("meta", be32(0))),
  rejected("a JPEG XL", [0xff, 0x0a, 0, 0, 0, 0, 0, 0, 0, 0], photo),
  rejected("a JPEG XL in boxes", box("JXL ", [0x0d, 0x0a, 0x87, 0x0a]), photo),
  rejected("a JPEG 2000", [0xff, 0x4f, 0xff, 0x51], be16(41), new Uint8Array(39), photo),
  rejected("a JPEG after one byte", [0], photo),
  rejected("a JPEG after a byte order mark", [0xef, 0xbb, 0xbf], photo),
  rejected("a PNG after a line end", [10], drawing),
  rejected("a WebP after a space", [32], web),
  rejected("a JPEG without its first byte", photo.subarray(1)),
  rejected("a JPEG's start on a PNG", [0xff, 0xd8], drawing),
  rejected("a PNG's signature on a JPEG", drawing.subarray(0, 8), photo),
  rejected("a PNG's signature on a WebP", drawing.subarray(0, 8), web),
  rejected("a WebP that holds a JPEG", ascii("RIFF"), le32(99), ascii("WEBP"), riffChunk("JPEG", photo)),
];
