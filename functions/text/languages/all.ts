/** The texts of all languages, for the server. The player has English and loads the others. */
import * as ar from "./ar.ts";
import * as de from "./de.ts";
import * as en from "./en.ts";
import * as es from "./es.ts";
import * as fr from "./fr.ts";
import * as ja from "./ja.ts";
import * as pt from "./pt.ts";
import type { Language, Texts } from "./texts.ts";

export const TEXTS: Record<Language, Texts> = { ar, de, en, es, fr, ja, pt };

/** What the player needs. */
export const playerTexts = (language: Language) => ({ ...TEXTS[language].shared, ...TEXTS[language].player });
