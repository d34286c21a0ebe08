// Pictures of pages: which copy of an image each place loads, and which one previews of other sites get.
import assert from "node:assert/strict";
import { UNREACHABLE_ENV, withEnvironment } from "../../environment.ts";
import type { PageSettings } from "../../../functions/public/pages/page_settings.ts";

const { createPictures, previewOf } = await withEnvironment(
  UNREACHABLE_ENV,
  () => import("../../../functions/public/pages/pictures.ts"),
);

const media = "https://media.example/media";
const settings = { media_url: media, former_media_urls: "", embed_url: "", pages_url: "" } as PageSettings;
const pictures = createPictures(settings);

const copy = (type: "image/webp" | "image/jpeg", width: number) => ({
  ...{ url: `${media}/${width}.${type.slice("image/".length)}`, type },
  ...{ width, height: width },
});
const copies = [copy("image/webp", 160), copy("image/webp", 640), copy("image/jpeg", 640)];
const coverImageUrl = `${media}/cover.jpg`, cover = { coverImageUrl, coverCopies: copies };
const original = { coverImageUrl, coverCopies: [] }, none = { coverImageUrl: null, coverCopies: [] };
const foreign = { coverImageUrl: "https://images.example/1.png", coverCopies: [] };

/** Attributes of an image, or the text of a tile. */
const shown = (picture: unknown): Record<string, string> => {
  const text = String(picture);
  if (!text.startsWith("<img")) return { text: />(.*)</.exec(text)![1] };
  return Object.fromEntries([...text.matchAll(/ ([a-z]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
};

Deno.test("the cover at the top of a page comes first, in the copy that the browser chooses", () => {
  assert.deepEqual(shown(pictures.cover([none, cover], "Night Trains", "hero")), {
    class: "cover",
    src: `${media}/640.webp`,
    srcset: `${media}/160.webp 160w, ${media}/640.webp 640w`,
    sizes: "(min-width: 46rem) 16rem, 8rem",
    alt: "",
    width: "256",
    height: "256",
    fetchpriority: "high",
    decoding: "async",
  });
});

Deno.test("covers of a list, portraits and pictures of chapters are the smallest copy with two dots per pixel", () => {
  const lazy = { alt: "", loading: "lazy", decoding: "async" };
  const src = `${media}/160.webp`;
  assert.deepEqual(shown(pictures.cover([cover], "Night Trains", "list")), {
    ...{ ...lazy, class: "cover", src, width: "80", height: "80" },
  });
  assert.deepEqual(shown(pictures.avatar({ name: "Ana", avatarUrl: coverImageUrl, avatarCopies: copies })), {
    ...{ ...lazy, class: "avatar", src, width: "44", height: "44" },
  });
  assert.deepEqual(shown(pictures.chapterImage({ img: coverImageUrl, imageCopies: copies })), {
    ...{ ...lazy, class: "chapter-image", src, width: "48", height: "48" },
  });
});

Deno.test("an image without copies is its original, and one that was smaller its largest copy", () => {
  for (const place of ["hero", "list"] as const) {
    assert.equal(shown(pictures.cover([original], "Night Trains", place)).src, coverImageUrl);
    const small = { coverImageUrl, coverCopies: [copy("image/webp", 100), copy("image/jpeg", 100)] };
    const attributes = shown(pictures.cover([small], "Night Trains", place));
    assert.deepEqual([attributes.src, attributes.srcset], [`${media}/100.webp`, undefined]);
  }
});

Deno.test("an image of another host is a tile with initials, also for the player, and no picture of a chapter", () => {
  assert.equal(shown(pictures.cover([foreign], "Night Trains", "hero")).text, "N\u200cT");
  assert.equal(shown(pictures.avatar({ name: "Ana", avatarUrl: foreign.coverImageUrl, avatarCopies: [] })).text, "A");
  assert.equal(pictures.chapterImage({ img: foreign.coverImageUrl }), undefined);
  assert.equal(pictures.chapterImage({}), undefined);
  assert.deepEqual(pictures.ownCover(foreign), none);
  assert.deepEqual(pictures.ownCover(cover), cover);
});

Deno.test("previews get the large JPEG copy of the first cover, or the original if there is no copy", () => {
  assert.deepEqual(previewOf([none, cover]), { url: `${media}/640.jpeg`, copy: copies[2] });
  assert.deepEqual(previewOf([foreign, cover]), { url: foreign.coverImageUrl, copy: undefined });
  assert.equal(previewOf([none]), undefined);
});
