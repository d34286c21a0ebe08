/** Words that mark an item as a repeat or as a side item. */
import { REPEAT_LABELS, SIDE_LABELS } from "./label_words.ts";
import { MASK_CHAR } from "./mask_numbers.ts";

const sideWords = new Set(SIDE_LABELS.split("|")), repeatWords = new Set(REPEAT_LABELS.split("|"));
/** Scripts without spaces: these occur within other words. */
const SIDE_CJK = /番外|预告|予告|特別編|特别篇|おまけ|加更/;
const SIDE_PHRASE = /hors[ -]serie|q&a/;
const REPEAT_PHRASE = /[(\[]r[)\]]|best of|from the vault|再放送|重播|재방송/;

const WORD = /[\p{L}\p{N}][\p{L}\p{N}&-]*/gu;

export function findMarkers(folded: string): { isSide: boolean; isRepeat: boolean } {
  let isSide = SIDE_PHRASE.test(folded) || SIDE_CJK.test(folded), isRepeat = REPEAT_PHRASE.test(folded);
  for (const [word] of folded.matchAll(WORD)) {
    isSide ||= sideWords.has(word);
    isRepeat ||= repeatWords.has(word);
  }
  return { isSide, isRepeat };
}

const isMarker = (word: string): boolean =>
  sideWords.has(word) || repeatWords.has(word) || word === "r" || SIDE_CJK.test(word);
const SIGNS_AND_WORD = new RegExp(`([^\\p{L}\\p{N}${MASK_CHAR}#№]*)([\\p{L}\\p{N}][\\p{L}\\p{N}&-]*)?`, "uy");

/** Offset of the title behind such words and signs: `[Rerun] 45 - …` begins with 45. */
export function skipMarkers(text: string): number {
  let at = 0;
  while (at < text.length) {
    SIGNS_AND_WORD.lastIndex = at;
    const [all, signs, word] = SIGNS_AND_WORD.exec(text)!;
    if (word === undefined || !isMarker(word)) return at + signs.length;
    at += all.length;
  }
  return at;
}

/** Whether the text consists of such words and signs: `… - 9 (replay)` ends with 9. */
export function isOnlyMarkers(text: string): boolean {
  for (const [word] of text.matchAll(WORD)) if (!isMarker(word)) return false;
  return true;
}

const LAST_WORDS =
  /([\p{L}&-]+)[ -]?(?:(?:episode|ep|folge|no|nr|n°|avsnitt|выпуск|episodio)(?![\p{L}]))?[ .:#№-]{0,3}$/u;

/** Whether the number after this text counts side items: `Bonus 3`, `Special #2`. */
export function isSideCount(before: string): boolean {
  const word = LAST_WORDS.exec(before.slice(-40))?.[1];
  return word !== undefined && sideWords.has(word);
}
