/**
 * Canonical element names in lower case, independent of prefix and spelling: `itunes:duration`, `title`. A namespace
 * is recognized by its URL, or by its usual prefix if the URL is missing or unknown.
 */
import { parseAttributes } from "./attributes.ts";
import { decodeEntities } from "./text.ts";
import { resolveBase } from "./xml_base.ts";
import type { WarnFn } from "./warn.ts";

/** Namespaces by their usual prefix: the URL, then URLs that feeds use instead. */
const NAMESPACES: Record<string, [url: string, ...others: string[]]> = {
  itunes: ["http://www.itunes.com/dtds/podcast-1.0.dtd"],
  podcast: [
    "https://podcastindex.org/namespace/1.0",
    "https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md",
  ],
  content: ["http://purl.org/rss/1.0/modules/content/"],
  atom: ["http://www.w3.org/2005/Atom"],
  dc: ["http://purl.org/dc/elements/1.1/"],
  media: ["http://search.yahoo.com/mrss/"],
  rdf: ["http://www.w3.org/1999/02/22-rdf-syntax-ns#"],
  psc: ["http://podlove.org/simple-chapters"],
  googleplay: [
    "http://www.google.com/schemas/play-podcasts/1.0",
    "http://www.google.com/schemas/play-podcasts/1.0/play-podcasts.xsd",
  ],
  feedburner: ["http://rssnamespace.org/feedburner/ext/1.0"],
  fh: ["http://purl.org/syndication/history/1.0"],
  opensearch: ["http://a9.com/-/spec/opensearch/1.1/", "http://a9.com/-/spec/opensearchrss/1.0/"],
  xhtml: ["http://www.w3.org/1999/xhtml"],
  svg: ["http://www.w3.org/2000/svg"],
  mathml: ["http://www.w3.org/1998/Math/MathML"],
  xi: ["http://www.w3.org/2001/XInclude"],
  xsl: ["http://www.w3.org/1999/XSL/Transform"],
  spotify: ["http://www.spotify.com/ns/rss"],
  sy: ["http://purl.org/rss/1.0/modules/syndication/"],
};
/** URLs of RSS itself. */
const RSS = ["http://purl.org/rss/1.0/", "http://backend.userland.com/rss2"];
/** XML's own namespaces, which no other prefix may have. */
const RESERVED = ["http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns/"];

const START =
  "A-Z_a-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c\\u200d\\u2070-\\u218f" +
  "\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd\\u{10000}-\\u{effff}";
/** A name without a colon (XML Namespaces 1.0, 4). */
const NC_NAME = new RegExp(`^[${START}][${START}.0-9\\u00b7\\u0300-\\u036f\\u203f\\u2040-]*$`, "u");

/** In characters: known URLs are shorter, and trimming the end of a long one is slow. */
const MAX_NAMESPACE_CHARS = 200;

/** Feeds write namespace URLs in either case, with http or https, with or without www and a trailing slash. */
const normalizeNamespace = (address: string) =>
  address.trim().slice(0, MAX_NAMESPACE_CHARS).toLowerCase().replace(/^https?:\/\/(?:www\.)?/, "").replace(
    /[/#]+$/,
    "",
  );

/** Canonical prefix by normalized namespace URL; empty for RSS itself. */
const PREFIXES = new Map([
  ...Object.entries(NAMESPACES).flatMap(([prefix, urls]) =>
    urls.map((url) => [normalizeNamespace(url), prefix] as const)
  ),
  ...RSS.map((url) => [normalizeNamespace(url), ""] as const),
]);

export interface Scope {
  /** The innermost xml:base; undefined if the document's URL is the base of relative URLs. */
  base: string | undefined;
  /** The canonical name of an element. */
  name(written: string): string;
  /** The name of an element or attribute with its namespace; undefined if its prefix is not declared. */
  expandName(written: string, isAttribute: boolean): ExpandedName | undefined;
  isDeclared(prefix: string): boolean;
  /** The scope inside an element with these attributes; the same scope if they declare no namespace or base. */
  within(attributes: string): Scope;
  /** The same scope with unprefixed names as names of the format, ignoring their declared namespace. */
  forRss(): Scope;
  forAtom(): Scope;
}

export interface ExpandedName {
  /** The usual prefix, else the written one in lower case; empty for a default namespace. */
  prefix: string;
  /** URL of the namespace; empty for none. */
  namespace: string;
  /** As written. */
  local: string;
  /** Whether XML allows the name. */
  isValid: boolean;
}

export const rootScope = (warn: WarnFn, documentUrl: string): Scope =>
  createScope(() => undefined, undefined, { warn, documentUrl });

/** What all scopes of a document share. */
interface ScopeContext {
  warn: WarnFn;
  documentUrl: string;
}

interface Binding {
  /** Null if the URL is unknown. */
  canonical: string | null;
  /** With decoded references. */
  url: string;
}

/** Meaning of a lower-case prefix; undefined if it is not declared. */
type PrefixLookup = (prefix: string) => Binding | undefined;

const isSame = (a: Binding | undefined, b: Binding) =>
  a !== undefined && a.canonical === b.canonical && (a.canonical !== null || a.url === b.url);

function createScope(declared: PrefixLookup, base: string | undefined, context: ScopeContext): Scope {
  const { warn, documentUrl } = context;
  const names = new Map<string, string>();
  const elementNames = new Map<string, ExpandedName | null>();
  const attributeNames = new Map<string, ExpandedName | null>();

  function resolvePrefix(prefix: string): string {
    const known = declared(prefix)?.canonical;
    if (typeof known === "string") return known;
    if (Object.hasOwn(NAMESPACES, prefix)) {
      warn(known === null ? "NAMESPACE_UNKNOWN" : "NAMESPACE_UNDECLARED", prefix);
    }
    return prefix;
  }

  function canonicalName(written: string): string {
    const name = written.toLowerCase();
    const colon = name.indexOf(":");
    const prefix = resolvePrefix(name.slice(0, Math.max(0, colon)));
    const local = name.slice(colon + 1);
    return prefix ? `${prefix}:${local}` : local;
  }

  function resolveName(written: string, isAttribute: boolean): ExpandedName | undefined {
    const colon = written.indexOf(":");
    const local = written.slice(colon + 1);
    const outer = colon < 0 ? "" : written.slice(0, colon).toLowerCase();
    const isValid = NC_NAME.test(local) && (!outer || NC_NAME.test(outer));
    if (outer === "xmlns") return;
    if (outer === "xml") return { prefix: outer, namespace: RESERVED[0], local, isValid };
    if (!outer && isAttribute) return { prefix: "", namespace: "", local, isValid };
    const prefix = resolvePrefix(outer);
    if (Object.hasOwn(NAMESPACES, prefix)) return { prefix, namespace: NAMESPACES[prefix][0], local, isValid };
    const binding = declared(outer);
    const namespace = binding && binding.canonical === null ? binding.url.trim() : "";
    if (!outer || !prefix) {
      return { prefix: "", namespace: RESERVED.includes(namespace) ? "" : namespace, local, isValid };
    }
    return namespace && !RESERVED.includes(namespace) ? { prefix, namespace, local, isValid } : undefined;
  }

  const self: Scope = {
    base,
    name(written) {
      let name = names.get(written);
      if (name === undefined) {
        name = canonicalName(written);
        if (names.size < MAX_CACHED_NAMES) names.set(written, name);
      }
      return name;
    },
    expandName(written, isAttribute) {
      const known = isAttribute ? attributeNames : elementNames;
      let name = known.get(written);
      if (name === undefined) {
        name = resolveName(written, isAttribute) ?? null;
        if (known.size < MAX_CACHED_NAMES) known.set(written, name);
      }
      return name ?? undefined;
    },
    isDeclared: (prefix) => declared(prefix) !== undefined,
    within(attributes) {
      if (!attributes.includes("xml") || !/xml(?:ns|:base)/.test(attributes)) return self;
      const own = new Map<string, Binding>();
      let inner = base;
      for (const [name, written] of parseAttributes(attributes)) {
        if (name === "xml:base") inner = resolveBase(decodeEntities(written, warn), base ?? documentUrl) ?? base;
        const [, prefix] = /^xmlns(?::(.*))?$/.exec(name) ?? [name, null];
        if (prefix === null) continue;
        const url = decodeEntities(written, warn);
        own.set(prefix ?? "", { canonical: PREFIXES.get(normalizeNamespace(url)) ?? null, url });
      }
      if (inner === base && [...own].every(([prefix, binding]) => isSame(declared(prefix), binding))) return self;
      // delegates to the outer scope: copying all declarations would cost each element as much as its ancestors have
      return createScope((prefix) => own.get(prefix) ?? declared(prefix), inner, context);
    },
    forRss: () => createScope((prefix) => prefix ? declared(prefix) : RSS_BINDING, base, context),
    forAtom: () => createScope((prefix) => prefix ? declared(prefix) : ATOM_BINDING, base, context),
  };
  return self;
}

const RSS_BINDING: Binding = { canonical: "", url: RSS[0] };
const ATOM_BINDING: Binding = { canonical: "atom", url: NAMESPACES.atom[0] };

/** A feed has a few dozen names. */
const MAX_CACHED_NAMES = 500;
