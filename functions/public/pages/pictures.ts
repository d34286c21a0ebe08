/** Covers and portraits: an image of our own, else a tile with initials, so that no page asks another host for one. */
import { html } from "hono/html";
import type { Html } from "../../app/html_page.ts";
import { initialsOf, tileClass } from "../../text/initials.ts";
import { imageOrigins, type PageSettings } from "./page_settings.ts";

export interface Pictures {
  /** The URL if pages may show its image, else null. */
  own(url: string | null): string | null;
  /** An image of the first URL that pages may show, else a tile with the name's initials; `size` in pixels. */
  show(urls: (string | null)[], name: string, options: { kind: "cover" | "avatar"; size: number; isLazy?: true }): Html;
}

export function createPictures(settings: PageSettings): Pictures {
  const origins = new Set(imageOrigins(settings));
  const own = (url: string | null) => url && URL.canParse(url) && origins.has(new URL(url).origin) ? url : null;
  return {
    own,
    show(urls, name, { kind, size, isLazy }) {
      const url = urls.map(own).find(Boolean);
      if (!url) return html`<span class="${kind} ${tileClass(name)}" aria-hidden="true">${initialsOf(name)}</span>`;
      return html`<img class="${kind}" src="${url}" alt="" width="${size}" height="${size}"${
        isLazy && html` loading="lazy"`
      } decoding="async">`;
    },
  };
}
