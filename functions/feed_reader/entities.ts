/**
 * Entities declared in the feed's own document type (XML 1.0, 4.2); external entities are never fetched. Expansion is
 * bounded for all declarations together, for each episode, and for the whole feed.
 */
import { decodeCharacterReference } from "../text/character.ts";
import type { WarnFn } from "./warn.ts";

/** In characters: all entities of a document type, and their use in one episode or in the channel. */
const MAX_EXPANSION = 10_000;
/** In characters, over all episodes: a feed must not store far more than it sends. */
const MAX_GROWTH = 1_000_000;
/** Nesting of entities. */
const MAX_DEPTH = 16;

export interface Entities {
  /** Replaces references to declared entities in a text or in a tag's attributes. */
  expand(raw: string, isAttribute?: boolean): string;
  /** Resets the limit for the next episode. */
  startItem(): void;
}

/** Declarations of general entities with a value. External entities have SYSTEM or PUBLIC, parameter entities a `%`. */
const DECLARATION = /<!--.*?(?:-->|$)|<!ENTITY\s+([^\s%"'<>&;]{1,64})\s+(?:"([^"]*)"|'([^']*)')\s*>/gs;
const REFERENCE = /&([^\s&;#<>"']{1,64});/g;
const CHARACTER = /&#(?:(\d{1,8})|x([0-9a-f]{1,7}));/gi;
/** XML's predefined entities cannot be redeclared. */
const PREDEFINED = new Set(["amp", "lt", "gt", "quot", "apos"]);

class TooLargeError extends Error {}

/** Parses the internal subset; undefined if it declares no usable entity (DTD_SKIPPED). */
export function parseEntities(subset: string, warn: WarnFn): Entities | undefined {
  const values = new Map<string, string>();
  for (const [, name, double, single] of subset.matchAll(DECLARATION)) {
    if (!name || PREDEFINED.has(name) || values.has(name)) continue; // the first declaration wins
    values.set(
      name,
      (double ?? single).replace(CHARACTER, (_, decimal, hex) => decodeCharacterReference(decimal, hex) ?? ""),
    );
  }
  if (!values.size) return;
  try {
    return createExpander(expandValues(values), warn);
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error;
    warn("DTD_SKIPPED");
  }
}

/** Resolves references between entities, each once; throws TooLargeError for cycles too. */
function expandValues(values: Map<string, string>): Map<string, string> {
  const done = new Map<string, string>();
  let total = 0;
  function resolve(name: string, depth: number): string {
    const known = done.get(name);
    if (known !== undefined) return known;
    if (depth > MAX_DEPTH) throw new TooLargeError();
    let length = 0;
    const expanded = values.get(name)!.replace(REFERENCE, (reference, other) => {
      const value = values.has(other) ? resolve(other, depth + 1) : reference;
      length += value.length;
      if (length > MAX_EXPANSION) throw new TooLargeError();
      return value;
    });
    total += expanded.length;
    if (total > MAX_EXPANSION) throw new TooLargeError();
    done.set(name, expanded);
    return expanded;
  }
  for (const name of values.keys()) resolve(name, 0);
  return done;
}

function createExpander(values: Map<string, string>, warn: WarnFn): Entities {
  let charsLeft = MAX_EXPANSION;
  let growth = 0;
  return {
    startItem() {
      charsLeft = MAX_EXPANSION;
    },
    expand(raw, isAttribute = false) {
      if (!raw.includes("&")) return raw;
      return raw.replace(REFERENCE, (reference, name) => {
        const value = values.get(name);
        if (value === undefined) return reference;
        const longer = Math.max(0, value.length - reference.length);
        if (value.length > charsLeft || growth + longer > MAX_GROWTH) {
          warn("ENTITIES_NOT_EXPANDED", reference);
          return reference;
        }
        charsLeft -= value.length;
        growth += longer;
        return isAttribute ? value.replace(/["'<>]/g, (mark) => `&#${mark.charCodeAt(0)};`) : value;
      });
    },
  };
}
