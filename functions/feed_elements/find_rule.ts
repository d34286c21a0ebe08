/** Finds the rules of elements and attributes. */
import { type Children, type ElementRule, FREE } from "./element_rule.ts";
import * as format from "./value_formats.ts";
import { isUnchecked, nameInModule } from "./modules.ts";

/** The rule of an element in a parent; undefined if its specification does not allow the element there. */
export function ruleOf(children: Children | undefined, namespace: string, local: string): ElementRule | undefined {
  if (children === "any") return namespace ? FREE : undefined; // elements of a namespace hold no elements without one
  if (namespace && isUnchecked(namespace)) return;
  const name = nameInModule(namespace, local);
  if (name === undefined) return FREE;
  // a qualified term of Dublin Core: `dc:date.created`
  const term = name.startsWith("dc:") ? name.split(".")[0] : name;
  return children && Object.hasOwn(children, term) ? children[term] : undefined;
}

/** The value of an attribute as a valid feed has it, or why the element may not have the attribute. */
export function checkAttribute(
  rule: ElementRule,
  { namespace, local }: { namespace: string; local: string },
  value: string,
  attribute: (name: string) => string | undefined,
): { value?: string; reason?: "UNKNOWN_ATTRIBUTE" | "INVALID" } {
  if (!namespace && rule === FREE) return { value };
  if (rule !== FREE && namespace && isUnchecked(namespace)) return { reason: "UNKNOWN_ATTRIBUTE" };
  const name = nameInModule(namespace, local);
  if (name === undefined || rule === FREE && !name.startsWith("xml:")) return { value };
  const known = XML.get(name) ?? (rule.attributes && Object.hasOwn(rule.attributes, name) && rule.attributes[name]);
  if (!known) return rule === FREE ? { value } : { reason: "UNKNOWN_ATTRIBUTE" };
  const valid = known(value, attribute);
  return valid === undefined ? { reason: "INVALID" } : { value: valid };
}

const XML = new Map(Object.entries({
  "xml:lang": format.LANGUAGE,
  "xml:base": format.URI_REFERENCE,
  "xml:space": format.anyText,
  "xml:id": format.anyText,
}));
