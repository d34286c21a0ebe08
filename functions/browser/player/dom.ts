/** Elements without innerHTML: texts of people are only ever text nodes and attributes. */

type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | EventListener>;

/** Creates an element. Functions are event listeners; null, undefined and false set no attribute. */
export function create<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else setAttribute(element, name, value);
  }
  element.append(...children.filter((child) => child || child === 0) as (Node | string)[]);
  return element;
}

export function setAttribute(element: Element, name: string, value: string | number | boolean | null | undefined) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : String(value));
}

/** The URL if it is one of the web: `javascript:` and the like never reach a link. */
export const webUrl = (url: string | null | undefined) => url && /^https?:\/\//i.test(url) ? url : undefined;

/** A link that opens beside the player, so that playback continues. */
export const link = (url: string, attributes: Attributes, ...children: Child[]) =>
  create("a", { href: url, target: "_blank", rel: "noopener", ...attributes }, ...children);

/** The artwork, or initials if there is none, it cannot be loaded, or the page's policy forbids it. */
export function picture(url: string | null | undefined, name: string, attributes: Attributes): HTMLElement {
  const initials = name.match(/[\p{L}\p{N}]+/gu)?.slice(0, 2).map((word) => [...word][0]).join("").toUpperCase();
  const box = create("span", { ...attributes, "aria-hidden": "true" }, initials);
  const source = webUrl(url);
  if (source) {
    const image = create("img", { alt: "", decoding: "async", load: () => box.replaceChildren(image) });
    image.src = source;
  }
  return box;
}
