/** The forms in which titles label their number: one registry, matched in this order. */
import {
  AMBIGUOUS_LABELS,
  CJK_EPISODE_SUFFIXES,
  CJK_SEASON_SUFFIXES,
  EPISODE_LABELS,
  HANGUL_EPISODE_SUFFIXES,
  HANGUL_SEASON_SUFFIXES,
  MAYBE_EPISODE_LABELS,
  SEASON_LABELS,
  SEASON_SUFFIX_LABELS,
  SUFFIX_LABELS,
} from "./label_words.ts";
import type { Tier } from "./numbering.ts";
import { mayHaveNumberWords, NUMBER_WORD, parseCjkNumber, parseNumberWord } from "./words.ts";

/** Not within a word. Scripts without spaces may precede a Latin label: 节目ep12. */
const START =
  "(?<![\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{Script=Arabic}\\p{Script=Hebrew}\\p{N}]|[\\p{L}]['’])";
/** Separators between a label and its number. */
const GAP = "(?:[ .:_]|[-–—](?= ?\\d)){0,3}(?:(?:no|nr|num|numero|number|c|c\\.|n)?[.°]? ?[#№]? ?)?";
/** Weak labels need a short gap: `Night - 53` ends in 53, and CZ55 is a name with a number. */
const SHORT_GAP = "(?: |[.:]) ?[#№]? ?";
/**
 * End of a number: no letter (12a), no decimal (12.5), no date (12/5/2019), no range (12-13). A fraction may follow
 * (3/8).
 */
const STOP = "(?![\\d%]|[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}])" +
  "(?!\\.\\d|,\\d|[-–—&+/]\\d{1,4}[-/.]\\d|[-–&+]\\d|/(?:19|20)\\d\\d)";
const NUMBER = `(\\d{1,9})${STOP}`;

interface Form {
  /** The first group is the number; in seasoned forms it is the season, and the second group the number. */
  pattern: RegExp;
  key: string;
  tier: Tier;
  hasSeason?: true;
}

/** Marks a number before its noun as an ordinal; not needed at the start of a title. */
const COUNTS = "(?:\\.|-?(?:ыи|ии|и|ая|я)|(?<=^[^\\p{L}\\p{N}]*\\d+))";

const form = (key: string, tier: Tier, source: string): Form => ({ key, tier, pattern: new RegExp(source, "u") });
const seasonForm = (tier: Tier, source: string): Form => ({
  ...form(tier === "labeled" ? "se" : "dotted", tier, source),
  hasSeason: true,
});

export const FORMS: readonly Form[] = [
  // S2E5, S02 - EP 05, T2:E5, S2 #5
  seasonForm(
    "labeled",
    `${START}[stk]\\.? ?(\\d{1,3})[ ._:|,/·•-]{0,3}(?:eps?|episode|folge|afl|[exabfj])[ .:#-]{0,3}${NUMBER}`,
  ),
  seasonForm("labeled", `${START}s(\\d{1,3})[ .:|,-]{0,3}#${NUMBER}`),
  // C2E045, as campaigns and volumes are counted
  seasonForm("labeled", `${START}[a-z](\\d{1,2})(?:ep|e)${NUMBER}`),
  // Episode 2.5: only if the whole feed uses it
  seasonForm("bare", `${START}(?:${EPISODE_LABELS})[ .:]{0,2}(\\d{1,2})\\.${NUMBER}`),
  // 2x05
  seasonForm("labeled", `(?<![\\p{L}\\p{N}.,-])(\\d{1,2})[x×](\\d{2,3})(?![\\p{L}\\p{N}.,])`),
  // 第12期, 제5회, 5화
  form("ep", "labeled", `第 ?(\\d{1,5}) ?[${CJK_EPISODE_SUFFIXES}]`),
  form("ep", "labeled", `(?<![\\d.,~-])(\\d{1,5}) ?(?:${HANGUL_EPISODE_SUFFIXES})(?![\\p{Script=Hangul}])`),
  form("ep", "prefixed", `(?<![\\d.,~-])(\\d{1,5}) ?[期集回話话]`),
  // 5. Folge, 5-й выпуск, and at the start 5 выпуск: before the next form because of `5. Folge: 10 Jahre`
  form("ep", "labeled", `(?<![\\p{L}\\d.,/-])(\\d{1,5})${COUNTS} ?(?:${SUFFIX_LABELS})(?![\\p{L}])`),
  // Episode 5, Folge #5, Ep. No. 5
  form("ep", "labeled", `${START}(?:${EPISODE_LABELS})${GAP}${NUMBER}`),
  // #5, №5, n°5
  form("hash", "prefixed", `(?:[#№]|${START}n°) ?${NUMBER}(?!-?\\p{L})`),
  form("maybe", "prefixed", `${START}(?:(?:${MAYBE_EPISODE_LABELS})${SHORT_GAP}|e)${NUMBER}`),
  form("ambiguous", "ambiguous", `${START}(?:${AMBIGUOUS_LABELS})${SHORT_GAP}${NUMBER}`),
];

/** Season 2, S2, 2. Staffel, 第2季: masked, and passed on to the readings. */
export const SEASONS: readonly RegExp[] = [
  new RegExp(`(?<![\\d.,])(\\d{1,3})${COUNTS} ?(?:${SEASON_SUFFIX_LABELS})(?![\\p{L}])`, "u"),
  new RegExp(`${START}(?:${SEASON_LABELS})[ .:-]{0,2}(\\d{1,3})(?!\\d|[.,]\\d)`, "u"),
  new RegExp(
    `第 ?(\\d{1,3}) ?[${CJK_SEASON_SUFFIXES}]|(?<!\\d)(\\d{1,3}) ?(?:${HANGUL_SEASON_SUFFIXES})(?![\\p{Script=Hangul}])`,
    "u",
  ),
  new RegExp(`${START}[st](\\d{1,2})(?![\\d.,\\p{L}])`, "u"),
];

const SPELLED_CJK = new RegExp(
  `第 ?([零〇一二两兩三四五六七八九十百千]{1,7}) ?(?=[${CJK_EPISODE_SUFFIXES}${CJK_SEASON_SUFFIXES}])`,
  "gu",
);
const SPELLED = new RegExp(
  `(${START}(?:${EPISODE_LABELS}|chapter|kapitel|chapitre|capitolo|lesson|season|staffel|saison|temporada) )` +
    `(${NUMBER_WORD}|[ivxlc]{1,7})(?= ?[-–—:|,.()\\]]|$)`,
  "gu",
);

/** Replaces spelled-out numbers after a label by digits. This changes offsets, so it runs first. */
export function wordsToDigits(text: string, folded: string): { text: string; folded: string } {
  if (folded.includes("第")) {
    text = text.replace(SPELLED_CJK, (_, number) => `第${parseCjkNumber(number)}`);
    folded = folded.replace(SPELLED_CJK, (_, number) => `第${parseCjkNumber(number)}`);
  }
  if (!mayHaveNumberWords(folded)) return { text, folded };
  for (const match of [...folded.matchAll(SPELLED)].reverse()) {
    const value = parseNumberWord(match[2]);
    if (value === null) continue;
    const from = match.index + match[1].length, to = from + match[2].length;
    text = text.slice(0, from) + value + text.slice(to);
    folded = folded.slice(0, from) + value + folded.slice(to);
  }
  return { text, folded };
}
