/**
 * The names of elements, whatever prefix a feed chose and however it spells: `itunes:duration`, `title`, always in
 * lower case. Namespaces are known by their address; by their usual prefix where a feed declares none, or another.
 */
import { attributesOf } from "./attributes.ts";
import type { Note } from "./note.ts";

/** By address, as `simple` has it, the prefix that names get here. Of RSS itself none. */
const KNOWN: Record<string, string> = {
  "itunes.com/dtds/podcast-1.0.dtd": "itunes",
  "podcastindex.org/namespace/1.0": "podcast",
  "github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0.md": "podcast",
  "purl.org/rss/1.0/modules/content": "content",
  "w3.org/2005/atom": "atom",
  "purl.org/dc/elements/1.1": "dc",
  "search.yahoo.com/mrss": "media",
  "w3.org/1999/xhtml": "xhtml",
  "w3.org/1999/02/22-rdf-syntax-ns": "rdf",
  "purl.org/rss/1.0": "",
  "backend.userland.com/rss2": "",
};
const USUAL = new Set(["itunes", "podcast", "content", "atom", "dc", "media", "rdf"]);

/** Addresses are written in either case, with http or https, with or without www and an end. */
const simple = (address: string) =>
  address.trim().toLowerCase().replace(/^https?:\/\/(?:www\.)?/, "").replace(/[/#]+$/, "");

export interface Scope {
  /** The name as the registries have it. */
  name(written: string): string;
  /** The scope inside an element with these attributes, as written: itself, where they declare nothing. */
  within(attributes: string): Scope;
}

export const outermost = (note: Note): Scope => scope(new Map(), note);

/** `prefixes` are those declared, in lower case, with what they mean; undefined where nobody knows. */
function scope(prefixes: ReadonlyMap<string, string | undefined>, note: Note): Scope {
  const names = new Map<string, string>();

  function meaning(prefix: string): string {
    const declared = prefixes.get(prefix);
    if (declared !== undefined) return declared;
    if (!prefix || !USUAL.has(prefix)) return prefix;
    note(prefixes.has(prefix) ? "NAMESPACE_UNKNOWN" : "NAMESPACE_UNDECLARED", prefix);
    return prefix;
  }

  function canonical(written: string): string {
    const name = written.toLowerCase();
    const colon = name.indexOf(":");
    const prefix = meaning(name.slice(0, Math.max(0, colon)));
    const local = name.slice(colon + 1);
    return prefix ? `${prefix}:${local}` : local;
  }

  const self: Scope = {
    name(written) {
      let name = names.get(written);
      if (name === undefined) {
        name = canonical(written);
        if (names.size < MOST_NAMES) names.set(written, name);
      }
      return name;
    },
    within(attributes) {
      if (!attributes.includes("xmlns")) return self;
      const inner = new Map(prefixes);
      for (const [name, address] of attributesOf(attributes)) {
        const [, prefix] = /^xmlns(?::(.*))?$/.exec(name) ?? [name, null];
        if (prefix !== null && inner.size < MOST_NAMES) inner.set(prefix ?? "", KNOWN[simple(address)]);
      }
      const isSame = [...inner].every(([prefix, meant]) => prefixes.has(prefix) && prefixes.get(prefix) === meant);
      return isSame ? self : scope(inner, note);
    },
  };
  return self;
}

/** A feed has some dozens. */
const MOST_NAMES = 500;
