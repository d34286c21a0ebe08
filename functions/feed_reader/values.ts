/** What feeds say in few words: numbers, yes and no, one of several, people. */
import { type Attributes, attributesOf, valueOf } from "./attributes.ts";
import type { Note } from "./warn.ts";
import { clean, decoded, line } from "./text.ts";
import type { Person, Transcript } from "./types.ts";
import { address } from "./url.ts";

/** A whole number that is not negative. */
export function whole(written: string | undefined, note: Note): number | null {
  const text = written?.trim();
  if (!text) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  note("NUMBER_UNREADABLE", text);
  return null;
}

/** One of these, in whatever case it is written. */
export function oneOf<T>(choices: Record<string, T>, written: string | undefined, note: Note): T | null {
  const text = written?.trim().toLowerCase();
  if (!text) return null;
  if (Object.hasOwn(choices, text)) return choices[text];
  note("VALUE_UNKNOWN", text);
  return null;
}

/** itunes:explicit, with the words it had before 2019. */
export const EXPLICIT = { true: true, yes: true, explicit: true, false: false, no: false, clean: false };
/** podcast:locked and itunes:block. */
export const YES_OR_NO = { yes: true, true: true, no: false, false: false };
export const EPISODE_TYPES = { full: "full", trailer: "trailer", bonus: "bonus" } as const;
export const SHOW_TYPES = { episodic: "episodic", serial: "serial" } as const;

/** An element whose attributes and text are read when it is over. */
export interface Written {
  attributes: string;
  text: string;
}

/** An attribute's text, null when there is none. */
export function said(attributes: Attributes, name: string, note: Note): string | null {
  const raw = valueOf(attributes, name);
  return raw === undefined ? null : line(decoded(raw, note), note);
}

export const saidAddress = (attributes: Attributes, name: string, base: string, note: Note) =>
  address(said(attributes, name, note) ?? undefined, base, note);

/** https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/tags/person.md */
export function peopleOf(written: Written[], base: string, note: Note): Person[] {
  const people: Person[] = [];
  for (const element of written) {
    const name = line(element.text, note);
    if (!name) continue;
    const attributes = attributesOf(element.attributes);
    people.push({
      name,
      role: said(attributes, "role", note),
      group: said(attributes, "group", note),
      img: saidAddress(attributes, "img", base, note),
      href: saidAddress(attributes, "href", base, note),
    });
  }
  return people;
}

/** https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/tags/transcript.md */
export function transcriptsOf(written: Written[], base: string, note: Note): Transcript[] {
  const transcripts: Transcript[] = [];
  for (const element of written) {
    const attributes = attributesOf(element.attributes);
    const url = saidAddress(attributes, "url", base, note);
    if (!url) continue;
    transcripts.push({
      url,
      type: said(attributes, "type", note),
      language: said(attributes, "language", note),
      rel: said(attributes, "rel", note),
    });
  }
  return transcripts;
}

/** Words between commas, each once. */
export function words(lists: string[]): string[] {
  if (!lists.length) return [];
  const all = lists.flatMap((list) => list.split(",")).map(clean).filter((word) => word !== null);
  return [...new Set(all)];
}
