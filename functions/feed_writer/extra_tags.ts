/** Tags of an imported feed that no column holds: XML elements, written at the end of their channel or item as they are. */
import { NAMESPACES, openTag } from "./tag.ts";

export function renderExtraTags(tags: string[]): string {
  return tags.map((tag) => `${tag}\n`).join("");
}

/** The tags that are one well-formed element each; another one would break the feed. */
export async function wellFormedTags(tags: string[]): Promise<string[]> {
  if (tags.length === 0) return tags;
  const { SaxesParser } = await import("saxes"); // loaded with the first extra tag
  return tags.filter((tag) => {
    const parser = new SaxesParser({ xmlns: true });
    let isValid = true, depth = 0, elements = 0;
    const reject = () => void (isValid = false);
    parser.on("error", reject);
    parser.on("doctype", reject);
    parser.on("opentag", () => void (depth++ === 1 && elements++));
    parser.on("closetag", () => void depth--);
    parser.on("text", (text) => void (depth === 1 && text.trim() && reject()));
    parser.write(`${openTag("x", NAMESPACES)}${tag}</x>`).close();
    return isValid && elements === 1;
  });
}
