// POST /api/media/import-artwork: which responses of a source are accepted, to the byte and to the pixel.
import assert from "node:assert/strict";
import type { Visit } from "../../safe_fetch/peer.ts";
import { ascii, be32, joined, PNG_SIGNATURE, pngChunk, TYPE } from "../../image_fixtures.ts";
import { httpResponse, importer, importing, picture, source, TYPES } from "./artwork.ts";
import { type Format, makeImage, SPEC } from "./images.ts";

const { assertRejected, taken } = await importer();

const TYPE_ERROR = { error: "Invalid content type", code: "INVALID_CONTENT_TYPE" };
const gif = joined(ascii("GIF89a"), [0x78, 0x05, 0x78, 0x05, 0, 0, 0], new Uint8Array(1000));
const svg = ascii('<svg xmlns="http://www.w3.org/2000/svg" width="1400" height="1400"/>');

Deno.test("an artwork import returns 400 for declared types other than JPEG, PNG and WebP, regardless of the bytes", async () => {
  const page = ascii("<!doctype html><title>Sign in</title>");
  const responses: [string, Uint8Array][] = [
    ["text/html", picture("cover")],
    ["text/html; charset=utf-8", page],
    ["image/gif", gif],
    ["image/svg+xml", svg],
    ["image/avif", picture("cover")],
    ["image/*", picture("cover")],
    ["application/json", ascii('{"a":1}')],
    ["application/pdf", picture("cover", "png")],
  ];
  for (const [type, bytes] of responses) {
    await using from = await source(httpResponse(bytes, { type }));
    await assertRejected(from.url, { ...TYPE_ERROR, details: "Accepted for cover: image/jpeg, image/png" });
  }
});

Deno.test("an artwork import returns 400 when the bytes contradict the declared type", async () => {
  const responses: [Format, Uint8Array, string][] = [
    ["png", gif, "not a JPEG, PNG or WebP image"],
    ["jpeg", picture("banner", "png"), "image/png"],
    ["png", picture("banner", "webp"), "image/webp"],
    ["webp", picture("banner", "jpeg"), "image/jpeg"],
    ["jpeg", svg, "not a JPEG, PNG or WebP image"],
    ["jpeg", picture("banner").slice(0, 20), "not a JPEG, PNG or WebP image"],
    ["png", new Uint8Array(1000), "not a JPEG, PNG or WebP image"],
  ];
  for (const [format, bytes, real] of responses) {
    await using from = await source(httpResponse(bytes, { type: TYPE[format] }));
    const details = `Declared as ${TYPE[format]}, but the data is ${real}`;
    await assertRejected(from.url, { ...TYPE_ERROR, details }, "banner");
  }
});

Deno.test("an artwork import detects the type from the bytes when the source declares none or octet-stream", async () => {
  for (const type of [undefined, "", "application/octet-stream", "binary/octet-stream", "Application/Octet-Stream"]) {
    for (const format of ["jpeg", "png", "webp"] as const) {
      const bytes = picture("banner", format);
      await using from = await source(httpResponse(bytes, { type }));
      await taken(from.url, bytes, format, "banner");
    }
    for (const bytes of [gif, svg, ascii("nothing that is an image")]) {
      await using from = await source(httpResponse(bytes, { type }));
      await assertRejected(from.url, TYPE_ERROR, "banner");
    }
  }
});

Deno.test("an artwork import accepts image/jpg as JPEG and ignores case and parameters of the type", async () => {
  const types: [string, Format][] = [
    ["image/jpg", "jpeg"],
    ["IMAGE/JPG; q=1", "jpeg"],
    ["Image/PNG", "png"],
    ["image/jpeg;charset=binary", "jpeg"],
  ];
  for (const [type, format] of types) {
    const bytes = picture("cover", format);
    await using from = await source(httpResponse(bytes, { type }));
    await taken(from.url, bytes, format);
  }
});

Deno.test("an artwork import returns 400 for a WebP cover, declared or not, and accepts WebP for the other types", async () => {
  for (const type of [TYPE.webp, undefined]) {
    await using cover = await source(httpResponse(picture("cover", "webp"), { type }));
    await assertRejected(cover.url, { ...TYPE_ERROR, details: "Accepted for cover: image/jpeg, image/png" });
    for (const imageType of ["header", "banner", "profile"] as const) {
      const bytes = picture(imageType, "webp");
      await using from = await source(httpResponse(bytes, { type }));
      await taken(from.url, bytes, "webp", imageType);
    }
  }
});

Deno.test("an artwork import reads bodies with a length, in chunks, until the source closes, and byte by byte", async () => {
  const bytes = picture("profile", "png", 2000), head = "HTTP/1.1 200 OK\r\ncontent-type: image/png\r\n";
  const chunks = [bytes.subarray(0, 7), bytes.subarray(7)].map((part) =>
    joined(ascii(`${part.length.toString(16)}\r\n`), part, ascii("\r\n"))
  );
  const responses = [
    httpResponse(bytes, { type: TYPE.png }),
    httpResponse(bytes, { type: TYPE.png, length: null }),
    joined(ascii(`${head}transfer-encoding: chunked\r\n\r\n`), ...chunks, ascii("0\r\n\r\n")),
    async ({ send }: Visit) => {
      for (const byte of httpResponse(bytes, { type: TYPE.png })) await send(Uint8Array.of(byte));
    },
  ];
  for (const response of responses) {
    await using from = await source(response);
    await taken(from.url, bytes, "png", "profile");
  }
});

Deno.test("an artwork import stores an image that its server compressed with gzip", async () => {
  const bytes = picture("cover");
  const packed = await new Response(
    new Response(bytes).body!.pipeThrough(new CompressionStream("gzip")),
  ).bytes();
  const head = `HTTP/1.1 200 OK\r\ncontent-type: image/jpeg\r\ncontent-encoding: gzip\r\n\r\n`;
  await using from = await source(joined(ascii(head), packed));
  await taken(from.url, bytes, "jpeg");
});

Deno.test("an artwork import returns 400 for an empty response", async () => {
  for (const length of [0, null]) {
    await using from = await source(httpResponse(new Uint8Array(), { type: TYPE.jpeg, length }));
    await assertRejected(from.url, { error: "The upload is empty", code: "EMPTY_BODY" });
  }
  await using silent = await source("HTTP/1.1 204 No Content\r\n\r\n");
  await assertRejected(silent.url, TYPE_ERROR);
});

// Sizes

for (const imageType of TYPES) {
  const maxBytes = imageType === "cover" ? SPEC.cover.maxSize : SPEC.banner.maxSize;
  const large = { error: "File too large", code: "FILE_TOO_LARGE", maxBytes: maxBytes };

  Deno.test(`an artwork import accepts the largest file and returns 400 for one byte more, with or without a length (${imageType})`, async () => {
    for (const hasLength of [true, false]) {
      const sent = (bytes: Uint8Array) =>
        httpResponse(bytes, { type: TYPE.png, length: hasLength ? bytes.length : null });
      const largest = picture(imageType, "png", maxBytes);
      await using fits = await source(sent(largest));
      await taken(fits.url, largest, "png", imageType);
      await using exceeds = await source(sent(picture(imageType, "png", maxBytes + 1)));
      await assertRejected(exceeds.url, large, imageType);
    }
  });

  Deno.test(`an artwork import closes the connection before the body when its declared length is over the limit (${imageType})`, async () => {
    await using from = await source(async ({ send, left }) => {
      await send(httpResponse(new Uint8Array(), { type: TYPE.png, length: maxBytes + 1 }));
      await left();
    });
    await assertRejected(from.url, large, imageType);
  });

  Deno.test(`an artwork import closes the connection to an endless source soon after the limit (${imageType})`, async () => {
    let sent = 0;
    await using from = await source(async ({ send, left }) => {
      const leaving = left();
      await send(httpResponse(picture(imageType, "png"), { type: TYPE.png, length: null }));
      const piece = new Uint8Array(65_536);
      try {
        for (; sent < 64 * maxBytes; sent += piece.length) await send(piece);
      } finally {
        await leaving;
      }
    });
    await assertRejected(from.url, large, imageType);
    assert.ok(sent < maxBytes + 16_000_000, `${sent} bytes were read for a limit of ${maxBytes}`); // the kernel's buffers hold some
  });
}

// Dimensions

const SMALL = { error: "Image dimensions too small", code: "DIMENSIONS_TOO_SMALL" };
const RATIO = { error: "Invalid aspect ratio", code: "INVALID_ASPECT_RATIO" };

Deno.test("an artwork import tolerates ratios up to 5 %, and names the dimensions of an image that it rejects", async () => {
  for (
    const [width, height, error] of [[1470, 1400], [1471, 1400, RATIO], [1400, 1399, SMALL]] as const
  ) {
    const bytes = makeImage.jpeg({ width, height });
    await using from = await source(httpResponse(bytes, { type: TYPE.jpeg }));
    if (error) await assertRejected(from.url, { ...error, details: new RegExp(`^${width} × ${height} pixels; `) });
    else await taken(from.url, bytes, "jpeg");
  }
});

Deno.test("an artwork import returns the dimensions found in the bytes", async () => {
  for (const format of ["jpeg", "png"] as const) {
    await using from = await source(
      httpResponse(makeImage[format]({ width: 1412, height: 1400 }), { type: TYPE[format] }),
    );
    const { body } = await importing("owner", { url: from.url });
    assert.deepEqual(body.dimensions, { width: 1412, height: 1400 });
  }
});

Deno.test("an artwork import returns 400 for an image with impossibly large dimensions", async () => {
  const header = (width: number, height: number) => pngChunk("IHDR", [...be32(width), ...be32(height), 8, 2, 0, 0, 0]);
  for (const [width, height, expected] of [[0xffffffff, 0xffffffff, TYPE_ERROR], [0x7fffffff, 1400, RATIO]] as const) {
    await using from = await source(httpResponse(joined(PNG_SIGNATURE, header(width, height)), { type: TYPE.png }));
    await assertRejected(from.url, { ...expected });
  }
});
