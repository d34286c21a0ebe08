/** Words that say of an item what it is: published before, or beside the series. */
import { AGAIN, SIDE } from "./label_words.ts";
import { STRUCK } from "./mask.ts";

const side = new Set(SIDE.split("|")), again = new Set(AGAIN.split("|"));
/** Scripts without spaces: these stand within other words. */
const CJK_SIDE = /番外|预告|予告|特別編|特别篇|おまけ|加更/;
const PHRASE_SIDE = /hors[ -]serie|q&a/;
const PHRASE_AGAIN = /[(\[]r[)\]]|best of|from the vault|再放送|重播|재방송/;

const WORD = /[\p{L}\p{N}][\p{L}\p{N}&-]*/gu;

export function marks(folded: string): { isSide: boolean; isAgain: boolean } {
  let isSide = PHRASE_SIDE.test(folded) || CJK_SIDE.test(folded), isAgain = PHRASE_AGAIN.test(folded);
  for (const [word] of folded.matchAll(WORD)) {
    isSide ||= side.has(word);
    isAgain ||= again.has(word);
  }
  return { isSide, isAgain };
}

const isMark = (word: string): boolean => side.has(word) || again.has(word) || word === "r" || CJK_SIDE.test(word);
const SIGNS_AND_WORD = new RegExp(`([^\\p{L}\\p{N}${STRUCK}#№]*)([\\p{L}\\p{N}][\\p{L}\\p{N}&-]*)?`, "uy");

/** Where the title begins behind such words and signs: `[Rerun] 45 - …` begins with 45. */
export function lead(text: string): number {
  let at = 0;
  while (at < text.length) {
    SIGNS_AND_WORD.lastIndex = at;
    const [all, signs, word] = SIGNS_AND_WORD.exec(text)!;
    if (word === undefined || !isMark(word)) return at + signs.length;
    at += all.length;
  }
  return at;
}

/** Whether nothing but such words and signs is there: `… - 9 (replay)` ends with 9. */
export function isTail(text: string): boolean {
  for (const [word] of text.matchAll(WORD)) if (!isMark(word)) return false;
  return true;
}

const LAST_WORDS =
  /([\p{L}&-]+)[ -]?(?:(?:episode|ep|folge|no|nr|n°|avsnitt|выпуск|episodio)(?![\p{L}]))?[ .:#№-]{0,3}$/u;

/** Whether the number behind this text counts such things: `Bonus 3`, `Special #2`. */
export function countsSide(before: string): boolean {
  const word = LAST_WORDS.exec(before.slice(-40))?.[1];
  return word !== undefined && side.has(word);
}
