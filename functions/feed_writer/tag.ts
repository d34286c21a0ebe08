/** A feed tag: its name, its specification, and its value. */
import { renderElement, type Value } from "./xml.ts";

export interface Tag<Row> {
  name: string;
  spec: string;
  /** A missing value (undefined, null, blank text) omits the tag; a list repeats it. */
  value: (row: Row) => Value | Value[];
}

export const NAMESPACES = {
  atom: "http://www.w3.org/2005/Atom",
  content: "http://purl.org/rss/1.0/modules/content/",
  itunes: "http://www.itunes.com/dtds/podcast-1.0.dtd",
  podcast: "https://podcastindex.org/namespace/1.0",
};

/** An open tag that declares namespaces. */
export function openTag(name: string, namespaces: Record<string, string>, attributes = ""): string {
  const declared = Object.entries(namespaces).map(([prefix, url]) => ` xmlns:${prefix}="${url}"`).join("");
  return `<${name}${attributes}${declared}>`;
}

const APPLE = "https://help.apple.com/itc/podcasts_connect/#/itcb54353390";

/** URL of a tag's specification: `rss("title")`, `podcast("guid")`. */
export const spec = {
  rss: (part: string) => `https://www.rssboard.org/rss-specification#${part}`,
  itunes: APPLE,
  atom: "https://www.rssboard.org/rss-profile#namespace-elements-atom-link",
  paging: "https://www.rfc-editor.org/rfc/rfc5005#section-3",
  content: "https://www.rssboard.org/rss-profile#namespace-elements-content-encoded",
  podcast: (tag: string) => `https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/tags/${tag}.md`,
};

/** Renders a row's tags in registry order. */
export function renderTags<Row>(registry: Tag<Row>[], row: Row): string {
  let xml = "";
  for (const { name, value } of registry) {
    const found = value(row);
    for (const each of Array.isArray(found) ? found : [found]) {
      const written = renderElement(name, each);
      if (written) xml += `${written}\n`;
    }
  }
  return xml;
}

/** RFC 2822 in UTC, as RSS and Apple require. (`GMT` is that grammar's obsolete form.) */
export function rfc2822Date(date: Date): string {
  return date.toUTCString().replace("GMT", "+0000");
}
