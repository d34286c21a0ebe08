/** The forms in which a title says what its number counts: one registry, read in this order. */
import {
  AFTER,
  AFTER_SEASON,
  CJK_EPISODE,
  CJK_SEASON,
  DOUBTFUL,
  EPISODE,
  HANGUL_EPISODE,
  HANGUL_SEASON,
  MAYBE_EPISODE,
  SEASON,
} from "./label_words.ts";
import type { Tier } from "./types.ts";
import { cjkNumber, mayHaveWords, NUMBER_WORD, wordNumber } from "./words.ts";

/** Not within a word. Scripts without spaces may stand before a Latin label: 节目ep12. */
const START =
  "(?<![\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{Script=Arabic}\\p{Script=Hebrew}\\p{N}]|[\\p{L}]['’])";
/** What may stand between a label and its number. */
const GAP = "(?:[ .:_]|[-–—](?= ?\\d)){0,3}(?:(?:no|nr|num|numero|number|c|c\\.|n)?[.°]? ?[#№]? ?)?";
/** Labels that say less stand close, but apart: `Night - 53` ends in 53, and CZ55 is a name with a number. */
const SHORT_GAP = "(?: |[.:]) ?[#№]? ?";
/**
 * The number ends here: no letter (12a), no decimal (12.5), no date (12/5/2019), no range (12-13). A part of a whole may
 * follow (3/8).
 */
const STOP = "(?![\\d%]|[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}])" +
  "(?!\\.\\d|,\\d|[-–—&+/]\\d{1,4}[-/.]\\d|[-–&+]\\d|/(?:19|20)\\d\\d)";
const NUMBER = `(\\d{1,9})${STOP}`;

export interface Form {
  /** The first group is the number; of `se` forms the first is the season and the second the number. */
  pattern: RegExp;
  key: string;
  tier: Tier;
  hasSeason?: true;
}

/** What makes a number that stands before its noun count it; at the start of a title nothing need do so. */
const COUNTS = "(?:\\.|-?(?:ыи|ии|и|ая|я)|(?<=^[^\\p{L}\\p{N}]*\\d+))";

const form = (key: string, tier: Tier, source: string): Form => ({ key, tier, pattern: new RegExp(source, "u") });
const seasoned = (tier: Tier, source: string): Form => ({
  ...form(tier === "named" ? "se" : "dotted", tier, source),
  hasSeason: true,
});

export const FORMS: readonly Form[] = [
  // S2E5, S02 - EP 05, T2:E5, S2 #5
  seasoned(
    "named",
    `${START}[stk]\\.? ?(\\d{1,3})[ ._:|,/·•-]{0,3}(?:eps?|episode|folge|afl|[exabfj])[ .:#-]{0,3}${NUMBER}`,
  ),
  seasoned("named", `${START}s(\\d{1,3})[ .:|,-]{0,3}#${NUMBER}`),
  // C2E045, as campaigns and volumes are counted
  seasoned("named", `${START}[a-z](\\d{1,2})(?:ep|e)${NUMBER}`),
  // Episode 2.5: only where the whole feed has it so
  seasoned("bare", `${START}(?:${EPISODE})[ .:]{0,2}(\\d{1,2})\\.${NUMBER}`),
  // 2x05
  seasoned("named", `(?<![\\p{L}\\p{N}.,-])(\\d{1,2})[x×](\\d{2,3})(?![\\p{L}\\p{N}.,])`),
  // 第12期, 제5회, 5화
  form("ep", "named", `第 ?(\\d{1,5}) ?[${CJK_EPISODE}]`),
  form("ep", "named", `(?<![\\d.,~-])(\\d{1,5}) ?(?:${HANGUL_EPISODE})(?![\\p{Script=Hangul}])`),
  form("ep", "marked", `(?<![\\d.,~-])(\\d{1,5}) ?[期集回話话]`),
  // 5. Folge, 5-й выпуск, and at the start 5 выпуск: before the form that follows, for `5. Folge: 10 Jahre`
  form("ep", "named", `(?<![\\p{L}\\d.,/-])(\\d{1,5})${COUNTS} ?(?:${AFTER})(?![\\p{L}])`),
  // Episode 5, Folge #5, Ep. No. 5
  form("ep", "named", `${START}(?:${EPISODE})${GAP}${NUMBER}`),
  // #5, №5, n°5
  form("hash", "marked", `(?:[#№]|${START}n°) ?${NUMBER}(?!-?\\p{L})`),
  form("maybe", "marked", `${START}(?:(?:${MAYBE_EPISODE})${SHORT_GAP}|e)${NUMBER}`),
  form("doubtful", "doubtful", `${START}(?:${DOUBTFUL})${SHORT_GAP}${NUMBER}`),
];

/** Season 2, S2, 2. Staffel, 第2季: struck out, and told to the readings. */
export const SEASONS: readonly RegExp[] = [
  new RegExp(`(?<![\\d.,])(\\d{1,3})${COUNTS} ?(?:${AFTER_SEASON})(?![\\p{L}])`, "u"),
  new RegExp(`${START}(?:${SEASON})[ .:-]{0,2}(\\d{1,3})(?!\\d|[.,]\\d)`, "u"),
  new RegExp(`第 ?(\\d{1,3}) ?[${CJK_SEASON}]|(?<!\\d)(\\d{1,3}) ?(?:${HANGUL_SEASON})(?![\\p{Script=Hangul}])`, "u"),
  new RegExp(`${START}[st](\\d{1,2})(?![\\d.,\\p{L}])`, "u"),
];

const SPELT_CJK = new RegExp(`第 ?([零〇一二两兩三四五六七八九十百千]{1,7}) ?(?=[${CJK_EPISODE}${CJK_SEASON}])`, "gu");
const SPELT = new RegExp(
  `(${START}(?:${EPISODE}|chapter|kapitel|chapitre|capitolo|lesson|season|staffel|saison|temporada) )` +
    `(${NUMBER_WORD}|[ivxlc]{1,7})(?= ?[-–—:|,.()\\]]|$)`,
  "gu",
);

/** The text with numbers that stand in words after a label in digits. Offsets change: before everything else. */
export function inDigits(text: string, folded: string): { text: string; folded: string } {
  if (folded.includes("第")) {
    text = text.replace(SPELT_CJK, (_, number) => `第${cjkNumber(number)}`);
    folded = folded.replace(SPELT_CJK, (_, number) => `第${cjkNumber(number)}`);
  }
  if (!mayHaveWords(folded)) return { text, folded };
  for (const match of [...folded.matchAll(SPELT)].reverse()) {
    const value = wordNumber(match[2]);
    if (value === null) continue;
    const from = match.index + match[1].length, to = from + match[2].length;
    text = text.slice(0, from) + value + text.slice(to);
    folded = folded.slice(0, from) + value + folded.slice(to);
  }
  return { text, folded };
}
