/**
 * Sanitizes the HTML of an email that an admin wrote: the allow-list of show notes, and what email editors write to
 * place and color it. Nothing may leave its place, because the product's footer follows.
 */
// @deno-types="npm:@types/sanitize-html@2.16.1"
import type sanitizeHtml from "sanitize-html";
import { ALLOW_LIST, sanitizeBy } from "./sanitize.ts";

/** Beyond it, declarations are dropped. */
const MAX_STYLE_CHARS = 1000;

const color = "(?:#[0-9a-f]{3,8}|[a-z]{3,30}|(?:rgb|hsl)a?\\([0-9.,%/ ]{1,40}\\))";
const length = "(?:0|[0-9]{1,2}(?:\\.[0-9]{1,2})?px|[0-9](?:\\.[0-9]{1,2})?r?em)"; // never negative
const lineWidth = "(?:0|[0-9]{1,2}px|thin|medium|thick)";
const lineStyle = "(?:none|solid|dashed|dotted|double)";

const whole = (pattern: string) => new RegExp(`^(?:${pattern})$`, "i");
const sides = (name: string, value: string, suffix = "") =>
  Object.fromEntries(
    ["top", "right", "bottom", "left"].map((side) => [`${name}-${side}${suffix}`, whole(value)]),
  );
const upToFour = (value: string) => whole(`${value}(?: +${value}){0,3}`);
const border = `${lineStyle}|0|${lineWidth} +${lineStyle}(?: +${color})?`;

/** The properties that a style may set, with their values. */
const STYLES: Record<string, RegExp> = {
  "color": whole(color),
  "background-color": whole(color),
  "background": whole(color),
  "font-weight": whole("normal|bold|bolder|lighter|[1-9]00"),
  "text-align": whole("left|right|center|justify|start|end"),
  "text-decoration": whole("none|underline"),
  "display": whole("block|inline-block"), // of a link that looks like a button
  "padding": upToFour(length),
  ...sides("padding", length),
  "margin": upToFour(`(?:${length}|auto)`),
  ...sides("margin", `${length}|auto`),
  "border": whole(border),
  ...sides("border", border),
  "border-color": upToFour(color),
  "border-style": upToFour(lineStyle),
  "border-width": upToFour(lineWidth),
  "border-radius": upToFour(`(?:${length}|[0-9]{1,2}%)`),
  "border-collapse": whole("collapse|separate"),
  "width": whole("[0-9]{1,3}px|[0-9]{1,2}(?:\\.[0-9]{1,2})?%|100%|auto"),
};

/** Attributes for mail programs that know no styles, with their values. */
const ATTRIBUTE_VALUES: Record<string, RegExp> = {
  align: /^(?:left|right|center|justify)$/i,
  bgcolor: /^(?:#[0-9a-f]{3,6}|[a-z]{3,30})$/i,
  border: /^[0-9]{1,2}$/,
  cellpadding: /^[0-9]{1,2}$/,
  cellspacing: /^[0-9]{1,2}$/,
  role: /^(?:presentation|none)$/i,
  valign: /^(?:top|middle|bottom|baseline)$/i,
  width: /^(?:[0-9]{1,4}(?:px)?|[0-9]{1,2}%|100%)$/i,
};

/**
 * The allowed declarations of a style. Each value matches as a whole, so this needs no parser of styles, which takes
 * several times as long. Without `!important`, so that the layout's rules for phones apply.
 */
const allowedDeclarations = (style: string) =>
  style.slice(0, MAX_STYLE_CHARS).replace(/!\s*important/gi, "").split(";")
    .map((declaration) => declaration.split(":").map((part) => part.trim()))
    .filter(([name, value = "", ...more]) => Object.hasOwn(STYLES, name) && STYLES[name].test(value) && !more.length)
    .map((declaration) => declaration.join(":")).join(";");

/** Drops declarations of a style, and attributes, with other values than the known ones. */
function dropUnknownValues(tagName: string, attributes: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const attribs = Object.fromEntries(
    Object.entries(attributes).filter(([name, value]) => ATTRIBUTE_VALUES[name]?.test(value.trim()) ?? true),
  );
  if (attribs.style !== undefined) attribs.style = allowedDeclarations(attribs.style);
  if (!attribs.style) delete attribs.style; // or an attribute without a value would stay
  return { tagName, attribs };
}

const OF_CELLS = ["align", "valign", "bgcolor", "width"];
const ALIGNED = ["p", "div", "h1", "h2", "h3", "h4", "h5", "h6"];

const attributesOf = (tag: string, more: string[]) => [
  ...(ALLOW_LIST.allowedAttributes as Record<string, string[]>)[tag] ?? [],
  ...more,
];

const EMAIL_ALLOW_LIST: sanitizeHtml.IOptions = {
  ...ALLOW_LIST,
  allowedTags: [...ALLOW_LIST.allowedTags as string[], "center"],
  allowedAttributes: {
    ...ALLOW_LIST.allowedAttributes as Record<string, string[]>,
    "*": attributesOf("*", ["style"]),
    ...Object.fromEntries(ALIGNED.map((tag) => [tag, ["align"]])),
    table: ["align", "bgcolor", "border", "cellpadding", "cellspacing", "role", "width"],
    tr: ["align", "valign", "bgcolor"],
    td: attributesOf("td", OF_CELLS),
    th: attributesOf("th", OF_CELLS),
  },
  transformTags: { ...ALLOW_LIST.transformTags, "*": dropUnknownValues },
  nonTextTags: ["script", "style", "textarea", "option", "noscript", "title"], // a whole document has a title
};

/** Sanitizes the HTML of an email; null if nothing of it is visible. */
export const sanitizeEmail = (html: string): string | null => sanitizeBy(EMAIL_ALLOW_LIST, html);
