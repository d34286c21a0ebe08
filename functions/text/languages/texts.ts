/**
 * The texts of what listeners and guests see, by language: one file each. `en.ts` defines the keys. A browser's script
 * contains only the sections that it imports.
 */
import type * as english from "./en.ts";

type Section<S> = Record<keyof S, string>;
/** By section. */
export type Texts = { [S in keyof typeof english]: Section<typeof english[S]> };

/** The languages that have texts, as in BCP 47; the first is the default. */
export const LANGUAGES = ["en", "de", "es", "fr", "pt", "ar", "ja"] as const;
export type Language = typeof LANGUAGES[number];

/** The language of the texts for a BCP 47 tag: its own if it has texts, else English. */
export const languageOf = (tag: string): Language =>
  LANGUAGES.find((language) => language === tag.split("-")[0].toLowerCase()) ?? LANGUAGES[0];

/**
 * The tag for dates and numbers: that of the podcast, with its region, if its language has texts, else English. The
 * calendar is that of feeds, also where another is usual.
 */
export function formatTag(tag: string): string {
  const language = languageOf(tag);
  try {
    const locale = new Intl.Locale(tag), hasTexts = locale.language === language;
    return new Intl.Locale(hasTexts ? locale : language, { calendar: "gregory" }).toString();
  } catch {
    return language; // no tag that Unicode knows
  }
}

/** Replaces {0}, {1} … by the values. */
export const fill = (text: string, ...values: (string | number)[]) =>
  text.replace(/\{(\d)\}/g, (_, n) => values[n] as string);
