/** Elements without innerHTML: texts of people are only ever text nodes and attributes. */
import type { Picture } from "./data.ts";

type Child = Node | string | null | undefined | false | 0;
type Value = string | number | boolean | null | undefined;
type Attributes = Record<string, Value | ((event: never) => void)>;

/**
 * Creates an element. Functions are event listeners; null, undefined and false set no attribute. Parts are classes too.
 */
export function create<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value as EventListener);
    else setAttribute(element, name, value);
    if (name === "part" && value) element.className = value as string;
  }
  element.append(...children.filter(Boolean) as (Node | string)[]);
  return element;
}

export function setAttribute(element: Element, name: string, value: Value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : String(value));
}

/** Names an element for screen readers and pointers. */
export function setName<T extends Element>(element: T, name: string): T {
  setAttribute(element, "aria-label", name);
  setAttribute(element, "title", name);
  return element;
}

export const button = (part: string, click: () => void, ...children: Child[]) =>
  create("button", { type: "button", part: `button ${part}`, click }, ...children);

/** A problem with a button for another attempt. */
export const problem = (message: string, retryLabel: string, retry: () => void) =>
  create("div", { part: "error", role: "alert" }, message, button("retry-button", retry, retryLabel));

/** The URL if it is one of the web: `javascript:` and the like never reach a link. */
export const webUrl = (url: string | null | undefined) => url && /^https?:\/\//i.test(url) ? url : undefined;

/** A link that opens beside the player, so that playback continues. The text alone if the URL is not one of the web. */
export function link(url: string | null | undefined, text: Child, part?: string): HTMLElement {
  const href = webUrl(url);
  return create(
    href ? "a" : "span",
    { part, ...href && { href, target: "_blank", rel: "noopener" }, dir: "auto" },
    text,
  );
}

/**
 * A picture, or initials if there is none, it cannot be loaded, or the page's policy forbids it. It is loaded when it is
 * laid out: its smallest copy that suffices for `size`, or the picture itself if it has none.
 */
export function picture({ url, copies }: Picture, name: string, part: string, size: string): HTMLElement {
  const initials = name.match(/[\p{L}\p{N}]+/gu)?.slice(0, 2).map((word) => [...word][0]).join("").toUpperCase();
  const box = create("span", { part, "aria-hidden": "true" }, initials), src = webUrl(url);
  const srcset = copies?.map(({ url, width }) => `${url} ${width}w`).join(); // WebP precedes JPEG of the same width
  if (src) {
    const image = create("img", {
      alt: "",
      loading: "lazy",
      sizes: `auto,${size}`,
      srcset,
      src, // last: without copies
      load: () => box.replaceChildren(image),
      error: () => image.remove(),
    });
    box.append(image);
  }
  return box;
}
