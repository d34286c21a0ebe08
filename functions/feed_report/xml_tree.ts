/** Reads XML into a tree of elements, strictly. */
import { SaxesParser, type SaxesTagNS } from "saxes";

const XMLNS = "http://www.w3.org/2000/xmlns/";

/** A parsed element. */
export interface Node {
  name: string;
  /** URL of the namespace; empty for none. */
  namespace: string;
  /** The name without its prefix. */
  local: string;
  attributes: Record<string, string>;
  /** The attributes with their namespaces, without declarations. */
  names: { namespace: string; local: string; value: string }[];
  text: string;
  children: Node[];
}

/** The root element; throws for malformed XML. */
export function parseXml(xml: string): Node {
  const root: Node = { name: "", namespace: "", local: "", attributes: {}, names: [], text: "", children: [] };
  const open = [root];
  const parser = new SaxesParser({ xmlns: true });
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", (tag) => {
    const attributes = Object.entries((tag as SaxesTagNS).attributes);
    const node: Node = {
      name: tag.name,
      namespace: (tag as SaxesTagNS).uri,
      local: (tag as SaxesTagNS).local,
      attributes: Object.fromEntries(attributes.map(([key, { value }]) => [key, value])),
      names: attributes.filter(([, { uri }]) => uri !== XMLNS)
        .map(([, { uri, local, value }]) => ({ namespace: uri, local, value })),
      text: "",
      children: [],
    };
    open.at(-1)!.children.push(node);
    open.push(node);
  });
  parser.on("text", (text) => void (open.at(-1)!.text += text));
  parser.on("closetag", () => void open.pop());
  parser.write(xml).close();
  return root.children[0];
}

/** Children with this name. */
export function childrenNamed(node: Node, name: string): Node[] {
  return node.children.filter((child) => child.name === name);
}
