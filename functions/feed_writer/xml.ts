/** XML as text: what people type, made safe. No document tree: feeds are written front to back. */

/** What XML 1.0 cannot carry at all, not even escaped: control characters, lone surrogates, two noncharacters. */
// deno-lint-ignore no-control-regex -- they are what it is about
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udfff]/gu;

/** Text as every XML parser will read it back: forbidden characters gone, line ends as \n. */
export function stripForbidden(text: string): string {
  return text.replace(FORBIDDEN, "").replace(/\r\n?/g, "\n");
}

/**
 * Text or an attribute's value. Escaping `>` as well makes `]]>` harmless, so nothing needs CDATA; escaping the quote
 * makes one function enough for both places.
 */
export function escapeXml(text: string): string {
  return stripForbidden(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(
    '"',
    "&quot;",
  );
}

export type Scalar = string | number | boolean | null | undefined;

/** What an element holds: text alone, or attributes with text or children. */
export type Value = Scalar | {
  attributes?: Record<string, Scalar>;
  text?: Scalar;
  children?: Record<string, Value>;
};

/** One element, or nothing when it would hold nothing: a missing value leaves its tag out. */
export function renderElement(name: string, value: Value): string {
  if (!isPresent(value)) return "";
  if (typeof value !== "object") return `<${name}>${escapeXml(String(value))}</${name}>`;
  let attributes = "";
  for (const [key, scalar] of Object.entries(value.attributes ?? {})) {
    if (isPresent(scalar)) attributes += ` ${key}="${escapeXml(String(scalar))}"`;
  }
  let inside = isPresent(value.text) ? escapeXml(String(value.text)) : "";
  for (const [child, content] of Object.entries(value.children ?? {})) inside += renderElement(child, content);
  if (inside) return `<${name}${attributes}>${inside}</${name}>`;
  return attributes && `<${name}${attributes}/>`;
}

/** Something to be seen: no spaces of any kind, control characters, joiners, direction marks, nor what XML cannot carry. */
const VISIBLE = /[^\s\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufffe\uffff]/u;

/** Whether it says anything; text does when something of it can be seen (as private.is_blank decides). */
export function isPresent<T>(value: T): value is NonNullable<T> {
  return typeof value === "string" ? VISIBLE.test(value) : value !== undefined && value !== null;
}

/** The first text that says anything. */
export function firstPresent(...texts: (string | null | undefined)[]): string | undefined {
  return texts.find(isPresent) ?? undefined;
}
