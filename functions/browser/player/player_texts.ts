/** The texts of the player: English is in the script, and the others are loaded. */
import { player, shared } from "../../text/languages/en.ts";
import { type Language, languageOf, LANGUAGES } from "../../text/languages/texts.ts";
import { getJson } from "./data.ts";

export type PlayerTexts = Record<keyof typeof player | keyof typeof shared, string>;

export interface LoadedTexts {
  texts: PlayerTexts;
  /** Language of the texts. */
  language: Language;
}

export const ENGLISH: LoadedTexts = { texts: { ...shared, ...player }, language: LANGUAGES[0] };

const loaded = new Map<Language, LoadedTexts>([[ENGLISH.language, ENGLISH]]);

/** The texts for a language tag if they are loaded already, else in English. */
export const textsNow = (tag: string): LoadedTexts => loaded.get(languageOf(tag)) ?? ENGLISH;

/** The texts for a language tag, in English if they cannot be loaded. */
export async function loadTexts(base: string, tag: string, signal: AbortSignal): Promise<LoadedTexts> {
  const language = languageOf(tag), known = loaded.get(language);
  if (known) return known;
  try {
    const texts = await getJson(`${base}/player/texts/${language}.json`, signal);
    loaded.set(language, { texts, language });
  } catch { /* the player is more than its language */ }
  return textsNow(tag);
}
