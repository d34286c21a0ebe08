/** Texts and URLs of ID3 frames, also as taggers write them against the standard. */

export const latin1 = (bytes: Uint8Array): string => new TextDecoder("latin1").decode(bytes); // Windows-1252

/** Up to the first zero; Postgres stores none. */
export const clean = (value: string): string | undefined => value.split("\0", 1)[0].trim() || undefined;

/** A text with its encoding before it. */
export const readText = (bytes: Uint8Array): string | undefined => clean(decode(bytes[0], bytes.subarray(1)));

/** A URL behind encoding and description, whose end is a zero of one or two bytes. */
export function readUserUrl(bytes: Uint8Array): string | undefined {
  const rest = bytes.subarray(skipText(bytes, 1));
  const url = clean(rest[1] === 0 || hasByteOrderMark(rest) ? decode(1, rest) : latin1(rest));
  if (url?.includes("://")) return url;
  return clean(/https?:\/\/[^\0]*$/i.exec(latin1(bytes).replace(/\0+$/, ""))?.[0] ?? ""); // a zero of the other width
}

/** The offset behind a text from `from` on, in the encoding of the frame's first byte; the end if no zero ends it. */
export function skipText(bytes: Uint8Array, from: number): number {
  const width = bytes[0] === 1 || bytes[0] === 2 ? 2 : 1;
  for (let at = from; at + width <= bytes.length; at += width) {
    if (bytes[at] === 0 && (width === 1 || bytes[at + 1] === 0)) return at + width;
  }
  return bytes.length;
}

/** 0: Latin-1, 1: UTF-16 with a byte order mark, 2: UTF-16 with its high bytes first, 3: UTF-8. */
function decode(encoding: number, bytes: Uint8Array): string {
  if (encoding === 3) return new TextDecoder().decode(bytes);
  const even = bytes.subarray(0, bytes.length & ~1); // some texts end with a single zero
  if (hasByteOrderMark(bytes)) return new TextDecoder(bytes[0] === 0xfe ? "utf-16be" : "utf-16le").decode(even);
  if (encoding === 2) return new TextDecoder("utf-16be").decode(even);
  return encoding === 1 ? decodeUtf16(even) : decodeUtf8(bytes) ?? latin1(bytes);
}

const hasByteOrderMark = ([first, second]: Uint8Array) =>
  first === 0xff && second === 0xfe || first === 0xfe && second === 0xff;

/** Undefined for bytes that are no UTF-8. Latin-1 with other letters than ASCII practically never is. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // another encoding
  }
}

/** UTF-16 without a byte order mark: low bytes first, as taggers write it, unless the other order reads better. */
function decodeUtf16(bytes: Uint8Array): string {
  const [little, big] = ["utf-16le", "utf-16be"].map((label) => new TextDecoder(label).decode(bytes).split("\0", 1)[0]);
  return plausibility(big) > plausibility(little) ? big : little;
}

/** Alphabets count double, because in the wrong order their letters are mostly Chinese characters. */
function plausibility(text: string): number {
  let sum = 0;
  for (const letter of text) {
    if (letter === "\ufffd" || /\p{C}/u.test(letter)) sum -= 2;
    else if (letter < "\u0800" || /[\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u.test(letter)) sum += 2;
    else if (/[\p{sc=Han}\p{P}\p{Z}]/u.test(letter)) sum += 1;
  }
  return sum;
}
