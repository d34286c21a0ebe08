/** Reads the numbers of one title, each with the slots that it may belong to. */
import { FORMS, SEASONS, wordsToDigits } from "./labeled_forms.ts";
import { findMarkers, isOnlyMarkers, isSideCount, skipMarkers } from "./side_and_repeat_words.ts";
import { MASK_CHAR, maskNonEpisodeNumbers, maskText } from "./mask_numbers.ts";
import { normalizeTitle } from "./title.ts";
import type { Reading, SlotKey, Tier } from "./numbering.ts";

export interface TitleNumbers {
  readings: Reading[];
  /** A word marks it as a bonus, trailer or similar. */
  isSide: boolean;
  /** A word marks it as a repeat. */
  isRepeat: boolean;
}

/** Limit of digit runs per title. */
const MAX_DIGIT_RUNS = 12;

export function readTitleNumbers(raw: string): TitleNumbers {
  const title = normalizeTitle(raw);
  const { text, folded } = wordsToDigits(title.text, title.folded);
  const flags = findMarkers(folded);
  if (!/\d/.test(folded)) return { readings: [], ...flags };
  const readings: Reading[] = [], letters = folded.replace(/[^\p{L}]+/gu, "");
  let left = folded, season: number | null = null;

  const add = (at: number, digits: string, own: SlotKey[], itsSeason = season) => {
    const value = Number(digits);
    if (value > 99_999) return;
    const before = left.slice(0, at), from = Math.min(at, skipMarkers(left));
    const slots = [...own, ...prefixSlots(before.slice(from), text.slice(from), at - from, own[0]?.tier ?? "bare")];
    if (slots.length === 0) return;
    readings.push({ value, season: itsSeason, at, slots, words: `${value} ${letters}`, isSide: isSideCount(before) });
  };
  const maskRange = (from: number, to: number) =>
    left = left.slice(0, from) + maskText(left.slice(from, to)) + left.slice(to);

  for (const { pattern, key, tier, hasSeason } of FORMS.filter((form) => form.hasSeason)) {
    const match = pattern.exec(left);
    if (!match) continue;
    const at = match.index + match[0].lastIndexOf(match[2]);
    season = Number(match[1]);
    add(at, match[2], [{ key, tier, shape: describeShape(text, match, at, match[2], match[1]) }]);
    maskRange(match.index, match.index + match[0].length);
    if (hasSeason) break;
  }
  for (const pattern of SEASONS) {
    const match = pattern.exec(left);
    if (!match) continue;
    season ??= Number(match[1] ?? match[2]);
    maskRange(match.index, match.index + match[0].length);
  }
  const dotted = /^[^\p{L}\p{N}#№]*(\d{1,2})\.(\d{1,9})(?=\s*[-–—:|)]| \D)/u.exec(left);
  if (dotted) {
    const at = dotted[0].length - dotted[2].length;
    add(at, dotted[2], [{ key: "dotted", tier: "bare", shape: "{s}.{n}" }], Number(dotted[1]));
    maskRange(0, dotted[0].length);
  }
  for (const { pattern, key, tier, hasSeason } of FORMS) {
    if (hasSeason) continue;
    const match = pattern.exec(left);
    if (!match) continue;
    const at = match.index + match[0].lastIndexOf(match[1]);
    const word = left.slice(match.index, at).replace(/[^\p{L}]/gu, "") || "after";
    const own = tier === "labeled" || key === "hash" ? key : `${key}:${word}`;
    add(at, match[1], [{ key: own, tier, shape: describeShape(text, match, at, match[1]) }]);
    maskRange(match.index, match.index + match[0].length);
  }
  const masked = maskNonEpisodeNumbers(left);
  const begin = skipMarkers(masked);
  let seen = 0;
  for (const match of masked.matchAll(/\d+/g)) {
    if (++seen > MAX_DIGIT_RUNS) break;
    const at = match.index, end = at + match[0].length;
    if (/[\p{Script=Latin}\p{Script=Cyrillic}]/u.test(masked[end] ?? "")) continue; // 12a
    if (/^[-–+&]\d/u.test(masked.slice(end, end + 2)) || /\d[-–+&]$/u.test(masked.slice(0, at))) continue; // 12-13
    add(at, match[0], positionSlots(masked, at, end, begin));
  }
  for (const reading of readings) reading.season ??= season;
  return { readings, ...flags };
}

/** Slots for the start and end of the title, by the separator next to the number. */
function positionSlots(masked: string, at: number, end: number, begin: number): SlotKey[] {
  const slots: SlotKey[] = [];
  if (at === begin || /^[^\p{L}\p{N}]*$/u.test(masked.slice(0, at).replaceAll(MASK_CHAR, ""))) {
    const sign = /^ ?([-–—:|.)\]/,;•·~_>、。」】])/u.exec(masked.slice(end))?.[1];
    const kind = sign ? sign.replace(/[–—]/, "-") : end === masked.length ? "end" : "";
    slots.push({
      key: `start${kind}`,
      tier: kind ? "bare" : "loose",
      shape: `{n}${kind === "end" ? "" : kind || " …"}`,
    });
  }
  if (at > begin && isOnlyMarkers(masked.slice(end))) {
    const sign = /([-–—:|([/,;•·~_.【])? ?$/u.exec(masked.slice(0, at))?.[1];
    const kind = sign ? sign.replace(/[–—]/, "-") : "";
    slots.push({ key: `end${kind}`, tier: kind ? "bare" : "loose", shape: kind ? `… ${kind} {n}` : "… {n}" });
  }
  return slots;
}

/** Slots for the text before the number and for its last word, which most titles of a series share. */
function prefixSlots(before: string, text: string, at: number, tier: Tier): SlotKey[] {
  const words = before.replace(new RegExp(`${MASK_CHAR}+`, "g"), "§").replace(/[^\p{L}\p{N}§]+/gu, " ").trim();
  if (!words || words === "§") return [];
  const isFar = /[-–—:|] [^-–—:|]*$/u.test(before) && words.length > 40;
  const strength: Tier = tier === "labeled" || tier === "prefixed" || tier === "ambiguous" ? tier : "bare";
  const slots: SlotKey[] = [];
  if (words.length <= 60 && !isFar) {
    slots.push({ key: `after:${words}`, tier: strength, shape: `${text.slice(0, at)}{n}` });
  }
  const last = words.split(" ").at(-1)!;
  if (last !== words && last !== "§" && strength === "bare") {
    const from = Math.max(0, before.lastIndexOf(last));
    slots.push({ key: `after…${last}`, tier: "bare", shape: `… ${text.slice(from, at)}{n}` });
  }
  return slots;
}

/** The match of a form with placeholders for its numbers. */
function describeShape(text: string, match: RegExpExecArray, at: number, digits: string, season?: string): string {
  let before = text.slice(match.index, at);
  if (season !== undefined) before = before.replace(season, "{s}");
  return `${before}{n}${text.slice(at + digits.length, match.index + match[0].length)}`.trim();
}
