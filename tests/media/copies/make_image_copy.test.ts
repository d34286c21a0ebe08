// Copies of images: upright, in their colors, never larger than the original; malformed images are rejected.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { deflateSync } from "node:zlib";
import { decodeImage, encodeJpeg, encodeWebp } from "../../../functions/media/copies/codecs.ts";
import { addProfileToJpeg, addProfileToWebp } from "../../../functions/media/copies/color_profile.ts";
import {
  type CopyForm,
  makeImageCopy,
  UndecodableImageError,
} from "../../../functions/media/copies/make_image_copy.ts";
import type { Pixels } from "../../../functions/media/copies/pixels.ts";
import { readImageMetadata } from "../../../functions/media/headers/image_metadata.ts";
import { ascii, be16, be32, joined, jpeg, le16, le32, png, pngChunk, riff, riffChunk } from "../../image_fixtures.ts";
import { seededRandom } from "../../random.ts";
import { byScale } from "../../scale.ts";
import { BLUE, type Color, colorsOf, GREEN, isNear, pngOf, quadrants, RED, YELLOW } from "./pictures.ts";

const MAX_PIXELS = 9_000_000;
const WEBP: CopyForm = { size: 160, contentType: "image/webp" },
  JPEG: CopyForm = { size: 160, contentType: "image/jpeg" };

async function copyOf(original: Uint8Array, form: CopyForm = WEBP, maxPixels = MAX_PIXELS): Promise<Pixels> {
  const { bytes, width, height } = await makeImageCopy(original, form, maxPixels);
  const pixels = await decodeImage(bytes, form.contentType);
  assert.deepEqual([pixels.width, pixels.height], [width, height]);
  return pixels;
}

async function assertColors(original: Uint8Array, expected: Color[], form: CopyForm = WEBP) {
  const found = colorsOf(await copyOf(original, form));
  assert.ok(isNear(found, expected), JSON.stringify({ found, expected }));
}

const picture = quadrants(400, 240);
const colors = [RED, GREEN, BLUE, YELLOW];

for (const contentType of ["image/webp", "image/jpeg"] as const) {
  for (
    const [name, original] of [
      ["a JPEG", await encodeJpeg(picture)],
      ["a WebP", await encodeWebp(picture)],
      ["a PNG with transparency", pngOf(picture)],
      ["a PNG", pngOf(picture, { colorType: 2 })],
      ["a PNG with a palette", pngOf(picture, { colorType: 3 })],
      ["a PNG of 16 bits", pngOf(picture, { depth: 16 })],
      ["an interlaced PNG", pngOf(picture, { isInterlaced: true })],
    ] as const
  ) {
    Deno.test(`a copy as ${contentType} of ${name} has its colors`, async () => {
      const copy = await copyOf(original, { size: 160, contentType });
      assert.deepEqual([copy.width, copy.height], [160, 96]);
      await assertColors(original, colors, { size: 160, contentType });
    });
  }
}

Deno.test("a copy of a gray PNG or JPEG is gray", async () => {
  const gray = [RED, GREEN, BLUE, YELLOW].map(([value]) => [value, value, value, 255] as Color);
  await assertColors(pngOf(picture, { colorType: 0 }), gray);
  await assertColors(jpeg({ width: 200, height: 200 }), Array(4).fill([128, 128, 128, 255]));
});

Deno.test("a copy is not larger than the original, and keeps its ratio", async () => {
  const sizes = async (width: number, height: number, size: number) => {
    const copy = await makeImageCopy(pngOf(quadrants(width, height)), { ...WEBP, size }, MAX_PIXELS);
    return [copy.width, copy.height];
  };
  assert.deepEqual(await sizes(100, 60, 160), [100, 60]);
  assert.deepEqual(await sizes(1200, 300, 640), [640, 160]);
  assert.deepEqual(await sizes(300, 1200, 640), [160, 640]);
  assert.deepEqual(await sizes(3000, 2, 160), [160, 1]);
  assert.deepEqual(await sizes(161, 159, 160), [160, 158]);
});

Deno.test("a copy of a transparent image is transparent as WebP, and on white as JPEG", async () => {
  const clear: Color = [200, 0, 0, 0], half: Color = [0, 0, 200, 128];
  const original = pngOf(quadrants(320, 320, [clear, half, RED, clear]));
  const found = colorsOf(await copyOf(original));
  assert.deepEqual([found[0][3], found[3][3]], [0, 0]);
  assert.ok(isNear([found[1]], [half]) && isNear([found[2]], [RED]), JSON.stringify(found));
  await assertColors(original, [[255, 255, 255, 255], [127, 127, 227, 255], RED, [255, 255, 255, 255]], JPEG);
});

Deno.test("the color of transparent pixels does not reach the edge of visible ones", async () => {
  const { data } = quadrants(6, 2, [[255, 255, 255, 255], [0, 0, 0, 0], [255, 255, 255, 255], [0, 0, 0, 0]]);
  const [edge] = colorsOf(await copyOf(pngOf({ data, width: 6, height: 2 }), { size: 2, contentType: "image/webp" }));
  assert.ok(edge[0] > 240, String(edge));
});

/** EXIF with one entry before the orientation. */
function exif(orientation: number, { isLittle = false, type = 3 } = {}): Uint8Array {
  const [short, long] = isLittle ? [le16, le32] : [be16, be32];
  const entry = (tag: number, value: number) => [...short(tag), ...short(type), ...long(1), ...short(value), 0, 0];
  const head = [...ascii(isLittle ? "II" : "MM"), ...short(42), ...long(8)];
  return Uint8Array.from([...head, ...short(2), ...entry(256, 9), ...entry(274, orientation), ...long(0)]);
}

/** The sides at which EXIF says that the first row and the first column are. */
const SIDES: [row: string, column: string][] = [
  ["top", "left"],
  ["top", "right"],
  ["bottom", "right"],
  ["bottom", "left"],
  ["left", "top"],
  ["right", "top"],
  ["right", "bottom"],
  ["left", "bottom"],
];

/** The colors of the picture as it is shown. */
function shown(orientation: number): Color[] {
  const [row, column] = SIDES[orientation - 1];
  const opposite: Record<string, string> = { top: "bottom", bottom: "top", left: "right", right: "left" };
  const corners = [[row, column], [row, opposite[column]], [opposite[row], column], [opposite[row], opposite[column]]];
  return [["top", "left"], ["top", "right"], ["bottom", "left"], ["bottom", "right"]]
    .map((corner) => colors[corners.findIndex((sides) => corner.every((side) => sides.includes(side)))]);
}

const withApp1 = (image: Uint8Array, content: Uint8Array) =>
  joined(image.subarray(0, 2), [0xff, 0xe1, ...be16(content.length + 2)], content, image.subarray(2));

for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
  Deno.test(`a copy of a JPEG with the orientation ${orientation} is upright`, async () => {
    const original = withApp1(await encodeJpeg(picture), joined(ascii("Exif\0\0"), exif(orientation)));
    const copy = await copyOf(original);
    assert.deepEqual([copy.width, copy.height], orientation > 4 ? [96, 160] : [160, 96]);
    await assertColors(original, shown(orientation));
  });
}

/** A WebP in the extended format, with a chunk behind its image. */
async function webpWith(name: string, content: Uint8Array): Promise<Uint8Array> {
  const image = await encodeWebp(picture);
  const header = riffChunk("VP8X", [0x08, 0, 0, 0, 399 & 255, 399 >> 8, 0, 239, 0, 0]);
  return riff(joined(header, image.subarray(12), riffChunk(name, content)));
}

Deno.test("a copy of a PNG or WebP with an orientation is upright, in either byte order", async () => {
  await assertColors(pngOf(picture, { chunks: [pngChunk("eXIf", exif(6))] }), shown(6));
  await assertColors(await webpWith("EXIF", exif(8, { isLittle: true })), shown(8));
});

Deno.test("an orientation that EXIF does not have counts as upright", async () => {
  const image = await encodeJpeg(picture);
  for (
    const content of [exif(0), exif(9), exif(6, { type: 4 }), exif(6).subarray(0, 20), ascii("II*\0\xff\xff\xff\xff")]
  ) {
    await assertColors(withApp1(image, joined(ascii("Exif\0\0"), content)), colors);
  }
});

function profileOf(name: string, space = "RGB ", length = 400): Uint8Array {
  const profile = new Uint8Array(length);
  profile.set(ascii(space), 16);
  profile.set(ascii(name), 140);
  return profile;
}

Deno.test("a copy keeps a color profile other than sRGB, in each format", async () => {
  const profile = profileOf("Display P3");
  const originals = [
    addProfileToJpeg(await encodeJpeg(picture), profile),
    addProfileToWebp(await encodeWebp(picture), profile, { ...picture, hasAlpha: false }),
    pngOf(picture, { chunks: [pngChunk("iCCP", joined(ascii("P3\0\0"), deflateSync(profile)))] }),
  ];
  for (const original of originals) {
    for (const form of [WEBP, JPEG]) {
      const { bytes } = await makeImageCopy(original, form, MAX_PIXELS);
      assert.deepEqual(readImageMetadata(bytes, form.contentType).profile, profile);
      assert.ok(isNear(colorsOf(await decodeImage(bytes, form.contentType)), colors));
    }
  }
});

Deno.test("a copy of a transparent image keeps a color profile and its transparency", async () => {
  const profile = profileOf("Display P3"), clear: Color = [0, 0, 0, 0];
  const original = pngOf(quadrants(320, 320, [clear, RED, RED, clear]), {
    chunks: [pngChunk("iCCP", joined(ascii("P3\0\0"), deflateSync(profile)))],
  });
  const { bytes } = await makeImageCopy(original, WEBP, MAX_PIXELS);
  assert.deepEqual(readImageMetadata(bytes, "image/webp").profile, profile);
  assert.equal(colorsOf(await decodeImage(bytes, "image/webp"))[0][3], 0);
});

Deno.test("a copy has no profile of sRGB, of other than RGB colors, or that is long or damaged", async () => {
  const image = await encodeJpeg(picture);
  const inPng = (content: Uint8Array) => pngOf(picture, { chunks: [pngChunk("iCCP", content)] });
  const originals = [
    addProfileToJpeg(image, profileOf("sRGB IEC61966-2.1")),
    addProfileToJpeg(image, profileOf("s\0R\0G\0B\0")),
    addProfileToJpeg(image, profileOf("Gray", "GRAY")),
    addProfileToJpeg(image, profileOf("P3", "RGB ", 9000)),
    addProfileToJpeg(image, profileOf("P3", "RGB ", 200).subarray(0, 100)),
    inPng(joined(ascii("P3\0\0"), deflateSync(new Uint8Array(50_000_000)))),
    inPng(ascii("P3\0\0damaged")),
  ];
  for (const original of originals) {
    const { bytes } = await makeImageCopy(original, WEBP, MAX_PIXELS);
    assert.equal(readImageMetadata(bytes, "image/webp").profile, undefined);
  }
});

// Malformed images, and those that would take more memory or time than they may

const animated = riff(joined(
  riffChunk("VP8X", [0x02, 0, 0, 0, 9, 0, 0, 9, 0, 0]),
  riffChunk("ANIM", [0, 0, 0, 0, 0, 0]),
));
/** A PNG of 300 × 300 whose data inflates to 60 MB. */
const endless = joined(
  png({ width: 300, height: 300 }).subarray(0, 33),
  pngChunk("IDAT", deflateSync(new Uint8Array(60_000_000))),
  pngChunk("IEND", new Uint8Array()),
);
const scans = joined(jpeg({ width: 100, height: 100, progressive: true }), ...Array(100).fill([0xff, 0xda]));

for (
  const [name, original, reason] of [
    ["text", ascii("not an image at all"), /not a JPEG, PNG or WebP/],
    ["an empty file", new Uint8Array(), /not a JPEG, PNG or WebP/],
    ["a PNG whose data is damaged", joined(pngOf(picture).subarray(0, 60), new Uint8Array(400)), /./],
    ["a PNG without data", png({ width: 300, height: 300 }).subarray(0, 50), /./],
    ["a PNG of 40,000 × 40,000", png({ width: 40_000, height: 40_000 }), /40000 × 40000 pixels; at most 9000000/],
    ["a PNG with more data than pixels", endless, /more data than pixels/],
    ["an animated WebP", animated, /./],
    ["a JPEG without a scan", jpeg({ width: 100, height: 100 }).subarray(0, 110), /./],
    ["a JPEG with a hundred scans", scans, /more than 100 scans/],
  ] as const
) {
  Deno.test(`makeImageCopy rejects ${name}`, async () => {
    await assert.rejects(makeImageCopy(original, WEBP, MAX_PIXELS), (error) => {
      assert.ok(error instanceof UndecodableImageError, String(error));
      assert.match(error.message, reason);
      return true;
    });
  });
}

Deno.test("a PNG's color profile is the first one, and none if its compressed form is long", () => {
  const header = png({ width: 300, height: 300 }).subarray(0, 33), named = ascii("P3\0\0");
  const ofProfiles = (...contents: Uint8Array[]) =>
    readImageMetadata(
      joined(header, ...contents.map((content) => pngChunk("iCCP", joined(named, content)))),
      "image/png",
    ).profile;
  const profile = profileOf("P3"), long = deflateSync(new Uint8Array(20_000_000));
  assert.deepEqual(ofProfiles(deflateSync(profile)), Buffer.from(profile));
  assert.equal(ofProfiles(long), undefined);
  assert.equal(ofProfiles(ascii("damaged"), deflateSync(profile)), undefined);
});

Deno.test("makeImageCopy decodes an image of exactly maxPixels, and no larger one", async () => {
  const original = pngOf(quadrants(30, 20));
  await makeImageCopy(original, WEBP, 600);
  await assert.rejects(makeImageCopy(original, WEBP, 599), /30 × 20 pixels; at most 599 are decoded/);
});

Deno.test("makeImageCopy copies or rejects damaged images, and nothing else", async () => {
  const small = quadrants(24, 16);
  const originals = [
    pngOf(small, { isInterlaced: true, depth: 16 }),
    withApp1(await encodeJpeg(small), joined(ascii("Exif\0\0"), exif(6))),
    addProfileToWebp(await encodeWebp(small), profileOf("P3"), { ...small, hasAlpha: false }),
  ];
  let copied = 0, rejected = 0;
  for (let seed = 1; seed <= byScale(40, 600); seed++) {
    const { below, one } = seededRandom(seed);
    const file = Uint8Array.from(one(originals));
    for (let damages = 1 + below(5); damages > 0; damages--) file[below(file.length)] = below(256);
    const damaged = below(4) ? file : file.subarray(0, below(file.length));
    try {
      const { width, height } = await makeImageCopy(damaged, one([WEBP, JPEG]), 1_000_000);
      assert.ok(width <= 160 && height <= 160);
      copied++;
    } catch (error) {
      assert.ok(error instanceof UndecodableImageError, `seed ${seed}: ${error}`);
      rejected++;
    }
  }
  assert.ok(copied > 5 && rejected > 5, `${copied} copied, ${rejected} rejected`);
});
