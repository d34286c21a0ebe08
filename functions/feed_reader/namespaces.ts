/**
 * Canonical element names in lower case, independent of prefix and spelling: `itunes:duration`, `title`. A namespace
 * is recognized by its URL, or by its usual prefix if the URL is missing or unknown.
 */
import { parseAttributes } from "./attributes.ts";
import type { WarnFn } from "./warn.ts";

/** Canonical prefix by normalized namespace URL; empty for RSS itself. */
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

/** In characters: known URLs are shorter, and trimming the end of a long one is slow. */
const MAX_NAMESPACE_CHARS = 200;

/** Feeds write namespace URLs in either case, with http or https, with or without www and a trailing slash. */
const normalizeNamespace = (address: string) =>
  address.trim().slice(0, MAX_NAMESPACE_CHARS).toLowerCase().replace(/^https?:\/\/(?:www\.)?/, "").replace(
    /[/#]+$/,
    "",
  );

export interface Scope {
  /** The canonical name of an element. */
  name(written: string): string;
  /** The scope inside an element with these attributes; the same scope if they declare no namespace. */
  within(attributes: string): Scope;
  /** The same scope with unprefixed names as RSS names, ignoring their declared namespace. */
  forRss(): Scope;
}

export const rootScope = (warn: WarnFn): Scope => createScope(() => undefined, warn);

/** Meaning of a lower-case prefix: null if its URL is unknown, undefined if it is not declared. */
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
      // delegates to the outer scope: copying all declarations would cost each element as much as its ancestors have
      return createScope((prefix) => own.has(prefix) ? own.get(prefix) : declared(prefix), warn);
    },
    forRss: () => createScope((prefix) => prefix ? declared(prefix) : "", warn),
  };
  return self;
}

/** A feed has a few dozen names. */
const MAX_CACHED_NAMES = 500;
