/** The attributes of modelled elements that no rule reads. */
import { type Attributes, isDeclaration } from "./attributes.ts";
import type { LoseFn, LossReason } from "./losses.ts";
import { isBase } from "./xml_base.ts";

/** Reports attributes that are not read; of two with the same name the first is. `path` precedes their names. */
export function reportUnread(attributes: Attributes, read: readonly string[], path: string, lose: LoseFn) {
  const seen: string[] = [];
  for (const [name, value, written] of attributes) {
    const local = name.slice(name.indexOf(":") + 1);
    const isRead = read.includes(local) && !isDeclaration(name);
    if (isRead && !seen.includes(local)) seen.push(local);
    else if (!isDeclaration(name) && !(name === "xml:base" && isBase(value))) {
      lose(`${path}@${written}`, isRead ? "REPEATED" : reasonAgainst(name), value);
    }
  }
}

function reasonAgainst(name: string): LossReason {
  if (name === "xml:lang") return "NO_PLACE"; // any element may have it
  if (name === "xml:base") return "INVALID";
  // RSS 1.0 names its parts, and lists them in the channel; our feed has no such references
  return name.startsWith("rdf:") ? "REPLACED_BY_OURS" : "UNKNOWN_ATTRIBUTE";
}

/** The usual case, checked without memory: few attributes, all different and read. */
export function isAllRead(attributes: Attributes, read: readonly string[]): boolean {
  if (attributes.length > read.length) return false;
  for (let n = 0; n < attributes.length; n++) {
    const name = attributes[n][0];
    if (!read.includes(name)) return false;
    for (let earlier = 0; earlier < n; earlier++) if (attributes[earlier][0] === name) return false;
  }
  return true;
}
