/** Times in show notes, as links that open the audio there: "01:30", "1:02:03", "(12:05)". */

/** Tags, in HTML that sanitizeShowNotes wrote: it escapes `>` in attributes. */
const TAG = /(<[^>]*>)/;
/** Within these, a time stays text: links do not nest, and code is quoted. */
const OPAQUE = /^<(\/?)(?:a|code|kbd|pre)\b/;
/** Tags that only format a line, and others within it. All others begin another line. */
const FORMAT = /^<\/?(?:abbr|b|cite|del|em|i|ins|mark|q|s|small|span|strong|sub|sup|u)\b/;
const INLINE = /^<\/?(?:a|code|kbd|img)\b/;

/** Minutes and seconds, with hours or brackets or without. Longer digit groups and fractions are something else. */
const TIME = /(?<![\p{L}\p{N}:.,\/-])(?:\d{1,2}:)?\d{1,3}:\d\d(?![\p{L}\p{N}\/%]|[.,:]\d)/gu;
const BEFORE = /[([{]\s*$/, AFTER = /^\s*[)\]}]/;
/** What a line may have before its time: spaces, and signs of lists and ranges. */
const BLANK = /^(?:&nbsp;|[\s\p{Z}\p{P}\p{S}])*/u;
const END = /^(?:&nbsp;|[\s\p{Z}])*$/u;
/** What follows a time of day. German has the word "am", before a noun. */
const OF_DAY =
  /^(?:&nbsp;|\s)*(?:Uhr\b|h\b|hrs?\b|[ap]\.\s?m\.|AM\b|PM\b|pm\b|am\b(?! \p{Lu})|(?:GMT|UTC|[CEMPW]E?[SD]T|CET|BST|IST)\b|o['’]clock|[時点點]|صباح|مساء)/u;

const MAX_LINKS = 500;

/**
 * Links a time at the beginning or the end of a line or in brackets, which is where notes list them: in a sentence it
 * may be a time of day. `toLink` gets the seconds and the text.
 */
export function linkTimes(
  safeHtml: string,
  durationSeconds: number,
  toLink: (seconds: number, text: string) => string,
): string {
  const parts = safeHtml.split(TAG); // texts, with a tag after each but the last
  let opaqueDepth = 0, linkCount = 0, isLineBlank = true;

  /** Whether the line has no more text behind this part. */
  function isLastOfLine(n: number): boolean {
    for (let next = n + 1; next < parts.length && next < n + 20; next += 2) {
      if (INLINE.test(parts[next])) return false;
      if (!FORMAT.test(parts[next])) return true;
      if (!END.test(parts[next + 1])) return false;
    }
    return n + 1 >= parts.length;
  }

  function linkIn(text: string, n: number, blankChars: number): string {
    return text.replace(TIME, (time, at: number) => {
      const seconds = toSeconds(time);
      if (linkCount === MAX_LINKS || !(seconds < durationSeconds)) return time;
      const before = text.slice(Math.max(0, at - 9), at), after = text.slice(at + time.length);
      const isListed = BEFORE.test(before) && AFTER.test(after.slice(0, 9)) ||
        isLineBlank && at <= blankChars || END.test(after) && isLastOfLine(n);
      if (!isListed || OF_DAY.test(after)) return time;
      linkCount++;
      return toLink(seconds, time);
    });
  }

  return parts.map((part, n) => {
    if (n % 2 === 0) {
      const blankChars = BLANK.exec(part)![0].length; // once: each time of a long line would read it again
      const linked = opaqueDepth === 0 ? linkIn(part, n, blankChars) : part;
      if (blankChars < part.length) isLineBlank = false;
      return linked;
    }
    const opaque = OPAQUE.exec(part);
    if (opaque) opaqueDepth = Math.max(0, opaqueDepth + (opaque[1] ? -1 : 1));
    if (!FORMAT.test(part) && !INLINE.test(part)) isLineBlank = true;
    return part;
  }).join("");
}

/** NaN for other numbers: minutes and seconds behind another unit are below 60. */
function toSeconds(time: string): number {
  const parts = time.split(":").map(Number), [first, ...rest] = parts;
  return rest.some((part) => part > 59) ? NaN : rest.reduce((sum, part) => 60 * sum + part, first);
}
