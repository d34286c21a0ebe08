/** Parses short values: numbers, choices, attributes, persons, transcripts. */
import { attributeValue } from "./attributes.ts";
import type { WarnFn } from "./warn.ts";
import { decodeEntities, normalizeLine, normalizeText } from "./text.ts";
import { fitKeywords } from "../text/keywords.ts";
import { escapeXml } from "../text/xml_text.ts";
import { isUnsafeText } from "./unmodelled_elements.ts";
import type { Account } from "./losses.ts";
import { type Draft, excerptOf, MAX_LIST_ITEMS, pathOf, type RawElement } from "./element_rules.ts";
import type { Person, Transcript } from "./feed.ts";
import { resolveUrl } from "./url.ts";

/** Parses a non-negative integer. */
export function parseInteger(raw: string | undefined, warn: WarnFn): number | null {
  const text = raw?.trim();
  if (!text) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  warn("NUMBER_INVALID", text);
  return null;
}

/** Parses one of the choices, ignoring letter case. */
export function parseChoice<T>(choices: Record<string, T>, raw: string | undefined, warn: WarnFn): T | null {
  const text = raw?.trim().toLowerCase();
  if (!text) return null;
  if (Object.hasOwn(choices, text)) return choices[text];
  warn("VALUE_UNKNOWN", text);
  return null;
}

/** itunes:explicit, including its values before 2019. */
const EXPLICIT = { true: true, yes: true, explicit: true, false: false, no: false, clean: false };
/** podcast:locked, itunes:block, itunes:complete and podcast:block. */
export const YES_OR_NO = { yes: true, true: true, no: false, false: false };
export const EPISODE_TYPES = { full: "full", trailer: "trailer", bonus: "bonus" } as const;
export const SHOW_TYPES = { episodic: "episodic", serial: "serial" } as const;

export const parseExplicit = (raw: string, warn: WarnFn) => parseChoice<boolean>(EXPLICIT, raw, warn);
export const parseYesOrNo = (raw: string, warn: WarnFn) => parseChoice<boolean>(YES_OR_NO, raw, warn);

/** The base of relative URLs, and where repairs and losses are reported. */
export interface Context extends Draft {
  base: string;
}

/** Parses a value and reports it as lost if it is invalid. */
export function parseOrLose<T>(
  path: string,
  raw: string | undefined,
  parse: (raw: string, warn: WarnFn) => T | null,
  { warn, lose }: Draft,
): T | null {
  if (!raw?.trim()) return null;
  const parsed = parse(raw, warn);
  if (parsed === null) lose(path, "INVALID", raw);
  return parsed;
}

/** Parses an attribute, whose name is written as in its specification; undefined if it is missing or invalid. */
function parseAttribute<T>(
  element: RawElement,
  name: string,
  parse: (raw: string, warn: WarnFn) => T | null,
  context: Context,
): T | undefined {
  const raw = attributeValue(element.attributes, name.toLowerCase());
  if (!raw?.trim()) return;
  const parsed = parse(decodeEntities(raw, context.warn), context.warn);
  if (parsed !== null) return parsed;
  context.lose(`${pathOf(element)}/@${name}`, "INVALID", raw);
}

/** Carries a text that no column holds. What is shortened is lost. */
export function carryText(
  name: string,
  raw: string | undefined,
  account: Pick<Account, "carry" | "lose">,
  shorten = (text: string) => text,
) {
  const text = normalizeText(raw);
  if (text === null) return;
  if (isUnsafeText(text)) account.lose(name, "UNSAFE", text);
  else {
    const shown = shorten(text);
    if (shown !== text) account.lose(name, "LIMIT", text);
    account.carry(name, `<${name}>${escapeXml(shown)}</${name}>`);
  }
}

/** The normalized text of an attribute. */
export const attributeText = (element: RawElement, name: string, context: Context) =>
  parseAttribute(element, name, normalizeLine, context);

export const attributeUrl = (element: RawElement, name: string, context: Context) =>
  parseAttribute(element, name, (raw, warn) => resolveUrl(raw, context.base, warn), context);

/** Numbers that a double holds exactly. */
const EXACT = /^(?:\d{1,15}|\d{1,9}\.\d{1,6})$/;

/** A number, or the text that the database repairs or rejects (private.repair_by_shape). */
export function attributeNumber(element: RawElement, name: string, context: Context): number | string | undefined {
  const text = attributeText(element, name, context);
  return text !== undefined && EXACT.test(text) ? Number(text) : text;
}

/** One of the choices, or the text that the database rejects. */
export function attributeChoice<T>(element: RawElement, name: string, choices: Record<string, T>, context: Context) {
  const text = attributeText(element, name, context);
  return text === undefined ? undefined : parseChoice(choices, text, () => {}) ?? text;
}

/** A URL of any scheme that opens no script and no local file, such as `ipfs:` or `nostr:`. */
export const attributeUri = (element: RawElement, name: string, context: Context) =>
  parseAttribute(element, name, (raw, warn) => parseUri(raw, context.base, warn), context);

const OTHER_SCHEME =
  /^(?!https?:|javascript:|vbscript:|data:|file:|blob:|about:)[a-z][a-z0-9+.-]{1,30}:[\x21-\x7e\u00a0-\uffff]+$/i;

function parseUri(raw: string, base: string, warn: WarnFn): string | null {
  const text = raw.trim();
  return OTHER_SCHEME.test(text) ? text : resolveUrl(raw, base, warn);
}

export const NO_LIST: never[] = [];

/** Parses a list; elements that cannot be used are reported as lost. */
export function parseList<T>(
  elements: RawElement[] | undefined,
  parse: (element: RawElement, context: Context) => T | undefined,
  context: Context,
): T[] {
  if (!elements?.length) return NO_LIST;
  const list: T[] = [];
  for (const element of elements) {
    const parsed = parse(element, context);
    if (parsed !== undefined) list.push(parsed);
    else if (element.text.trim() || element.attributes.length || element.children.length) {
      context.lose(pathOf(element), "INVALID", excerptOf(element));
    }
  }
  return list;
}

/** Leaves out missing members. */
export function compact<T extends object>(members: T): T {
  const present = {} as T;
  for (const key in members) if (members[key] !== undefined) present[key] = members[key];
  return present;
}

/** https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/tags/person.md */
export function parsePerson(element: RawElement, context: Context): Person | undefined {
  const name = normalizeLine(element.text, context.warn);
  return name === null ? undefined : {
    name,
    role: attributeText(element, "role", context) ?? null,
    group: attributeText(element, "group", context) ?? null,
    img: attributeUrl(element, "img", context) ?? null,
    href: attributeUrl(element, "href", context) ?? null,
  };
}
export const PERSON_ATTRIBUTES = ["role", "group", "img", "href"];

/** https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/tags/transcript.md */
export function parseTranscript(element: RawElement, context: Context): Transcript | undefined {
  const url = attributeUrl(element, "url", context);
  return url === undefined ? undefined : {
    url,
    type: attributeText(element, "type", context) ?? null,
    language: attributeText(element, "language", context) ?? null,
    rel: attributeText(element, "rel", context) ?? null,
  };
}
export const TRANSCRIPT_ATTRIBUTES = ["url", "type", "language", "rel"];

/** Comma-separated words, each once. */
export function splitKeywords(lists: RawElement[] | undefined, { warn, lose }: Draft): string[] {
  if (!lists?.length) return NO_LIST;
  const words = lists.flatMap(({ text }) => text.split(",")).map(normalizeText).filter((word) => word !== null);
  const distinct = [...new Set(words)];
  if (distinct.length > MAX_LIST_ITEMS) {
    warn("LIST_TRUNCATED");
    lose(pathOf(lists[0]), "LIMIT", distinct.slice(MAX_LIST_ITEMS).join(", "));
  }
  const kept = distinct.slice(0, MAX_LIST_ITEMS), shown = fitKeywords(kept);
  if (shown.length < kept.length) {
    lose(pathOf(lists[0]), "LIMIT", kept.filter((word) => !shown.includes(word)).join(", "));
  }
  return kept;
}
