/**
 * The names of elements, whatever prefix a feed chose and however it spells: `itunes:duration`, `title`, always in
 * lower case. Namespaces are known by their address; by their usual prefix where a feed declares none, or another.
 */
import { parseAttributes } from "./attributes.ts";
import type { WarnFn } from "./warn.ts";

/** By address, as `simple` has it, the prefix that names get here. Of RSS itself none. */
const PREFIXES = new Map(Object.entries({
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
}));
const WELL_KNOWN_PREFIXES = new Set(["itunes", "podcast", "content", "atom", "dc", "media", "rdf"]);

/** In characters: no known address is as long, and the end of a longer one takes its time to find. */
const MAX_NAMESPACE_CHARS = 200;

/** Addresses are written in either case, with http or https, with or without www and an end. */
const normalizeNamespace = (address: string) =>
  address.trim().slice(0, MAX_NAMESPACE_CHARS).toLowerCase().replace(/^https?:\/\/(?:www\.)?/, "").replace(
    /[/#]+$/,
    "",
  );

export interface Scope {
  /** The name as the registries have it. */
  name(written: string): string;
  /** The scope inside an element with these attributes, as written: itself, where they declare nothing. */
  within(attributes: string): Scope;
  /** The same, where names without a prefix are RSS's own, whatever is declared for them. */
  forRss(): Scope;
}

export const rootScope = (warn: WarnFn): Scope => createScope(() => undefined, warn);

/** What a prefix, in lower case, is declared to mean: null where nobody knows its address, undefined where it is not. */
type PrefixLookup = (prefix: string) => string | null | undefined;

function createScope(declared: PrefixLookup, warn: WarnFn): Scope {
  const names = new Map<string, string>();

  function resolvePrefix(prefix: string): string {
    const known = declared(prefix);
    if (typeof known === "string") return known;
    if (WELL_KNOWN_PREFIXES.has(prefix)) warn(known === null ? "NAMESPACE_UNKNOWN" : "NAMESPACE_UNDECLARED", prefix);
    return prefix;
  }

  function canonicalName(written: string): string {
    const name = written.toLowerCase();
    const colon = name.indexOf(":");
    const prefix = resolvePrefix(name.slice(0, Math.max(0, colon)));
    const local = name.slice(colon + 1);
    return prefix ? `${prefix}:${local}` : local;
  }

  const self: Scope = {
    name(written) {
      let name = names.get(written);
      if (name === undefined) {
        name = canonicalName(written);
        if (names.size < MAX_CACHED_NAMES) names.set(written, name);
      }
      return name;
    },
    within(attributes) {
      if (!attributes.includes("xmlns")) return self;
      const own = new Map<string, string | null>();
      for (const [name, address] of parseAttributes(attributes)) {
        const [, prefix] = /^xmlns(?::(.*))?$/.exec(name) ?? [name, null];
        if (prefix !== null) own.set(prefix ?? "", PREFIXES.get(normalizeNamespace(address)) ?? null);
      }
      if ([...own].every(([prefix, means]) => declared(prefix) === means)) return self;
      // asks outwards: a copy of all that is declared would cost each element what its ancestors have
      return createScope((prefix) => own.has(prefix) ? own.get(prefix) : declared(prefix), warn);
    },
    forRss: () => createScope((prefix) => prefix ? declared(prefix) : "", warn),
  };
  return self;
}

/** A feed has some dozens. */
const MAX_CACHED_NAMES = 500;
