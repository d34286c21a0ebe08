// The image header reader agrees with a browser on the size of the browser's images, and the browser shows the fixtures.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { type ImageInfo, parseImageHeader } from "../../functions/media/headers/image_header.ts";
import { jpeg, png, TYPE, webp } from "../image_fixtures.ts";
import type { Page } from "playwright-core";
import { withPage } from "./chromium.ts";

const url = (type: string, bytes: Uint8Array) => `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;

const sizes = [[1, 1], [1400, 1400], [1200, 188], [601, 315], [3, 4000]];

// deno-lint-ignore no-explicit-any -- the types of a page are not known here
declare const document: any, Image: any;

/** A drawing with edges and gradients, as the browser encodes it. */
async function encoded(page: Page, type: string, width: number, height: number, quality: number): Promise<Uint8Array> {
  const address: string = await page.evaluate(([type, width, height, quality]) => {
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width, height });
    const context = canvas.getContext("2d");
    const colors = context.createLinearGradient(0, 0, width, height);
    ["red", "green", "rgba(0, 0, 255, 0.5)"].forEach((color, n) => colors.addColorStop(n / 2, color));
    context.fillStyle = colors;
    context.fillRect(0, 0, Number(width), Number(height) / 2);
    return canvas.toDataURL(type, quality);
  }, [type, width, height, quality]);
  assert.ok(address.startsWith(`data:${type};base64,`), address.slice(0, 40));
  return Buffer.from(address.slice(address.indexOf(",") + 1), "base64");
}

withPage("parseImageHeader reads the size of JPEG, PNG and WebP images that a browser encodes", async (page) => {
  for (const type of Object.values(TYPE)) {
    for (const [width, height] of sizes) {
      for (const quality of [0.3, 0.9, 1]) { // a WebP of quality 1 is lossless
        const bytes = await encoded(page, type, width, height, quality);
        assert.deepEqual(parseImageHeader(bytes), { type, width, height } as ImageInfo, `${type} at ${quality}`);
      }
    }
  }
});

withPage("a browser decodes the test images in the size that parseImageHeader reads", async (page) => {
  for (const [width, height] of sizes) {
    for (const bytes of [undefined, 200_000, 200_001]) {
      const size = { width, height, bytes };
      const pictures = [
        jpeg(size),
        jpeg({ ...size, progressive: true }),
        png(size),
        webp(size),
        webp({ ...size, kind: "VP8L" }),
        webp({ ...size, kind: "VP8X" }),
      ];
      for (const picture of pictures) {
        const found = parseImageHeader(picture)!;
        const shown = await page.evaluate(async (url) => {
          const image = Object.assign(new Image(), { src: url });
          await image.decode();
          return [image.naturalWidth, image.naturalHeight];
        }, url(found.type, picture));
        assert.deepEqual([shown, [found.width, found.height]], [[width, height], [width, height]], found.type);
        if (bytes) assert.equal(picture.length, bytes);
      }
    }
  }
});
