/** What the specification of an element allows. */
import { anyText, type Format } from "./value_formats.ts";

export interface ElementRule {
  /** Of the element's text. Without a format, it holds elements only. */
  text?: Format;
  /** By name; names in the namespace of a module have its prefix. Any other namespace may add attributes. */
  attributes?: Record<string, Format>;
  /** Names of the children and, after `@`, of the attributes that may not be missing. */
  required?: string[];
  children?: Children;
  /** Whether its parent may have it once. */
  isSingle?: boolean;
}

/** By name, as for attributes. `any` allows all names of a namespace. */
export type Children = Record<string, ElementRule> | "any";

/** For the elements of other namespaces. */
export const FREE: ElementRule = { text: anyText, children: "any" };
