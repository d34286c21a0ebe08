// PUT /api/media/upload/{uploadId}: which images are accepted, to the pixel and to the byte.
import assert from "node:assert/strict";
import { ascii, joined, TYPE } from "../../image_fixtures.ts";
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

for (const imageType of TYPES) {
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

Deno.test("an image upload returns 400 with the dimensions of an image that is too small or has another ratio", async () => {
  for (const imageType of TYPES) {
    const [format] = SPEC[imageType].formats, { width, height } = SPEC[imageType].least;
    const drawn = (width: number, height: number) => sent(imageType, makeImage[format]({ width, height }), format);
    assertError(await drawn(width, height - 1), 400, {
      ...SMALL,
      details: new RegExp(`^${width} × ${height - 1} pixels; `),
    });
    assertError(await drawn(2 * width, height), 400, {
      ...RATIO,
      details: new RegExp(`^${2 * width} × ${height} pixels; `),
    });
  }
});

Deno.test("a rejected image upload keeps the previous image", async () => {
  const kept = await podcast("Kept"), { body } = await put(kept, "cover");
  assertError(await put(kept, "cover", { body: makeImage.png({ width: 10, height: 10 }) }), 400, SMALL);
  assert.equal(await named(kept, "cover"), body.publicUrl);
  assert.deepEqual(await objects(kept), [body.path]);
});
