/** Covers and portraits: an image of our own, else a tile with initials, so that no page asks another host for one. */
import { html } from "hono/html";
import type { z } from "zod";
import type { ImageCopy } from "../../../types/public.ts";
import type { Html } from "../../app/html_page.ts";
import { initialsOf, tileClass } from "../../text/initials.ts";
import { imageOrigins, type PageSettings } from "./page_settings.ts";

type Copy = z.infer<typeof ImageCopy>;

/** What has a cover: a podcast or an episode of /v1. */
export interface Covered {
  coverImageUrl: string | null;
  coverCopies: Copy[];
}

interface Portrayed {
  name: string;
  avatarUrl: string | null;
  avatarCopies: Copy[];
}

interface Illustrated {
  img?: string;
  imageCopies?: Copy[];
}

/** Where a page shows a picture: `size` in pixels, `sizes` for pictures whose size depends on the window's. */
interface Place {
  kind: "cover" | "avatar" | "chapter-image";
  size: number;
  sizes?: string;
}

const PLACES = {
  // on phones a bit larger than laid out, so that screens with three dots per pixel choose the sharp copy
  hero: { kind: "cover", size: 256, sizes: "(min-width: 46rem) 16rem, 8rem" },
  list: { kind: "cover", size: 80 },
  avatar: { kind: "avatar", size: 44 },
  chapter: { kind: "chapter-image", size: 48 },
} satisfies Record<string, Place>;

export interface Pictures {
  /** Whether pages may show the image of this URL. */
  isOwn(url: string | null): url is string;
  /** The cover's fields for the player, empty if pages may not show it. */
  ownCover(source: Covered): Covered;
  /** The portrait's fields for the player, empty if pages may not show it. */
  ownAvatar(source: Portrayed): Omit<Portrayed, "name">;
  /** The first cover that pages may show, else a tile with the name's initials. */
  cover(sources: Covered[], name: string, place: "hero" | "list"): Html;
  avatar(source: Portrayed): Html;
  /** Undefined if pages may not show it. */
  chapterImage(source: Illustrated): Html | undefined;
}

export function createPictures(settings: PageSettings): Pictures {
  const origins = new Set(imageOrigins(settings));
  const isOwn = (url: string | null): url is string =>
    url !== null && URL.canParse(url) && origins.has(new URL(url).origin);
  const tile = ({ kind }: Place, name: string) =>
    html`<span class="${kind} ${tileClass(name)}" aria-hidden="true">${initialsOf(name)}</span>`;
  return {
    isOwn,
    ownCover: ({ coverImageUrl, coverCopies }) =>
      isOwn(coverImageUrl) ? { coverImageUrl, coverCopies } : { coverImageUrl: null, coverCopies: [] },
    ownAvatar: ({ avatarUrl, avatarCopies }) =>
      isOwn(avatarUrl) ? { avatarUrl, avatarCopies } : { avatarUrl: null, avatarCopies: [] },
    cover(sources, name, place) {
      const source = sources.find(({ coverImageUrl }) => isOwn(coverImageUrl));
      return source ? image(source.coverImageUrl!, source.coverCopies, PLACES[place]) : tile(PLACES[place], name);
    },
    avatar: ({ name, avatarUrl, avatarCopies }) =>
      isOwn(avatarUrl) ? image(avatarUrl, avatarCopies, PLACES.avatar) : tile(PLACES.avatar, name),
    chapterImage: ({ img = null, imageCopies = [] }) =>
      isOwn(img) ? image(img, imageCopies, PLACES.chapter) : undefined,
  };
}

/**
 * The smallest copy with two dots per pixel; of a picture with `sizes`, the browser chooses. Such a picture is at the
 * top of the page and may be the largest thing there, so it comes first, and all others when they are near the window.
 */
function image(url: string, copies: Copy[], { kind, size, sizes }: Place): Html {
  const files = copies.filter(({ type }) => type === "image/webp"), largest = files.at(-1);
  const src = (sizes ? largest : files.find(({ width }) => width >= 2 * size) ?? largest)?.url ?? url;
  return html`<img class="${kind}" src="${src}"${
    sizes && files.length > 1 &&
    html` srcset="${files.map(({ url, width }) => `${url} ${width}w`).join(", ")}" sizes="${sizes}"`
  } alt="" width="${size}" height="${size}"${
    sizes ? html` fetchpriority="high"` : html` loading="lazy"`
  } decoding="async">`;
}

interface Preview {
  url: string;
  /** Of a copy. */
  copy?: Copy;
}

/** The first cover for previews on other sites, whose programs know JPEG; the original only if there is no copy. */
export function previewOf(sources: Covered[]): Preview | undefined {
  const source = sources.find(({ coverImageUrl }) => coverImageUrl !== null);
  if (!source) return;
  const copy = source.coverCopies.findLast(({ type }) => type === "image/jpeg");
  return { url: copy?.url ?? source.coverImageUrl!, copy };
}
