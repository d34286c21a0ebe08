/** Normalizes a title for the patterns: ASCII digits, single spaces, letters without case and accents. */

interface Title {
  /** For display: NFKC, digits 0 to 9, single spaces. */
  text: string;
  /** For patterns: same length as `text`, lower case, no accents. */
  folded: string;
}

const MAX_TITLE_CHARS = 300;

/** Keeps the beginning and end of long titles, where numbers occur, so that patterns stay fast. */
export const truncateTitle = (raw: string): string =>
  raw.length <= MAX_TITLE_CHARS ? raw : `${raw.slice(0, 200)} … ${raw.slice(-90)}`.toWellFormed();

/** Zeros of the decimal digits that NFKC does not convert (Unicode category Nd). */
const ZEROS = [
  ...[0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20],
  ...[0x1040, 0x17e0, 0x1810],
];

export function normalizeTitle(raw: string): Title {
  let text = truncateTitle(raw);
  if (/[^\x20-\x7e]/.test(text)) {
    text = text.replace(/[º°]/g, "°").replace(/[丨ㅣ]/g, "|") // NFKC turns º into a letter; these letters serve as bars
      .normalize("NFKC");
    if (/[^\x20-\xac\xae-\u04ff\u2010-\u2027]/.test(text)) {
      text = text.replace(/(?![0-9])\p{Nd}/gu, asciiDigit).replace(/\p{Cf}|[\ufe00-\ufe0f\u20e3]/gu, "");
    }
    text = text.replace(/[‐‑‒−]/g, "-");
  }
  text = text.replace(/\s+/g, " ").trim()
    .replace(/(?<![\d.,])(\d{1,3}),(\d{3})(?![\d,])/g, "$1$2"); // 1,000 is a thousand
  return { text, folded: fold(text) };
}

function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0)!;
  if (code < 0x80) return digit;
  const zero = ZEROS.findLast((each) => each <= code);
  return zero !== undefined && code - zero < 10 ? String(code - zero) : digit;
}

const folds = new Map<string, string>();

/** Folds letter by letter, so that offsets stay valid. */
export function fold(text: string): string {
  if (!/[^\x20-\x7e]/.test(text)) return text.toLowerCase();
  let folded = "";
  for (let i = 0; i < text.length; i++) {
    const unit = text[i];
    let letter = folds.get(unit);
    if (letter === undefined) folds.set(unit, letter = foldLetter(unit)); // at most 65,536
    folded += letter;
  }
  return folded;
}

function foldLetter(unit: string): string {
  const code = unit.charCodeAt(0);
  const isAccented = code >= 0xc0 && code < 0x590 || code >= 0x1e00 && code < 0x2000;
  const lower = (isAccented ? unit.normalize("NFD")[0] : unit).toLowerCase();
  return lower.length === 1 ? lower : unit;
}
