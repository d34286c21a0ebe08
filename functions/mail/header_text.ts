/** Text of titles and names in headers: one line of bounded length that cannot pose as another header or text. */

/** Control characters, line separators, and characters that reorder the text around them. */
const UNSAFE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\s]+/gu;

export function toHeaderText(text: string, maxLength: number): string {
  const line = text.toWellFormed().replace(UNSAFE, " ").replaceAll("=?", "= ?").trim(); // =? begins an encoded word
  const characters = [...line];
  return characters.length > maxLength ? `${characters.slice(0, maxLength - 1).join("").trimEnd()}…` : line;
}
