/** The texts of the player: English is in the script, another language in a page of the service, or it is loaded. */
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

/** A text that came with a later version of the script is English. */
const keep = (language: Language, texts: object) =>
  loaded.set(language, { texts: { ...ENGLISH.texts, ...texts }, language });

const inPage = document.getElementById("castbase-texts");
if (inPage) keep(inPage.lang as Language, JSON.parse(inPage.textContent!));

/** The texts for a language tag if they are there already, else in English. */
export const textsNow = (tag: string): LoadedTexts => loaded.get(languageOf(tag)) ?? ENGLISH;

/** The texts for a language tag, in English if they cannot be loaded. */
export async function loadTexts(base: string, tag: string, signal: AbortSignal): Promise<LoadedTexts> {
  const language = languageOf(tag);
  try {
    if (!loaded.has(language)) keep(language, await getJson(`${base}/player/texts/${language}.json`, signal));
  } catch { /* the player is more than its language */ }
  return textsNow(tag);
}
