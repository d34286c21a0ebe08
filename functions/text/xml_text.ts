/** Text for XML: which characters it may hold, how it is escaped, and whether it is blank. */

/** Characters that XML 1.0 forbids even escaped: controls, lone surrogates, two noncharacters. */
// deno-lint-ignore no-control-regex -- the expression matches control characters on purpose
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udfff]/gu;

/** The text as every XML parser reads it back: without forbidden characters, with \n as line end. */
export function stripForbidden(text: string): string {
  return text.replace(FORBIDDEN, "").replace(/\r\n?/g, "\n");
}

/** What escaping changes, or may change. */
// deno-lint-ignore no-control-regex -- the expression matches control characters on purpose
const SPECIAL = /[&<>"\u0000-\u0008\u000b-\u001f\ufffe\uffff\ud800-\udfff]/;

/** Escapes text and attribute values alike. Escaping `>` makes `]]>` harmless, so CDATA is never needed. */
export function escapeXml(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return stripForbidden(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(
    '"',
    "&quot;",
  );
}

/** A visible character: no white space, control, joiner, direction mark or character that XML forbids. */
const VISIBLE = /[^\s\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufffe\uffff]/u;

/** False for null, undefined and text without a visible character (the rule of private.is_blank). */
export function isPresent<T>(value: T): value is NonNullable<T> {
  return typeof value === "string" ? VISIBLE.test(value) : value !== undefined && value !== null;
}

/** The first text that is present. */
export function firstPresent(...texts: (string | null | undefined)[]): string | undefined {
  return texts.find(isPresent) ?? undefined;
}
