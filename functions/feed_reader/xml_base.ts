/** Resolves relative URLs against xml:base (https://www.w3.org/TR/xmlbase/), before any rule reads them. */
import type { Attributes } from "./attributes.ts";
import { decodeEntities } from "./text.ts";
import { isReference } from "./url.ts";

/** Each reference takes as long as its base: those of feeds have tens of characters. */
const MAX_BASE_CHARS = 512;
/** References of one element: as many as private.feed_shapes() allows images. */
const MAX_REFERENCES = 20;

/** The base of a document: its URL, or what fits of it, because a redirect can lead to one of any length. */
export function documentBase(url: string): string {
  if (url.length <= MAX_BASE_CHARS) return url;
  const { origin, pathname } = new URL(url);
  return origin.length + pathname.length <= MAX_BASE_CHARS ? origin + pathname : `${origin}/`;
}

/** The base inside an element with this xml:base; undefined unless it is an http(s) URL. */
export function resolveBase(written: string, outer: string): string | undefined {
  const reference = written.trim();
  const url = reference.length <= MAX_BASE_CHARS && URL.parse(reference, outer);
  return url && /^https?:$/.test(url.protocol) && url.href.length <= MAX_BASE_CHARS ? url.href : undefined;
}

/** Whether the value of an xml:base is used. */
export const isBase = (written: string): boolean =>
  resolveBase(decodeEntities(written, () => {}), "https://any.example/") !== undefined;

/** Attributes and elements of all read and carried namespaces whose value is a URL, in lower case. */
const URL_ATTRIBUTES = ["url", "href", "uri", "src", "img", "image", "feedurl", "accounturl"];
const URL_TEXTS = ["link", "url", "itunes:image", "atom:icon", "atom:logo", "atom:uri", "comments"];

type ResolveFn = (reference: string) => string | undefined;

/** Resolves the first relative URLs among the attributes of an element against xml:base; others stay as written. */
export function resolveAttributes(element: string, attributes: Attributes, base: string): Attributes {
  let left = MAX_REFERENCES;
  const resolve: ResolveFn = (reference) => {
    const url = left > 0 ? resolveReference(reference, base) : undefined;
    if (url !== undefined) left--;
    return url;
  };
  return attributes.map(([name, value, written]) => {
    if (name === "srcset" && element === "podcast:images") return [name, resolveSources(value, resolve), written];
    const isUrl = URL_ATTRIBUTES.includes(name.slice(name.indexOf(":") + 1)) && !name.startsWith("xml");
    const url = isUrl ? resolve(decodeEntities(value, () => {})) : undefined;
    return url === undefined ? [name, value, written] : [name, url.replaceAll("&", "&amp;"), written];
  });
}

/** Resolves the text of an element against xml:base if it is a URL. */
export const resolveUrlText = (name: string, text: string, base: string): string =>
  URL_TEXTS.includes(name) ? resolveReference(text, base) ?? text : text;

/** The sources of podcast:images, each a URL and its width. */
const resolveSources = (value: string, resolve: ResolveFn) =>
  value.replace(/(^|,)(\s*)([^\s,]+)/g, (_, comma, space, url) => comma + space + (resolve(url) ?? url));

const HAS_AUTHORITY = /^(?:[a-z][a-z0-9+.-]*:|www\.)/i;

/** Undefined for all but relative references. */
function resolveReference(written: string, base: string): string | undefined {
  const reference = written.trim();
  if (!reference || HAS_AUTHORITY.test(reference) || !isReference(reference)) return;
  return URL.parse(reference, base)?.href;
}
