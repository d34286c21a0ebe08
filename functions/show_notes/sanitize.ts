/**
 * Sanitizes show notes to HTML of one versioned allow-list. The input is up to a megabyte from any person or foreign
 * feed; the output is safe to insert into any page.
 */
// @deno-types="npm:@types/sanitize-html@2.16.1"
import sanitizeHtml from "sanitize-html";
import { toPlainText } from "../text/plain_text.ts";
import { escapeXml, isPresent, stripForbidden } from "../text/xml_text.ts";

// An isolate has two seconds of CPU time. A megabyte of nested tags takes the parser half a minute; entities and lone
// `<` take a microsecond each, attributes ten. Notes beyond a limit become plain text.
export const MAX_TAGS = 10_000;
export const MAX_ENTITIES = 50_000;
export const MAX_ATTRIBUTES = 20_000;
const MAX_DEPTH = 64;
/** The column's constraint. Escaping can turn one byte into five. */
const MAX_OUTPUT_BYTES = 2 * 1024 * 1024;
/** For notes that exceed the limits. */
const MAX_PLAIN_TEXT_CHARS = 100_000;

// Apps and other sites show the notes, where a URL without a host has another meaning
const LINK_URL = /^\s*(?:https?:\/\/|mailto:|tel:)/i;
const IMAGE_URL = /^\s*https?:\/\//i;

const GLOBAL_ATTRIBUTES = ["dir", "lang"];

export const ALLOW_LIST: sanitizeHtml.IOptions = {
  allowedTags: [
    ...["p", "br", "hr", "div", "span", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre"],
    ...[
      "a",
      "b",
      "strong",
      "i",
      "em",
      "u",
      "s",
      "del",
      "ins",
      "sub",
      "sup",
      "small",
      "mark",
      "code",
      "kbd",
      "q",
      "cite",
    ],
    ...["abbr", "ul", "ol", "li", "dl", "dt", "dd", "img", "figure", "figcaption"],
    ...["table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"],
  ],
  allowedAttributes: {
    "*": GLOBAL_ATTRIBUTES,
    a: ["href", "title", "rel", ...GLOBAL_ATTRIBUTES],
    abbr: ["title", ...GLOBAL_ATTRIBUTES],
    img: ["src", "alt", "title", "width", "height", ...GLOBAL_ATTRIBUTES],
    ol: ["start", ...GLOBAL_ATTRIBUTES],
    td: ["colspan", "rowspan", ...GLOBAL_ATTRIBUTES],
    th: ["colspan", "rowspan", ...GLOBAL_ATTRIBUTES],
  },
  allowedSchemes: ["http", "https", "mailto", "tel"],
  allowProtocolRelative: false,
  nestingLimit: MAX_DEPTH,
  parseStyleAttributes: false,
  transformTags: {
    // third parties may have written the links: no endorsement, no access to the page
    a: (tagName, { rel: _, href, ...attributes }) => ({
      tagName,
      attribs: LINK_URL.test(href ?? "") ? { href, ...attributes, rel: "noopener nofollow ugc" } : attributes,
    }),
    img: (tagName, { src, ...attributes }) => ({
      tagName,
      attribs: IMAGE_URL.test(src ?? "") ? { src, ...attributes } : {},
    }),
  },
  exclusiveFilter: ({ tag, attribs }) => tag === "img" && !attribs.src,
};

/** Sanitizes HTML; null if nothing of it is visible. */
export const sanitizeShowNotes = (html: string): string | null => sanitizeBy(ALLOW_LIST, html);

/** Sanitizes HTML by an allow-list; null if nothing of it is visible. */
export function sanitizeBy(allowList: sanitizeHtml.IOptions, html: string): string | null {
  const cleaned = stripForbidden(html);
  const safe = occursMoreThan(cleaned, "<", MAX_TAGS) || occursMoreThan(cleaned, "&", MAX_ENTITIES)
    ? null
    : applyAllowList(cleaned, allowList);
  if (safe === null || new TextEncoder().encode(safe).length > MAX_OUTPUT_BYTES) {
    return textToHtml(toPlainText(cleaned, MAX_PLAIN_TEXT_CHARS));
  }
  return safe.includes("<img ") || isPresent(toPlainText(safe, 1000)) ? safe : null;
}

/** A transcript has six tags for each turn of a speaker. The parser's time grows with the square of nested ones. */
export const TRANSCRIPT_LIMITS = { maxTags: 30_000, maxAttributes: MAX_ATTRIBUTES, maxEntities: MAX_ENTITIES };

const TRANSCRIPT_ALLOW_LIST: sanitizeHtml.IOptions = {
  ...ALLOW_LIST,
  allowedTags: [...ALLOW_LIST.allowedTags as string[], "time"],
  allowedAttributes: {
    ...ALLOW_LIST.allowedAttributes as Record<string, sanitizeHtml.AllowedAttribute[]>,
    time: ["datetime", ...GLOBAL_ATTRIBUTES],
  },
  nonTextTags: ["script", "style", "textarea", "option", "noscript", "title"], // a whole document has a title
};

/** Sanitizes the HTML of a transcript; null if nothing of it is visible, or if it exceeds the limits. */
export function sanitizeTranscript(html: string): string | null {
  const cleaned = stripForbidden(html);
  const { maxTags, maxEntities } = TRANSCRIPT_LIMITS;
  if (occursMoreThan(cleaned, "<", maxTags) || occursMoreThan(cleaned, "&", maxEntities)) return null;
  const safe = applyAllowList(cleaned, TRANSCRIPT_ALLOW_LIST);
  return safe !== null && isPresent(safe.replace(/<[^>]*>/g, "")) ? safe : null;
}

/** Applies an allow-list; null if the tags have more than MAX_ATTRIBUTES. */
function applyAllowList(html: string, allowList: sanitizeHtml.IOptions): string | null {
  const tooMany = new Error("Too many attributes");
  let attributes = 0;
  // Only the parser can count attributes; it calls this before the allow-list applies
  const onOpenTag = (_: string, found: sanitizeHtml.Attributes) => {
    attributes += Object.keys(found).length;
    if (attributes > MAX_ATTRIBUTES) throw tooMany;
  };
  try {
    return sanitizeHtml(html, { ...allowList, onOpenTag }).trim();
  } catch (error) {
    if (error === tooMany) return null;
    throw error;
  }
}

/** Whether a character occurs more than `max` times; stops counting there. */
function occursMoreThan(text: string, character: string, max: number): boolean {
  let count = 0;
  for (let at = -1; (at = text.indexOf(character, at + 1)) >= 0;) if (++count > max) return true;
  return false;
}

/** Converts plain text to HTML: blank lines separate paragraphs. Null if nothing is visible. */
export function textToHtml(text: string): string | null {
  const found = stripForbidden(text).split(/\n\s*\n/).map((each) => each.trim()).filter(isPresent);
  return found.map((each) => `<p>${escapeXml(each).replaceAll("\n", "<br />")}</p>`).join("\n") || null;
}
