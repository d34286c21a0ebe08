// Generates feeds from seeds with known episode numbers.
import type { NumberedItem } from "../../functions/episode_numbers/numbering.ts";
import { type SeededRandom, seededRandom } from "../random.ts";
import { ANYWHERE, type Language } from "./languages.ts";
import { EAST } from "./languages_east.ts";
import { WEST } from "./languages_west.ts";

const LANGUAGES: Record<string, Language> = { ...WEST, ...EAST };

export interface KnownItem extends NumberedItem {
  title: string;
  truth: number | null;
}

export interface KnownFeed {
  /** Its special property. */
  kind: string;
  language: string;
  items: KnownItem[];
}

const KINDS: [kind: string, share: number][] = [
  ...[["plain", 8], ["no numbers", 4], ["two forms", 4], ["seasons", 4], ["season reset", 2], ["begins midway", 2]],
  ...[
    ["truncated", 3],
    ["two series", 2],
    ["side series", 3],
    ["publisher knows some", 2],
    ["publisher knows all", 1],
    ["few", 3],
  ],
  ["mostly unnumbered", 1],
] as [string, number][];

export function feed(seed: number): KnownFeed {
  const die = seededRandom(seed * 7919);
  const language = die.one(Object.keys(LANGUAGES)), words = LANGUAGES[language];
  const kind = die.one(KINDS.flatMap(([kind, share]) => Array(share).fill(kind) as string[]));
  const items = series(kind, die, words);
  // Weekly, oldest first; then in feed order, usually newest first, with RFC 2822 dates
  let time = Date.UTC(2012 + die.below(8), die.below(12), 1 + die.below(28), 6);
  const every = die.one([1, 7, 7, 7, 14, 30]) * 86_400_000;
  const dated = items.map((item, i) => {
    time += every * (0.8 + 0.4 * die.next());
    return { ...item, guid: `${seed}-${i}`, pubDate: new Date(time).toUTCString() };
  });
  if (die.chance(0.8)) dated.reverse();
  return { kind, language, items: dated };
}

type Bare = Omit<KnownItem, "guid" | "pubDate">;

function series(kind: string, die: SeededRandom, words: Language): Bare[] {
  const plain = (title: string, truth: number | null, more: Partial<Bare> = {}): Bare => ({
    ...{ title, truth, season: null, episode: null, episodeType: null, ...more },
  });
  const size = kind === "few" ? 2 + die.below(5) : 12 + die.below(die.one([30, 60, 120, 300]));
  const names = Array.from({ length: 3 }, () => `${die.one(words.words)} ${die.one(words.words)}`);
  const letters = Array.from({ length: 2 + die.below(3) }, () => String.fromCharCode(65 + die.below(26))).join("");
  const traps = die.one([0, 0.03, 0.1, 0.2]), specials = die.one([0, 0.03, 0.1]), repeats = die.one([0, 0, 0.04]);
  const text = () => die.chance(traps) ? die.one(words.traps) : topic(die, words);
  const form = () => die.one(die.chance(0.5) ? words.named : ANYWHERE);
  const isSeasoned = kind === "seasons";
  const forms = isSeasoned ? [die.one(words.seasoned)] : [form(), ...(kind === "two forms" ? [form()] : [])];
  const titled = (n: number, s: number, which: string, name = names[0]) =>
    which.replace("{t}", text()).replace("{n}", String(n)).replace("{003}", String(n).padStart(3, "0"))
      .replace(/\{0?2\}|\{03\}/, String(n).padStart(2, "0")).replace("{s}", String(s))
      .replace("{02s}", String(s).padStart(2, "0")).replace("{P}", name).replace("{C}", letters).replace("{h}", han(n))
      .replace("{a}", digits(n, 0x660)).replace("{p}", digits(n, 0x6f0));

  if (kind === "no numbers") return Array.from({ length: size }, () => plain(text(), null));
  const items: Bare[] = [];
  const aside = die.one([
    `${names[1]} {n}: {t}`,
    `${names[1]} #{n} – {t}`,
    `${names[1]} Ep. {n}: {t}`,
    `{t} | ${names[1]} {n}`,
  ]);
  const tellsSeason = die.chance(0.5);
  let n = kind === "truncated" ? 50 + die.below(900) : die.one([0, 1, 1, 1, 1]) - 1, s = 1, other = 0;
  let until = 6 + die.below(8);
  for (let i = 0; i < size; i++) {
    if (kind !== "few" && die.chance(specials)) {
      const title = die.one(words.bonus).replace("{t}", text());
      const type = die.chance(0.5) ? (/trail|预告|予告|예고/i.test(title) ? "trailer" : "bonus") : null;
      items.push(plain(title, null, { episodeType: type }));
      continue;
    }
    const old = die.one(items.length > 0 ? items : [plain("", null)]);
    if (words.again.length > 0 && old.truth !== null && old.episode === null && die.chance(repeats)) {
      items.push(plain(die.one(words.again).replace("{x}", old.title), old.truth, { season: old.season }));
      continue;
    }
    if (kind === "begins midway" && i < size / 2 || kind === "mostly unnumbered" && die.chance(0.6)) {
      n++;
      items.push(plain(text(), null));
      continue;
    }
    if (kind === "two series" && i % 2 === 0) {
      items.push(plain(`${names[1]} #${++other}: ${text()}`, other));
      continue;
    }
    if (kind === "side series" && i > size * 0.1 && die.chance(0.27)) {
      items.push(plain(aside.replace("{n}", String(++other)).replace("{t}", text()), null));
      continue;
    }
    n += die.chance(0.02) ? 2 : 1;
    if ((isSeasoned || kind === "season reset") && n > until) {
      n = 1;
      s++;
      until = 6 + die.below(8);
    }
    const which = kind === "two series" ? "{P} #{n}: {t}" : forms[kind === "two forms" && i > size / 2 ? 1 : 0];
    const knows = kind === "publisher knows all" || kind === "publisher knows some" && i > size * 0.6;
    items.push(plain(titled(n, s, which), n, {
      season: tellsSeason && (isSeasoned || kind === "season reset") ? s : null,
      episode: knows ? n : null,
      episodeType: die.chance(0.3) ? "full" : null,
    }));
    if (kind !== "few" && die.chance(0.02) && !knows) { // an episode in two parts
      const last = items.at(-1)!;
      items.push({ ...last, title: `${last.title} (2)`.replace(/(\d) \(2\)$/, "$1, Part 2") });
      if (!items.at(-1)!.title.endsWith("(2)")) continue;
      items.pop();
    }
  }
  if (die.chance(0.1) && items.length > 20) { // two swapped episodes
    const i = 5 + die.below(items.length - 10);
    [items[i], items[i + 1]] = [items[i + 1], items[i]];
  }
  return items;
}

function topic(die: SeededRandom, { words }: Language): string {
  const many = 2 + die.below(4);
  return Array.from({ length: many }, () => die.one(words)).join(
    /[a-zа-я]/i.test(words[0]) || words[0].length > 3 ? " " : "",
  );
}

const digits = (n: number, zero: number) =>
  [...String(n)].map((each) => String.fromCodePoint(zero + Number(each))).join("");

function han(n: number): string {
  const ones = "零一二三四五六七八九";
  if (n < 10) return ones[n];
  if (n >= 100) return [...String(n)].map((each) => "〇一二三四五六七八九"[Number(each)]).join("");
  return `${n < 20 ? "" : ones[Math.floor(n / 10)]}十${n % 10 === 0 ? "" : ones[n % 10]}`;
}
