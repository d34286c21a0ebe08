// Reads carried elements as a strict parser finds them in our feed.
import assert from "node:assert/strict";
import { SaxesParser } from "saxes";
import { NAMESPACES } from "../../functions/feed_writer/tag.ts";

/** An element with its namespace; attributes by `{namespace}name`. */
export interface Node {
  uri: string;
  local: string;
  /** As written. */
  name: string;
  attributes: Map<string, { name: string; value: string }>;
  /** Text and elements; neighboring texts are one. */
  content: (string | Node)[];
}

/** Parses well-formed XML. */
export function parseTree(xml: string): Node {
  const parser = new SaxesParser({ xmlns: true });
  const root: Node = { uri: "", local: "", name: "", attributes: new Map(), content: [] };
  const open = [root];
  const addText = (text: string) => {
    const { content } = open.at(-1)!;
    if (typeof content.at(-1) === "string") content[content.length - 1] += text;
    else content.push(text);
  };
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, uri, local, attributes }) => {
    const node: Node = { uri, local, name, attributes: new Map(), content: [] };
    for (const one of Object.values(attributes)) {
      if (one.prefix === "xmlns" || one.name === "xmlns") continue;
      node.attributes.set(`{${one.uri}}${one.local}`, { name: one.name, value: one.value });
    }
    open.at(-1)!.content.push(node);
    open.push(node);
  });
  parser.on("closetag", () => void open.pop());
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.write(xml).close();
  return elementsOf(root)[0];
}

export const elementsOf = ({ content }: Node): Node[] => content.filter((one) => typeof one !== "string");

const ROOT = `<rss version="2.0"${
  Object.entries(NAMESPACES).map(([prefix, url]) => ` xmlns:${prefix}="${url}"`).join("")
}>`;

/** Asserts that our feed can have the element: one element, strictly well-formed, without what must be resolved. */
export function assertCarried(xml: string): Node {
  assert.doesNotMatch(xml, /<[!?]/);
  const root = parseTree(`${ROOT}${xml}</rss>`);
  const [node, ...others] = root.content;
  assert.ok(typeof node === "object" && !others.length, xml);
  return node;
}
