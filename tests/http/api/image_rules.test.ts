// PUT /api/media/upload/{uploadId}: which images are accepted, to the pixel and to the byte.
import assert from "node:assert/strict";
import { ascii, joined, segment, TYPE } from "../../image_fixtures.ts";
import { type ApiResponse, assertError, type Episode, episode, podcast } from "../harness.ts";
import { type Format, type ImageType, makeImage, named, objects, picture, put, SPEC, stream, TYPES } from "./images.ts";

const show = await podcast("Measured to the pixel"), pilot = await episode(show);
const place = (imageType: ImageType): Episode | Exclude<ImageType, "episode_cover"> =>
  imageType === "episode_cover" ? pilot : imageType;
const sent = (imageType: ImageType, body: Uint8Array | ReadableStream<Uint8Array>, format: Format, type?: string) =>
  put(show, place(imageType), { body, format, type });

/** Asserts that the upload is rejected and stores nothing. */
async function assertRejected(send: () => Promise<ApiResponse>, expected: Record<string, unknown>) {
  const before = await objects(show);
  assertError(await send(), 400, expected);
  assert.deepEqual(await objects(show), before);
}

const TYPE_ERROR = { error: "Invalid content type", code: "INVALID_CONTENT_TYPE" };
const SIZE_ERROR = { error: "File too large", code: "FILE_TOO_LARGE" };
const SMALL = { error: "Image dimensions too small", code: "DIMENSIONS_TOO_SMALL" };
const RATIO = { error: "Invalid aspect ratio", code: "INVALID_ASPECT_RATIO" };

const square: [number, number, object?][] = [
  [1400, 1400],
  [1399, 1399, SMALL],
  [1400, 1399, SMALL],
  [1399, 1400, SMALL],
  [1428, 1400], // 2 % to the pixel
  [1429, 1400, RATIO],
  [1400, 1428],
  [1400, 1429, RATIO],
  [3000, 3000],
  [3060, 3000],
  [3061, 3000, RATIO],
  [2940, 3000],
  [2939, 3000, RATIO],
  [65_535, 65_535],
  [65_535, 1400, RATIO],
];
const EDGES: Record<ImageType, [number, number, object?][]> = {
  cover: square,
  episode_cover: square,
  header: [
    [1280, 200],
    [1280, 199, SMALL],
    [1199, 200, SMALL],
    [1200, 200, RATIO], // 6:1: the minimum width and height together do not make a valid header
    [1255, 200],
    [1254, 200, RATIO],
    [1305, 200],
    [1306, 200, RATIO],
    [1568, 250], // 2 % to the pixel
    [1567, 250, RATIO],
    [1632, 250],
    [1633, 250, RATIO],
    [1920, 300],
  ],
  banner: [
    [600, 315],
    [599, 315, SMALL],
    [600, 314, SMALL],
    [613, 315],
    [614, 315, RATIO],
    [600, 320],
    [600, 321, RATIO],
    [1200, 630],
    [9359, 5000], // 2 % to the pixel
    [9358, 5000, RATIO],
    [9741, 5000],
    [9742, 5000, RATIO],
  ],
};

for (const imageType of TYPES) {
  Deno.test(`an image upload enforces the minimum size and the 2 % ratio tolerance to the pixel (${imageType})`, async () => {
    for (const [width, height, error] of EDGES[imageType]) {
      const [format] = SPEC[imageType].formats, body = makeImage[format]({ width, height });
      const response = await sent(imageType, body, format);
      if (error) assertError(response, 400, { ...error, details: new RegExp(`^${width} × ${height} pixels; `) });
      else assert.equal(response.status, 200, `${width} x ${height}: ${response.text}`);
    }
  });

  Deno.test(`an image upload accepts the largest file and returns 400 for one byte more, with a length or streamed (${imageType})`, async () => {
    const { maxSize, formats } = SPEC[imageType];
    for (const format of formats) {
      const largest = picture(imageType, format, maxSize), larger = picture(imageType, format, maxSize + 1);
      assert.equal((await sent(imageType, largest, format)).status, 200);
      const expected = { ...SIZE_ERROR, maxBytes: maxSize };
      await assertRejected(() => sent(imageType, larger, format), expected);
      await assertRejected(() => sent(imageType, stream(larger), format), expected);
    }
    assert.equal((await sent(imageType, stream(picture(imageType, "png", maxSize)), "png")).status, 200);
  });

  Deno.test(`an image upload returns 400 for other content types, even when the bytes are an image (${imageType})`, async () => {
    const formats: readonly string[] = SPEC[imageType].formats;
    const others = ["image/gif", "image/svg+xml", "image/jpg", "text/plain", "multipart/form-data", "image/*", "png"];
    for (const type of [...formats.includes("webp") ? [] : [TYPE.webp], ...others]) {
      await assertRejected(() => sent(imageType, picture(imageType), "png", type), TYPE_ERROR);
    }
  });
}

Deno.test("an image upload returns 400 for a WebP cover declared as JPEG or PNG", async () => {
  for (const format of ["jpeg", "png"] as const) {
    await assertRejected(() => sent("cover", picture("cover", "webp"), format), {
      ...TYPE_ERROR,
      details: `Declared as ${TYPE[format]}, but the data is image/webp`,
    });
  }
});

Deno.test("an image upload returns 400 when the bytes contradict the declared type", async () => {
  for (const declared of SPEC.banner.formats) {
    for (const real of SPEC.banner.formats.filter((format) => format !== declared)) {
      await assertRejected(() => sent("banner", picture("banner", real), declared), {
        ...TYPE_ERROR,
        details: `Declared as ${TYPE[declared]}, but the data is ${TYPE[real]}`,
      });
    }
  }
});

Deno.test("an image upload returns 400 for text, GIF, SVG, truncated headers and images without dimensions", async () => {
  const jpeg = picture("cover", "jpeg"), png = picture("cover", "png");
  const broken: [Uint8Array, Format][] = [
    [ascii("some audio"), "png"],
    [new Uint8Array(5000), "jpeg"],
    [joined(ascii("GIF89a"), [0x78, 0x05, 0x78, 0x05], new Uint8Array(100)), "png"],
    [ascii('<svg xmlns="http://www.w3.org/2000/svg" width="1400" height="1400"/>'), "png"],
    [png.slice(0, 20), "png"],
    [jpeg.slice(0, 20), "jpeg"],
    [jpeg.slice(1), "jpeg"],
    [makeImage.png({ width: 1400, height: 0 }), "png"],
    [makeImage.jpeg({ width: 0, height: 1400 }), "jpeg"],
  ];
  for (const [body, format] of broken) {
    await assertRejected(() => sent("cover", body, format), {
      ...TYPE_ERROR,
      details: `Declared as ${TYPE[format]}, but the data is not a JPEG, PNG or WebP image`,
    });
  }
});

Deno.test("an image upload returns 400 for an empty body, with a length or streamed", async () => {
  for (const body of [new Uint8Array(), stream(new Uint8Array())]) {
    await assertRejected(() => sent("cover", body, "png"), { error: "The upload is empty", code: "EMPTY_BODY" });
  }
});

Deno.test("an image upload reads the dimensions of lossy, lossless and extended WebP", async () => {
  for (const kind of ["VP8 ", "VP8L", "VP8X"] as const) {
    const drawn = (width: number, height: number) => sent("banner", makeImage.webp({ width, height, kind }), "webp");
    assert.equal((await drawn(600, 315)).status, 200, kind);
    assertError(await drawn(599, 315), 400, { ...SMALL, details: /^599 × 315/ });
    assertError(await drawn(614, 315), 400, { ...RATIO, details: /^614 × 315/ });
  }
});

Deno.test("an image upload reads the dimensions of a progressive JPEG, not those of its EXIF thumbnail", async () => {
  for (const progressive of [true, false]) {
    const within = (size: number) =>
      segment(0xe1, joined(ascii("Exif\0\0"), makeImage.jpeg({ width: size, height: size }).slice(0, 30_000)));
    const drawn = (size: number, thumbnail: number) =>
      makeImage.jpeg({ width: size, height: size, progressive, before: [within(thumbnail)] });
    assert.equal((await sent("cover", drawn(1400, 160), "jpeg")).status, 200);
    assertError(await sent("cover", drawn(160, 1400), "jpeg"), 400, { ...SMALL, details: /^160 × 160/ });
  }
});

Deno.test("an image upload returns the first of several errors: format, size, content, dimensions, ratio", async () => {
  const large = SPEC.cover.maxSize + 1;
  await assertRejected(() => sent("cover", new Uint8Array(large), "png", "image/gif"), TYPE_ERROR);
  await assertRejected(() => sent("cover", new Uint8Array(large), "png"), {
    ...SIZE_ERROR,
    maxBytes: SPEC.cover.maxSize,
  });
  await assertRejected(() => sent("cover", makeImage.png({ width: 5, height: 1 }), "jpeg"), TYPE_ERROR);
  await assertRejected(() => sent("cover", makeImage.png({ width: 5000, height: 1399 }), "png"), SMALL);
});

Deno.test("a rejected image upload keeps the previous image", async () => {
  const kept = await podcast("Kept"), { body } = await put(kept, "cover");
  assertError(await put(kept, "cover", { body: makeImage.png({ width: 10, height: 10 }) }), 400, SMALL);
  assert.equal(await named(kept, "cover"), body.publicUrl);
  assert.deepEqual(await objects(kept), [body.path]);
});
