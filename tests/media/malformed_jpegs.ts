// Unusual and malformed JPEGs of cameras, old programs and attackers. A frame is 1400 x 900 where its size does not
// matter.
import { ascii, be16, joined, jpeg, png, segment, TYPE } from "../image_fixtures.ts";
import type { MalformedCase } from "./malformed.ts";

const APP0 = 0xe0, APP1 = 0xe1, APP2 = 0xe2, APP13 = 0xed, COM = 0xfe;
const DHT = 0xc4, DQT = 0xdb, DRI = 0xdd, DAC = 0xcc, DNL = 0xdc;
const SOI = [0xff, 0xd8], EOI = [0xff, 0xd9];

interface Frame {
  marker?: number;
  width?: number;
  height?: number;
  precision?: number;
  components?: number;
  /** The frame's components: three bytes each, unless it is malformed. */
  described?: number;
  length?: number;
}

function frame({
  marker = 0xc0,
  width = 1400,
  height = 900,
  precision = 8,
  components = 3,
  described = 3 * components,
  length = 8 + described,
}: Frame = {}): Uint8Array {
  const about = Array.from({ length: described }, (_, n) => [n / 3 + 1, 0x11, 0][n % 3]);
  return segment(marker, [precision, ...be16(height), ...be16(width), components, ...about], length);
}

const jfif = segment(APP0, [...ascii("JFIF\0"), 1, 1, 0, 0, 1, 0, 1, 0, 0]);
const scan = joined(segment(0xda, [3, 1, 0, 2, 0, 3, 0, 0, 63, 0]), new Uint8Array(32), EOI);
/** A common beginning, so that each case differs in one point. */
const file = (...segments: ArrayLike<number>[]) => joined(SOI, jfif, ...segments, scan);
const many = (count: number, part: Uint8Array) => joined(...Array.from({ length: count }, () => part));

const thumbnail = jpeg({ width: 160, height: 120 });
const exif = (little: boolean, orientation: number, ...rest: ArrayLike<number>[]) => {
  const number = (n: number, bytes: number) => {
    const big = bytes === 2 ? be16(n) : [0, 0, ...be16(n)];
    return little ? big.reverse() : big;
  };
  const tiff = [...ascii(little ? "II" : "MM"), ...number(42, 2), ...number(8, 4)];
  const entry = [...number(274, 2), ...number(3, 2), ...number(1, 4), ...number(orientation, 2), 0, 0];
  return segment(APP1, joined(ascii("Exif\0\0"), tiff, number(1, 2), entry, number(0, 4), ...rest));
};

const shown = (name: string, bytes: Uint8Array, width = 1400, height = 900): MalformedCase => {
  return [`JPEG: ${name}`, bytes, { type: TYPE.jpeg, width, height }];
};
const rejected = (name: string, bytes: Uint8Array): MalformedCase => [`JPEG: ${name}`, bytes, undefined];

export const malformedJpegs: MalformedCase[] = [
  shown("baseline", file(frame())),
  shown("extended", file(frame({ marker: 0xc1 }))),
  shown("progressive", file(frame({ marker: 0xc2 }))),
  shown("12 bits a sample, extended", file(frame({ marker: 0xc1, precision: 12 }))),
  shown("12 bits a sample, progressive", file(frame({ marker: 0xc2, precision: 12 }))),
  shown("grey", file(frame({ components: 1 }))),
  shown("CMYK", file(frame({ components: 4 }))),
  shown("one pixel", file(frame({ width: 1, height: 1 })), 1, 1),
  shown("65,535 pixels a side", file(frame({ width: 65535, height: 65535 })), 65535, 65535),
  shown("1 x 65,535", file(frame({ width: 1, height: 65535 })), 1, 65535),
  shown("sides whose bytes are FF and 00", file(frame({ width: 0xff00, height: 0x00ff })), 0xff00, 0x00ff),
  shown("a frame longer than its components need", file(frame({ described: 12 }))),
  shown("nothing before the frame", joined(SOI, frame(), scan)),
  shown("nothing behind the frame", joined(SOI, jfif, frame())),
  shown("two frames, of which the first counts", file(frame(), frame({ width: 7, height: 7 }))),
  shown("two pictures, of which the first counts", joined(file(frame()), file(frame({ width: 7, height: 7 })))),

  shown("turned by EXIF, little-endian", file(exif(true, 6), frame())),
  shown("turned by EXIF, big-endian", file(exif(false, 8), frame())),
  shown("a thumbnail with a frame in EXIF", file(exif(true, 1, thumbnail), frame())),
  shown(
    "a progressive thumbnail in EXIF",
    file(exif(true, 1, jpeg({ width: 160, height: 120, progressive: true })), frame()),
  ),
  shown("a lossless frame in EXIF", file(exif(true, 1, SOI, frame({ marker: 0xc3, width: 9 })), frame())),
  shown("a thumbnail in JFXX", file(segment(APP0, joined(ascii("JFXX\0\x10"), thumbnail)), frame())),
  shown("a thumbnail in Photoshop's block", file(segment(APP13, joined(ascii("Photoshop 3.0\0"), thumbnail)), frame())),
  shown(
    "a picture list in APP2 and the pictures behind",
    joined(file(segment(APP2, ascii("MPF\0")), frame()), thumbnail),
  ),
  shown("a frame in a comment", file(segment(COM, frame({ width: 7, height: 7 })), frame())),
  shown("an end and a start in a comment", file(segment(COM, [...EOI, ...SOI, ...frame({ width: 7 })]), frame())),
  shown("a frame in a Huffman table", file(segment(DHT, frame({ width: 7, height: 7 })), frame())),
  shown("a frame in a quantization table", file(segment(DQT, frame({ width: 7, height: 7 })), frame())),
  shown("a comment of FF alone", file(segment(COM, new Uint8Array(300).fill(0xff)), frame())),
  shown("a comment whose last byte is FF", file(segment(COM, [0xff]), frame())),
  shown("a PNG in a comment", file(segment(COM, png({ width: 7, height: 7 })), frame())),

  shown("one fill byte", file([0xff], frame())),
  shown("300 fill bytes", file(new Uint8Array(300).fill(0xff), frame())),
  shown(
    "fill bytes between all segments",
    file([0xff], segment(APP0, []), [0xff, 0xff], segment(COM, []), [0xff], frame()),
  ),
  shown("markers without a length", file([0xff, 0x01, 0xff, 0xd0, 0xff, 0xd7], frame())),
  shown("an empty segment", file(segment(COM, []), frame())),
  shown(
    "restart interval, arithmetic conditioning and DNL",
    file(segment(DRI, [0, 8]), segment(DAC, [0, 0]), segment(DNL, [0, 9]), frame()),
  ),
  shown("segments of 64 KB", file(many(3, segment(APP1, new Uint8Array(65_533).fill(0xc0))), frame())),
  shown("10,000 tiny segments", file(many(10_000, segment(COM, [])), frame())),
  shown("64 KB of fill bytes", file(new Uint8Array(65_536).fill(0xff), frame())),

  ...[0xc3, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf, 0xf7].map((marker) =>
    rejected(`frame ${marker.toString(16)}, which is not for the web`, file(frame({ marker })))
  ),
  rejected("a lossless frame, then a baseline one", file(frame({ marker: 0xc3, width: 7 }), frame())),
  ...[0x00, 0x02, 0x4f, 0xbf, 0xde, 0xdf, 0xf0, 0xfd].map((marker) =>
    rejected(`marker ${marker.toString(16)} before the frame`, file(segment(marker, [0, 0]), frame()))
  ),
  rejected("a scan before the frame", file(scan, frame())),
  rejected("an empty scan before the frame", file(segment(0xda, [0, 0, 63, 0]), frame())),
  rejected("an end before the frame", file(EOI, frame())),
  rejected("a second start before the frame", file(SOI, frame())),
  rejected("10,000 starts", file(many(10_000, Uint8Array.from(SOI)), frame())),
  rejected("no frame", file(segment(APP0, ascii("JFIF\0")), segment(DQT, new Uint8Array(65)))),
  rejected("no frame but a thumbnail's", file(exif(true, 1, thumbnail))),
  rejected("no frame but a comment's", file(segment(COM, frame()))),
  rejected("a byte between the segments", file(segment(COM, []), [0], frame())),
  rejected("a frame after text", file(ascii("not a marker"), frame())),

  rejected("a segment of length 0", file(segment(APP0, [], 0), frame())),
  rejected("a segment of length 1", file(segment(APP0, [], 1), frame())),
  rejected("10,000 segments of length 0", file(many(10_000, segment(APP0, [], 0)))),
  rejected("a segment that ends past the file", file(segment(APP0, [], 65_535), frame())),
  rejected("a segment that ends one byte past the file", joined(SOI, frame({ length: 18 }))),
  rejected("a segment that ends with the file", joined(SOI, segment(APP0, [1, 2, 3]))),
  rejected(
    "a thumbnail that its segment is too short for",
    file(segment(APP1, joined(ascii("Exif\0\0"), thumbnail), 8), frame()),
  ),
  rejected("10,000 tiny segments and no frame", file(many(10_000, segment(COM, [])))),
  rejected("a start and nothing", Uint8Array.from(SOI)),
  rejected("a start and a marker", Uint8Array.of(...SOI, 0xff, 0xc0)),
  rejected("a start and half a length", Uint8Array.of(...SOI, 0xff, 0xc0, 0)),
  rejected("64 KB of FF", new Uint8Array(65_536).fill(0xff)),
  rejected("a start and 64 KB of FF", joined(SOI, new Uint8Array(65_536).fill(0xff))),
  rejected("a start and 64 KB of restart markers", joined(SOI, many(32_768, Uint8Array.of(0xff, 0xd0)))),

  rejected("no width", file(frame({ width: 0 }))),
  rejected("no height", file(frame({ height: 0 }))),
  rejected("no height but in DNL behind the scan", joined(file(frame({ height: 0 })), segment(DNL, be16(900)))),
  rejected("neither width nor height", file(frame({ width: 0, height: 0 }))),
  rejected("no components", file(frame({ components: 0 }))),
  rejected("5 components", file(frame({ components: 5 }))),
  rejected("255 components", file(frame({ components: 255 }))),
  rejected("a frame too short for its components", file(frame({ components: 3, described: 8 }))),
  rejected("a frame of length 7", file(segment(0xc0, [8, ...be16(900), ...be16(1400)]))),
  rejected("a frame of length 2", file(segment(0xc0, []))),
  rejected("no bits a sample", file(frame({ precision: 0 }))),
  rejected("12 bits a sample, baseline", file(frame({ precision: 12 }))),
  rejected("16 bits a sample", file(frame({ marker: 0xc1, precision: 16 }))),
];
