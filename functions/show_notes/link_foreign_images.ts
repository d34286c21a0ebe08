/** Images of other hosts in show notes, as links: a page that loaded them would tell those hosts who reads it. */

/** Tags that matter, in HTML that sanitizeShowNotes wrote: it escapes `>` in attributes. */
const TAGS = /<a\b[^>]*>|<\/a>|<img\b[^>]*>/g;

/** Replaces images that `isOwn` rejects by links, and within links by their alternative text. */
export function linkForeignImages(safeHtml: string, isOwn: (url: string) => boolean, imageWord: string): string {
  let isInLink = false;
  return safeHtml.replace(TAGS, (tag) => {
    if (!tag.startsWith("<img")) {
      isInLink = tag !== "</a>";
      return tag;
    }
    const src = attributeOf(tag, "src"), text = attributeOf(tag, "alt").trim() || imageWord;
    if (isOwn(src.replaceAll("&amp;", "&"))) return tag.replace(/^<img/, '<img loading="lazy"');
    return isInLink ? text : `<a href="${src}" rel="noopener nofollow ugc">${text}</a>`;
  });
}

/** An attribute as it is written, with its references. */
const attributeOf = (tag: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? "";
