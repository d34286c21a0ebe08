/** Parses short values: numbers, choices, persons, transcripts. */
import { type Attributes, attributeValue, parseAttributes } from "./attributes.ts";
import type { WarnFn } from "./warn.ts";
import { decodeEntities, normalizeLine, normalizeText } from "./text.ts";
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
export const EXPLICIT = { true: true, yes: true, explicit: true, false: false, no: false, clean: false };
/** podcast:locked and itunes:block. */
export const YES_OR_NO = { yes: true, true: true, no: false, false: false };
export const EPISODE_TYPES = { full: "full", trailer: "trailer", bonus: "bonus" } as const;
export const SHOW_TYPES = { episodic: "episodic", serial: "serial" } as const;

/** An element with its unparsed attributes and its text. */
export interface RawElement {
  attributes: string;
  text: string;
}

/** The normalized text of an attribute; null if missing. */
export function attributeText(attributes: Attributes, name: string, warn: WarnFn): string | null {
  const raw = attributeValue(attributes, name);
  return raw === undefined ? null : normalizeLine(decodeEntities(raw, warn), warn);
}

export const attributeUrl = (attributes: Attributes, name: string, base: string, warn: WarnFn) =>
  resolveUrl(attributeText(attributes, name, warn) ?? undefined, base, warn);

/** https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/tags/person.md */
export function parsePersons(raw: RawElement[], base: string, warn: WarnFn): Person[] {
  const people: Person[] = [];
  for (const element of raw) {
    const name = normalizeLine(element.text, warn);
    if (!name) continue;
    const attributes = parseAttributes(element.attributes);
    people.push({
      name,
      role: attributeText(attributes, "role", warn),
      group: attributeText(attributes, "group", warn),
      img: attributeUrl(attributes, "img", base, warn),
      href: attributeUrl(attributes, "href", base, warn),
    });
  }
  return people;
}

/** https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/tags/transcript.md */
export function parseTranscripts(raw: RawElement[], base: string, warn: WarnFn): Transcript[] {
  const transcripts: Transcript[] = [];
  for (const element of raw) {
    const attributes = parseAttributes(element.attributes);
    const url = attributeUrl(attributes, "url", base, warn);
    if (!url) continue;
    transcripts.push({
      url,
      type: attributeText(attributes, "type", warn),
      language: attributeText(attributes, "language", warn),
      rel: attributeText(attributes, "rel", warn),
    });
  }
  return transcripts;
}

/** Comma-separated words, each once. */
export function splitKeywords(lists: string[]): string[] {
  if (!lists.length) return [];
  const all = lists.flatMap((list) => list.split(",")).map(normalizeText).filter((word) => word !== null);
  return [...new Set(all)];
}
