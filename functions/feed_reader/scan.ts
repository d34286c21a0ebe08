/**
 * Splits the XML of feeds into tags and text. It accepts text in chunks, holds at most one tag or one piece of a
 * section, and recovers from every error: a `<` that begins no tag is text, an unclosed quote ends with its tag, and
 * an unclosed CDATA section with its element. The internal subset of a document type is passed on, or skipped if it
 * is longer than a tag may be.
 */
import { parseDoctype } from "./doctype.ts";
import {
  EXCLAMATION,
  findNameEnd,
  findTagEnd,
  findUnclosedEnd,
  GREATER,
  isBlank,
  isNameEnd,
  isNameStart,
  LESS,
  NOT_A_TAG,
  QUESTION,
  SLASH,
  SPACE,
  WAIT,
} from "./tag_bounds.ts";

export interface Tokens {
  /** `attributes` is the source between the name and the end of the tag. Empty elements get no `close`. */
  open(name: string, attributes: string, isEmpty: boolean): void;
  close(name: string): void;
  /** Whether blank text is used here; other text always is. */
  wantsText(): boolean;
  /** As written, references included; may come in pieces. */
  text(written: string): void;
  /** The content of a CDATA section; may come in pieces. */
  cdata(written: string): void;
  /** The text between the brackets of the document type. */
  doctype(subset: string): void;
  /** The name of the innermost open element, as written. */
  currentElement(): string;
  /** Called after each token; true pauses the scanner. */
  isFull(): boolean;
  /** Reports a repair. */
  warn(what: Repair): void;
}
type Repair = "CDATA_UNCLOSED" | "TAG_TOO_LONG" | "DTD_SKIPPED";

/** In characters: a longer tag is text, and a longer section is passed on in pieces. */
const MAX_TAG_CHARS = 65_536;
const MAX_SECTION_CHARS = 1_048_576;

/** A feed has a few dozen names. */
const MAX_NAMES = 100;

const CDATA = "<![CDATA[";
/** The end of a document type that is too long or malformed. */
const SUBSET_END = /\]\s*>/g;
/** The root of a feed: a document type before it was never closed. */
const ROOT = /<(?:rss|rdf:rdf|channel|feed)[\s>]/i;
const LITERALS = /"[^"]*"|'[^']*'/g;
/** A prefix of CDATA that is fast to search, because its first character is rare. */
const CDATA_PROBE = "![CD";

interface Scanner {
  add(text: string): void;
  /** Declares the end of the text. */
  end(): void;
  /** Scans until the tokens are full (true) or more text is needed (false). */
  run(): boolean;
  /** Number of characters read. */
  position(): number;
  /** Whether the text ended inside a tag, a section or a comment. */
  isTruncated(): boolean;
}

export function createScanner(tokens: Tokens): Scanner {
  let text = "";
  let at = 0;
  let discarded = 0; // characters read and released
  let searched = 0; // the end of the current token is not before this offset
  let isEnded = false;
  let isTruncated = false;
  let isDeclared = false; // a document type was read
  let lastName = "";
  const followers = new Map<string, string>(); // the name after each name
  /** The current state: content, or a skipped or passed-on section. */
  let step: () => number = readContent;

  /** Each step reads a token at `at` and returns the offset to continue at, or WAIT for more text. */
  function readContent(): number {
    const less = text.indexOf("<", at);
    if (less !== at) {
      const end = less < 0 ? text.length : less;
      if (end > at && (tokens.wantsText() || !isBlank(text, at, end))) tokens.text(text.slice(at, end));
      at = end;
      if (less < 0) return WAIT;
    }
    const next = text.charCodeAt(at + 1);
    if (isNameStart(next)) return readOpenTag();
    if (next === SLASH) return readCloseTag();
    if (next === EXCLAMATION) return readMarkupDeclaration();
    if (next === QUESTION) return skipDeclaration(); // its own end, `?>`, is often missing
    return Number.isNaN(next) && !isEnded ? WAIT : readLiteral();
  }

  function readLiteral(): number {
    tokens.text("<");
    return at + 1;
  }

  function readOpenTag(): number {
    const name = readName();
    const nameEnd = at + 1 + name.length;
    if (text.charCodeAt(nameEnd) === GREATER) {
      tokens.open(name, "", false);
      return nameEnd + 1;
    }
    const end = findTagEnd(text, nameEnd);
    if (end === NOT_A_TAG) return readLiteral();
    if (end === WAIT) return waitOr(readLiteral);
    const isEmpty = text.charCodeAt(end - 1) === SLASH;
    const last = isEmpty ? end - 1 : end;
    tokens.open(name, nameEnd < last ? text.slice(nameEnd, last) : "", isEmpty);
    return end + 1;
  }

  /** Names follow each other as in the item before: one string for all saves copies, hashes and comparisons. */
  function readName(): string {
    const expected = followers.get(lastName);
    if (expected !== undefined && text.startsWith(expected, at + 1)) {
      if (isNameEnd(text.charCodeAt(at + 1 + expected.length))) return lastName = expected;
    }
    const name = text.slice(at + 1, findNameEnd(text, at + 1));
    if (followers.size < MAX_NAMES || followers.has(lastName)) followers.set(lastName, name);
    return lastName = name;
  }

  /** A closing tag without `>` ends where the next tag begins. */
  function readCloseTag(): number {
    const name = tokens.currentElement();
    const close = at + 2 + name.length;
    if (text.charCodeAt(close) === GREATER && text.startsWith(name, at + 2)) {
      tokens.close(name);
      return close + 1;
    }
    for (let end = at + 2; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if (code !== GREATER && code !== LESS) continue;
      const name = text.slice(at + 2, end);
      tokens.close(text.charCodeAt(end - 1) <= SPACE ? name.trimEnd() : name);
      return code === LESS ? end : end + 1;
    }
    return waitOr(readRestAsText);
  }

  function readMarkupDeclaration(): number {
    if (text.startsWith(CDATA, at)) return enter(readSection, CDATA.length);
    if (text.startsWith("<!--", at)) return enter(skipComment, 4);
    const begin = text.slice(at, at + CDATA.length);
    if (!isEnded && (CDATA.startsWith(begin) || "<!--".startsWith(begin))) return WAIT;
    if (begin.toUpperCase() !== "<!DOCTYPE" || isDeclared) return skipDeclaration();
    const end = text.indexOf(">", at);
    if (end < 0) return waitOr(readRestAsText);
    const next = text.slice(at, end).replace(LITERALS, "").includes("[") ? subset() : end + 1;
    isDeclared = next !== WAIT;
    return next;
  }

  function subset(): number {
    const found = parseDoctype(text, at);
    if (found) {
      if (found.end - at > MAX_TAG_CHARS) tokens.warn("DTD_SKIPPED");
      else tokens.doctype(found.subset);
      return found.end;
    }
    const isLong = text.length - at >= MAX_TAG_CHARS;
    if (!isLong && !isEnded) return WAIT;
    if (isLong && !ROOT.test(text.slice(at))) {
      tokens.warn("DTD_SKIPPED");
      return enter(skipDoctype, 0);
    }
    SUBSET_END.lastIndex = at;
    return SUBSET_END.test(text) ? SUBSET_END.lastIndex : waitOr(readLiteral);
  }

  function skipDoctype(): number {
    SUBSET_END.lastIndex = at;
    if (SUBSET_END.test(text)) {
      step = readContent;
      return SUBSET_END.lastIndex;
    }
    at = Math.max(at, text.length - 1024); // white space may precede the `>`
    isTruncated ||= isEnded;
    return WAIT;
  }

  function enter(next: () => number, length: number): number {
    step = next;
    searched = at + length;
    return searched;
  }

  function skipDeclaration(): number {
    const end = text.indexOf(">", at);
    return end < 0 ? waitOr(readRestAsText) : end + 1;
  }

  /** Waits for more text; gives up if the token is too long or the text has ended. */
  function waitOr(giveUp: () => number): number {
    if (text.length - at >= MAX_TAG_CHARS) {
      tokens.warn("TAG_TOO_LONG");
      return giveUp();
    }
    if (!isEnded) return WAIT;
    isTruncated = true;
    return text.length;
  }

  /** Without a `>` there is no tag: one step, so that nothing is searched twice. */
  function readRestAsText(): number {
    tokens.text(text.slice(at));
    return text.length;
  }

  function skipComment(): number {
    const end = text.indexOf("-->", at);
    if (end >= 0) {
      step = readContent;
      return end + 3;
    }
    at = Math.max(at, text.length - 2);
    isTruncated ||= isEnded;
    return WAIT;
  }

  function readSection(): number {
    const end = text.indexOf("]]>", Math.max(at, searched - 2));
    const stop = end < 0 ? text.length : end;
    const isLong = stop - at > MAX_SECTION_CHARS;
    if (end < 0 && !isEnded && !isLong) {
      searched = text.length;
      return WAIT;
    }
    const nextSection = end < 0 ? text.length : text.slice(at, end).indexOf(CDATA_PROBE) + at;
    const escape = findUnclosedEnd(text, at, nextSection, tokens.currentElement());
    if (escape > at) {
      tokens.warn("CDATA_UNCLOSED");
      tokens.cdata(text.slice(at, escape));
      step = readContent;
      return escape;
    }
    if (end >= 0) {
      if (end > at) tokens.cdata(text.slice(at, end));
      step = readContent;
      return end + 3;
    }
    const sure = isEnded ? stop : stop - 2;
    tokens.cdata(text.slice(at, sure));
    at = sure;
    searched = at;
    isTruncated ||= isEnded;
    return WAIT;
  }

  return {
    add(more) {
      discarded += at;
      searched = Math.max(0, searched - at);
      text = at < text.length ? text.slice(at) + more : more;
      at = 0;
    },
    end() {
      isEnded = true;
    },
    run() {
      while (at < text.length) {
        const next = step();
        if (next === WAIT) break;
        at = next;
        if (tokens.isFull()) return true;
      }
      return false;
    },
    position: () => discarded + at,
    isTruncated: () => isTruncated || step !== readContent,
  };
}
