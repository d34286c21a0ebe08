/** Resolves relative URLs against xml:base (https://www.w3.org/TR/xmlbase/), before any rule reads them. */
import type { Attributes } from "./attributes.ts";
import { decodeEntities } from "./text.ts";
import { isReference } from "./url.ts";

const MAX_BASE_CHARS = 2048;

/** The base inside an element with this xml:base; undefined unless it is an http(s) URL. */
export function resolveBase(written: string, outer: string): string | undefined {
  const reference = written.trim();
  if (reference.length > MAX_BASE_CHARS || !URL.canParse(reference, outer)) return;
  const { href, protocol } = new URL(reference, outer);
  return /^https?:$/.test(protocol) && href.length <= MAX_BASE_CHARS ? href : undefined;
}

/** Whether the value of an xml:base is used. */
export const isBase = (written: string): boolean =>
  resolveBase(decodeEntities(written, () => {}), "https://any.example/") !== undefined;

/** Attributes and elements of all read and carried namespaces whose value is a URL, in lower case. */
const URL_ATTRIBUTES = ["url", "href", "uri", "src", "img", "image", "feedurl", "accounturl"];
const URL_TEXTS = ["link", "url", "itunes:image", "atom:icon", "atom:logo", "atom:uri", "comments"];

/** Resolves the URLs among the attributes of an element against xml:base. */
export const resolveAttributes = (attributes: Attributes, base: string): Attributes =>
  attributes.map(([name, value, written]) => {
    if (name === "srcset") return [name, resolveSources(value, base), written];
    const isUrl = URL_ATTRIBUTES.includes(name.slice(name.indexOf(":") + 1)) && !name.startsWith("xml");
    const url = isUrl ? resolveReference(decodeEntities(value, () => {}), base) : undefined;
    return url === undefined ? [name, value, written] : [name, url.replaceAll("&", "&amp;"), written];
  });

/** Resolves the text of an element against xml:base if it is a URL. */
export const resolveUrlText = (name: string, text: string, base: string): string =>
  URL_TEXTS.includes(name) ? resolveReference(text, base) ?? text : text;

/** The sources of podcast:images, each a URL and its width. */
const resolveSources = (value: string, base: string) =>
  value.replace(/(^|,)(\s*)([^\s,]+)/g, (_, comma, space, url) => comma + space + (resolveReference(url, base) ?? url));

const HAS_AUTHORITY = /^(?:[a-z][a-z0-9+.-]*:|www\.)/i;

/** Undefined for all but relative references. */
function resolveReference(written: string, base: string): string | undefined {
  const reference = written.trim();
  if (!reference || HAS_AUTHORITY.test(reference) || !isReference(reference)) return;
  return URL.canParse(reference, base) ? new URL(reference, base).href : undefined;
}
