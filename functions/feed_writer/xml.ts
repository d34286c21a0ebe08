/** XML elements as text. Feeds are written front to back, so there is no document tree. */
import { escapeXml, isPresent } from "../text/xml_text.ts";

type Scalar = string | number | boolean | null | undefined;

/** The content of an element: text alone, or attributes with text or children. */
export type Value = Scalar | {
  attributes?: Record<string, Scalar>;
  text?: Scalar;
  /** A list repeats the child. */
  children?: Record<string, Value | Value[]>;
};

/** Renders one element, or an empty string when the value is missing. */
export function renderElement(name: string, value: Value): string {
  if (!isPresent(value)) return "";
  if (typeof value !== "object") return `<${name}>${escapeXml(String(value))}</${name}>`;
  let attributes = "";
  for (const [key, scalar] of Object.entries(value.attributes ?? {})) {
    if (isPresent(scalar)) attributes += ` ${key}="${escapeXml(String(scalar))}"`;
  }
  let inside = isPresent(value.text) ? escapeXml(String(value.text)) : "";
  for (const [child, content] of Object.entries(value.children ?? {})) {
    for (const one of Array.isArray(content) ? content : [content]) inside += renderElement(child, one);
  }
  if (inside) return `<${name}${attributes}>${inside}</${name}>`;
  return attributes && `<${name}${attributes}/>`;
}
