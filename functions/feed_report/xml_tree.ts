/** Reads XML into a tree of elements, strictly. */
import { SaxesParser, type SaxesTagPlain } from "saxes";

/** A parsed element. */
export interface Node {
  name: string;
  attributes: Record<string, string>;
  text: string;
  children: Node[];
}

/** The root element; throws for malformed XML. */
export function parseXml(xml: string): Node {
  const root: Node = { name: "", attributes: {}, text: "", children: [] };
  const open = [root];
  const parser = new SaxesParser({ xmlns: true });
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", (tag) => {
    const attributes = (tag as unknown as SaxesTagPlain).attributes as unknown as Record<string, { value: string }>;
    const node: Node = {
      name: tag.name,
      attributes: Object.fromEntries(Object.entries(attributes).map(([key, { value }]) => [key, value])),
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
