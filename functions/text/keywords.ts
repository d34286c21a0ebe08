/** In characters: directories read no more of itunes:keywords. */
export const MAX_KEYWORDS_CHARS = 255;

/** The keywords that fit into the tag, with a comma between two. */
export function fitKeywords(keywords: string[]): string[] {
  let chars = -1;
  return keywords.filter((keyword) => {
    const more = [...keyword].length + 1;
    if (chars + more > MAX_KEYWORDS_CHARS) return false;
    chars += more;
    return true;
  });
}
