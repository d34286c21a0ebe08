/** Parses numbers written without digits: `第十二期`, `Episode Twenty-One`, `Chapter IV`. */

const CJK_DIGITS: Record<string, number> = {
  ...{ 零: 0, 〇: 0, 一: 1, 二: 2, 两: 2, 兩: 2, 三: 3, 四: 4, 五: 5, 六: 6, 七: 7, 八: 8, 九: 9 },
};
const CJK_UNITS: Record<string, number> = { 十: 10, 百: 100, 千: 1000 };

/** 十二 is 12, 二〇 is 20, 一百零三 is 103. */
export function parseCjkNumber(text: string): number {
  if (![...text].some((each) => each in CJK_UNITS)) return Number([...text].map((each) => CJK_DIGITS[each]).join(""));
  let sum = 0, digit = 0;
  for (const each of text) {
    if (each in CJK_UNITS) {
      sum += (digit || 1) * CJK_UNITS[each];
      digit = 0;
    } else digit = CJK_DIGITS[each];
  }
  return sum + digit;
}

const ROMAN: [string, number][] = [
  ...[["c", 100], ["xc", 90], ["l", 50], ["xl", 40], ["x", 10], ["ix", 9], ["v", 5], ["iv", 4], ["i", 1]] as const,
].map(([letters, value]) => [letters, value]);

/** Parses Roman numerals up to 399; null for other letters. */
function parseRomanNumber(letters: string): number | null {
  let rest = letters, sum = 0;
  for (const [sign, value] of ROMAN) {
    for (let times = 0; rest.startsWith(sign) && times < (sign.length === 2 ? 1 : 3); times++) {
      rest = rest.slice(sign.length);
      sum += value;
    }
  }
  return rest === "" && sum > 0 ? sum : null;
}

/** From one upwards, without accents, as `fold` returns them. Titles write higher numbers in digits. */
const NUMBER_WORDS = [
  "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen " +
  "eighteen nineteen twenty",
  "eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn " +
  "achtzehn neunzehn zwanzig",
  "un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
  "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete " +
  "dieciocho diecinueve veinte",
  "um dois tres quatro cinco seis sete oito nove dez onze doze treze quatorze quinze dezesseis dezessete dezoito " +
  "dezenove vinte",
  "uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici " +
  "diciassette diciotto diciannove venti",
  "een twee drie vier vijf zes zeven acht negen tien elf twaalf",
  "en tva tre fyra fem sex sju atta nio tio elva tolv",
];
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");

const valueByWord = new Map<string, number>([["zero", 0]]);
for (const list of NUMBER_WORDS) {
  list.split(" ").forEach((word, n) => valueByWord.has(word) || valueByWord.set(word, n + 1));
}
TENS.forEach((ten, n) => {
  valueByWord.set(ten, 20 + 10 * n);
  NUMBER_WORDS[0].split(" ").slice(0, 9).forEach((one, i) => {
    for (const between of ["-", " "]) valueByWord.set(ten + between + one, 20 + 10 * n + i + 1);
  });
});

/** The words as a pattern for folded text, longest first. */
export const NUMBER_WORD = [...valueByWord.keys()].toSorted((a, b) => b.length - a.length).join("|");

/** Whether the text may contain a number word: a cheap test before the expensive pattern. */
export const mayHaveNumberWords = (folded: string): boolean =>
  folded.split(/[^a-z]+/).some((word) => valueByWord.has(word) || /^[ivxlc]+$/.test(word));

export const parseNumberWord = (word: string): number | null => valueByWord.get(word) ?? parseRomanNumber(word);
