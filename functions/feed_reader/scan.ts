/**
 * XML as feeds have it, cut into tags and text. It takes text as it comes, holds no more of it than one tag or a piece
 * of one section, and reads on after every fault: a `<` that begins no tag is text, a quote that is never closed ends
 * with its tag, and so does a CDATA section with its element. A document type's own declarations are handed on; those
 * that are longer than a tag may be are skipped.
 */
import { doctypeAt } from "./doctype.ts";

export interface Tokens {
  /** `attributes` is what stands between the name and the end of the tag, as written. An empty one is not closed. */
  open(name: string, attributes: string, isEmpty: boolean): void;
  close(name: string): void;
  /** Whether text means anything here. */
  listens(): boolean;
  /** As written, entities and all; may come in pieces. */
  text(written: string): void;
  /** What a CDATA section holds; may come in pieces. */
  cdata(written: string): void;
  /** The text between the brackets of the document type. */
  doctype(subset: string): void;
  /** The element that stands open, as written. */
  inside(): string;
  /** Asked after each closed element: whether to pause. */
  isFull(): boolean;
  /** What was repaired here. */
  note(what: Repair): void;
}
type Repair = "CDATA_UNCLOSED" | "TAG_TOO_LONG" | "DTD_SKIPPED";

/** In characters: longer is no tag, and a longer section is handed on in pieces. */
const LONGEST_TAG = 65_536;
const LONGEST_SECTION = 1_048_576;

const CDATA = "<![CDATA[";
/** Where a document type ends that is too long, or not well-formed. */
const SUBSET_END = /\]\s*>/g;
/** What begins a feed: a document type that was never closed stands before it. */
const ROOT = /<(?:rss|rdf:rdf|channel)[\s>]/i;
const LITERALS = /"[^"]*"|'[^']*'/g;
/** Enough of it to be found: four characters that begin with a rare one are searched for at the speed of memory. */
const OTHER_CDATA = "![CD";
const [WAIT, BROKEN] = [-1, -2];
const [SPACE, EXCLAMATION, DOUBLE, SINGLE, SLASH, LESS, EQUALS, GREATER, QUESTION] = [
  32,
  33,
  34,
  39,
  47,
  60,
  61,
  62,
  63,
];

export interface Scanner {
  add(text: string): void;
  /** No more text will be added. */
  end(): void;
  /** Goes on until the tokens are full (true) or more text is needed (false). */
  run(): boolean;
  /** How many characters were read. */
  position(): number;
  /** Whether the text ended inside a tag, a section or a comment. */
  isCut(): boolean;
}

export function scanner(tokens: Tokens): Scanner {
  let text = "";
  let at = 0;
  let before = 0; // characters that are held no more
  let searched = 0; // up to here the end of what is being read was not found
  let isEnded = false;
  let isCut = false;
  let isDeclared = false; // a document type: there is one
  /** What skips or hands on from here: markup begins in text. */
  let step: () => number = content;

  /** Each step reads something at `at`; gives where to go on, or WAIT for more text. */
  function content(): number {
    const less = text.indexOf("<", at);
    if (less !== at) {
      const end = less < 0 ? text.length : less;
      if (end > at && tokens.listens()) tokens.text(text.slice(at, end));
      at = end;
      if (less < 0) return WAIT;
    }
    const next = text.charCodeAt(at + 1);
    if (beginsName(next)) return openTag();
    if (next === SLASH) return closeTag();
    if (next === EXCLAMATION) return bang();
    if (next === QUESTION) return declaration(); // whose own end, `?>`, is often forgotten
    return Number.isNaN(next) && !isEnded ? WAIT : literal();
  }

  function literal(): number {
    tokens.text("<");
    return at + 1;
  }

  function openTag(): number {
    const end = tagEnd(text, at + 1);
    if (end === BROKEN) return literal();
    if (end === WAIT) return cutOr(literal);
    const isEmpty = text.charCodeAt(end - 1) === SLASH;
    const last = isEmpty ? end - 1 : end;
    const nameEnd = endOfName(text, at + 1, last);
    const name = text.slice(at + 1, nameEnd);
    tokens.open(name, nameEnd < last ? text.slice(nameEnd, last) : "", isEmpty);
    return end + 1;
  }

  /** Ends where another tag begins, when its own `>` is missing. */
  function closeTag(): number {
    const name = tokens.inside();
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
    return cutOr(allAsText);
  }

  function bang(): number {
    if (text.startsWith(CDATA, at)) return enter(section, CDATA.length);
    if (text.startsWith("<!--", at)) return enter(comment, 4);
    const begin = text.slice(at, at + CDATA.length);
    if (!isEnded && (CDATA.startsWith(begin) || "<!--".startsWith(begin))) return WAIT;
    if (begin.toUpperCase() !== "<!DOCTYPE" || isDeclared) return declaration();
    const end = text.indexOf(">", at);
    if (end < 0) return cutOr(allAsText);
    const next = text.slice(at, end).replace(LITERALS, "").includes("[") ? subset() : end + 1;
    isDeclared = next !== WAIT;
    return next;
  }

  function subset(): number {
    const found = doctypeAt(text, at);
    if (found) {
      if (found.end - at > LONGEST_TAG) tokens.note("DTD_SKIPPED");
      else tokens.doctype(found.subset);
      return found.end;
    }
    const isLong = text.length - at >= LONGEST_TAG;
    if (!isLong && !isEnded) return WAIT;
    if (isLong && !ROOT.test(text.slice(at))) {
      tokens.note("DTD_SKIPPED");
      return enter(longSubset, 0);
    }
    SUBSET_END.lastIndex = at;
    return SUBSET_END.test(text) ? SUBSET_END.lastIndex : cutOr(literal);
  }

  function longSubset(): number {
    SUBSET_END.lastIndex = at;
    if (SUBSET_END.test(text)) {
      step = content;
      return SUBSET_END.lastIndex;
    }
    at = Math.max(at, text.length - 1024); // white space may stand before the `>`
    isCut ||= isEnded;
    return WAIT;
  }

  function enter(next: () => number, length: number): number {
    step = next;
    searched = at + length;
    return searched;
  }

  function declaration(): number {
    const end = text.indexOf(">", at);
    return end < 0 ? cutOr(allAsText) : end + 1;
  }

  /** What may still become whole waits for more, unless it is too long or there is none. */
  function cutOr(otherwise: () => number): number {
    if (text.length - at >= LONGEST_TAG) {
      tokens.note("TAG_TOO_LONG");
      return otherwise();
    }
    if (!isEnded) return WAIT;
    isCut = true;
    return text.length;
  }

  /** Where no `>` is, no tag is either: one step, so that nothing is searched twice. */
  function allAsText(): number {
    tokens.text(text.slice(at));
    return text.length;
  }

  function comment(): number {
    const end = text.indexOf("-->", at);
    if (end >= 0) {
      step = content;
      return end + 3;
    }
    at = Math.max(at, text.length - 2);
    isCut ||= isEnded;
    return WAIT;
  }

  function section(): number {
    const end = text.indexOf("]]>", Math.max(at, searched - 2));
    const stop = end < 0 ? text.length : end;
    const isLong = stop - at > LONGEST_SECTION;
    if (end < 0 && !isEnded && !isLong) {
      searched = text.length;
      return WAIT;
    }
    const escape = end < 0 ? escapeFrom(text.length) : escapeFrom(text.slice(at, end).indexOf(OTHER_CDATA) + at);
    if (escape > at) {
      tokens.note("CDATA_UNCLOSED");
      tokens.cdata(text.slice(at, escape));
      step = content;
      return escape;
    }
    if (end >= 0) {
      if (end > at) tokens.cdata(text.slice(at, end));
      step = content;
      return end + 3;
    }
    const sure = isEnded ? stop : stop - 2;
    tokens.cdata(text.slice(at, sure));
    at = sure;
    searched = at;
    isCut ||= isEnded;
    return WAIT;
  }

  /**
   * Where the element that holds a section is closed, before there is another section: then this one was not closed. In
   * whatever case, as outside of a section.
   */
  function escapeFrom(other: number): number {
    const name = tokens.inside().toLowerCase();
    if (other <= at || !name) return WAIT;
    for (let close = text.indexOf("</", at); close >= 0 && close < other; close = text.indexOf("</", close + 2)) {
      let end = close + 2 + name.length;
      if (text.slice(close + 2, end).toLowerCase() !== name) continue;
      while (text.charCodeAt(end) <= SPACE) end++;
      if (text.charCodeAt(end) === GREATER) return close;
    }
    return WAIT;
  }

  return {
    add(more) {
      before += at;
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
    position: () => before + at,
    isCut: () => isCut || step !== content,
  };
}

/**
 * Where the `>` of a tag stands; WAIT when the text ends before, BROKEN when another tag begins before. Quotes count
 * after an equals sign only; one that holds a `>` and a `<` was never closed, and ends with the tag, at that `>`.
 */
function tagEnd(text: string, from: number): number {
  let quote = 0;
  let last = 0;
  let greater = 0;
  let hasLess = false;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (quote) {
      if (code === LESS) hasLess = true;
      else if (code === GREATER) greater ||= at;
      else if (code === quote) quote = 0;
      if (greater && hasLess) return greater;
      if (!quote) [greater, hasLess] = [0, false];
    } else if (code === GREATER) {
      return at;
    } else if (code === LESS) {
      return BROKEN;
    } else if ((code === DOUBLE || code === SINGLE) && last === EQUALS) {
      quote = code;
    }
    if (code > SPACE) last = code;
  }
  return WAIT;
}

function endOfName(text: string, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code <= SPACE || code === SLASH) return at;
  }
  return to;
}

/** Any letter of any script, as far as this can tell, an underscore or a colon (XML 1.0, 2.3). */
function beginsName(code: number): boolean {
  return code >= 97 && code <= 122 || code >= 65 && code <= 90 || code === 95 || code === 58 || code > 127;
}
