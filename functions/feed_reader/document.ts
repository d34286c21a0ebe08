/** Tracks the nesting of elements: which text is kept, and where an item ends. */
import { type ChannelDraft, channelRules, createChannelDraft } from "./channel.ts";
import { type Entities, parseEntities } from "./entities.ts";
import { FeedError } from "./feed_error.ts";
import { createItemDraft, type ItemDraft, itemRules } from "./item.ts";
import { rootScope, type Scope } from "./namespaces.ts";
import { oncePerCode, type WarnFn } from "./warn.ts";
import type { ElementRule, ElementRules } from "./element_rules.ts";
import type { Tokens } from "./scan.ts";
import { capture } from "./capture.ts";

// Rules belong to either draft; the code that enters an element knows to which.
// deno-lint-ignore no-explicit-any
type AnyRule = ElementRule<any>;
// deno-lint-ignore no-explicit-any
type AnyRules = ElementRules<any>;

interface OpenElement {
  written: string;
  name: string;
  scope: Scope;
  rules: AnyRules;
  /** The rule that reads it; undefined for ignored elements. */
  rule?: AnyRule;
  attributes: string;
}

/** Deeper elements are ignored; feeds have none. */
const MAX_DEPTH = 100;
/** In characters: text allowed before the root tag, such as a server's error messages. */
const MAX_PROLOGUE_CHARS = 4096;

/** In characters: one text, and all texts of an item or of the channel. */
const MAX_TEXT_CHARS = 1_000_000;
const MAX_DRAFT_CHARS = 4_000_000;

const NO_RULES: AnyRules = new Map();
const channel: AnyRule = { children: channelRules };
const rootRules: AnyRules = new Map([["channel", channel]]);
const ROOTS = new Map([["rss", rootRules], ["rdf:rdf", rootRules], ["rdf", rootRules], ["channel", channelRules]]);
const HTML = /^(?:xhtml:)?(?:html|head|body|script|meta|div|p)$/;
const ATOM = /^(?:atom:)?feed$/;
const NOT_RSS = new RegExp(`${HTML.source}|${ATOM.source}`);
/** Names that HTML has as well: inside a text that may be HTML they may be unescaped markup. */
const HTML_NAMES = new Set(["title", "link", "image"]);
const HTML_TEXTS = new Set(["description", "content:encoded", "itunes:summary", "itunes:subtitle"]);

export interface FeedDocument extends Tokens {
  channel: ChannelDraft;
  /** Ends the document. Returns true if an element is still open. */
  end(): boolean;
}

/** `onItem` receives each item as it ends. `position` returns how far the text was read, `isFull` whether to pause. */
export function createDocument(
  warn: WarnFn,
  onItem: (item: ItemDraft) => void,
  position: () => number,
  isFull: () => boolean,
): FeedDocument {
  const draft = createChannelDraft(oncePerCode(warn));
  const stack: OpenElement[] = [];
  let top: OpenElement = { written: "", name: "", scope: rootScope(warn), rules: NO_RULES, attributes: "" };
  let item: ItemDraft | undefined;
  let itemDepth = 0;
  let charsLeft = MAX_DRAFT_CHARS;
  let channelCharsLeft = MAX_DRAFT_CHARS; // saved while an item is read
  let entities: Entities | undefined;
  const text = capture((written) => entities ? entities.expand(written) : written);
  let firstUnknown: string | undefined; // the first element that is not a feed's root
  let hasRoot = false;
  const warnHere: WarnFn = (code, excerpt) => (item?.warn ?? warn)(code, excerpt);

  function push(written: string, name: string, scope: Scope, attributes: string, rules: AnyRules, rule?: AnyRule) {
    stack.push(top);
    top = { written, name, scope, rules, rule, attributes };
  }

  function pop() {
    const { name, rule, attributes } = top;
    if (rule?.close) {
      const content = text.end(warnHere);
      charsLeft -= content.length;
      rule.close(item ?? draft, { attributes, text: content });
    }
    top = stack.pop()!;
    if (name !== "item" || !item || stack.length !== itemDepth) return;
    const done = item;
    item = undefined;
    charsLeft = channelCharsLeft;
    entities?.startItem();
    onItem(done);
  }

  function openRoot(written: string, name: string, scope: Scope, attributes: string) {
    if (isPrologueTooLong()) throw notAFeed(firstUnknown!);
    const rules = ROOTS.get(name) ?? ROOTS.get(written.toLowerCase()); // some feeds declare Atom's namespace as the default
    if (rules) {
      hasRoot = true;
      if (firstUnknown !== undefined) warn("LEADING_CONTENT");
      return push(written, name, scope.forRss(), attributes, rules);
    }
    firstUnknown ??= name;
    if (NOT_RSS.test(name)) throw notAFeed(firstUnknown && name);
  }

  /** White space, comments and declarations have no length limit. */
  const isPrologueTooLong = () => firstUnknown !== undefined && position() > MAX_PROLOGUE_CHARS;

  function openItem(written: string, scope: Scope, attributes: string) {
    if (item) {
      while (stack.length > itemDepth + 1) pop();
      item.warn("TAG_UNCLOSED", "item");
      pop();
    }
    itemDepth = stack.length;
    item = createItemDraft();
    entities?.startItem();
    [charsLeft, channelCharsLeft] = [MAX_DRAFT_CHARS, charsLeft];
    push(written, "item", scope, attributes, itemRules);
  }

  /** Closes a text element before an element that can only be its sibling. */
  function closeUnclosed(name: string) {
    if (!top.rule || top.rule.children || !stack[stack.length - 1].rules.has(name)) return;
    if (HTML_TEXTS.has(top.name) && HTML_NAMES.has(name)) return; // probably markup
    warnHere("TAG_UNCLOSED", top.written);
    pop();
  }

  function openElement(written: string, name: string, scope: Scope, attributes: string) {
    const rule: AnyRule | undefined = top.rules.get(name);
    const kept = rule && attributes.length <= charsLeft ? attributes : "";
    push(written, name, scope, kept, rule?.children ?? NO_RULES, rule);
    if (!rule) return;
    if (kept !== attributes) warnHere("TEXT_TRUNCATED");
    charsLeft -= kept.length;
    rule.open?.(item ?? draft, { attributes: kept, text: "" });
    if (rule.close) text.start(Math.min(charsLeft, MAX_TEXT_CHARS));
  }

  return {
    channel: draft,
    currentElement: () => top.written,
    isFull,
    warn: (code) => warnHere(code, top.written || undefined),
    doctype(subset) {
      entities = parseEntities(subset, warnHere);
    },
    open(written, raw, isEmpty) {
      const attributes = entities ? entities.expand(raw, true) : raw;
      const scope = attributes ? top.scope.within(attributes) : top.scope;
      const name = scope.name(written);
      if (!hasRoot) {
        openRoot(written, name, scope, attributes);
        if (isEmpty && hasRoot) pop();
        return;
      }
      if (stack.length >= MAX_DEPTH) return;
      if (name === "item" && (item || top.rules === rootRules || top.rules === channelRules)) {
        openItem(written, scope, attributes);
        if (isEmpty) pop();
        return;
      }
      closeUnclosed(name);
      if (text.isOn()) {
        // unescaped markup
        text.add("markup", `<${written}${attributes}${isEmpty ? "/" : ""}>`);
        if (isEmpty) return;
        push(written, name, top.scope, "", NO_RULES);
      } else {
        openElement(written, name, scope, attributes);
      }
      if (isEmpty) pop();
    },
    close(written) {
      if (!stack.length) return;
      if (top.written !== written && top.written.toLowerCase() === written.toLowerCase()) {
        warnHere("TAG_CASE_MISMATCH", `</${written}>`);
      } else if (top.written !== written) {
        let depth = stack.length - 1;
        while (depth > 0 && stack[depth].written !== written) depth--;
        if (depth === 0) return text.isOn() ? text.add("markup", `</${written}>`) : undefined; // closes no open element
        while (stack.length > depth) {
          if (!text.isOn() || top.rule) warnHere("TAG_UNCLOSED", top.written);
          pop();
        }
      }
      if (text.isOn() && !top.rule?.close) text.add("markup", `</${written}>`);
      pop();
    },
    wantsText: () => text.isOn() || !hasRoot,
    text(written) {
      if (text.isOn()) return text.add("text", written);
      if (hasRoot) return;
      if (written.trim()) firstUnknown ??= "";
      if (isPrologueTooLong()) throw notAFeed(firstUnknown!);
    },
    cdata(written) {
      if (text.isOn()) text.add("cdata", written);
    },
    end() {
      if (!hasRoot) throw firstUnknown === undefined ? emptyResponse() : notAFeed(firstUnknown);
      return stack.length > 0;
    },
  };
}

/** `name` is the root element's, or empty if text precedes any element. */
function notAFeed(name: string): FeedError {
  if (!name) return new FeedError("NOT_XML", "The URL does not contain a feed");
  if (HTML.test(name)) return new FeedError("NOT_XML", "The URL is a web page, not a feed");
  if (ATOM.test(name)) return new FeedError("NOT_RSS", "The URL is an Atom feed; only RSS is supported");
  return new FeedError("NOT_RSS", `The URL is XML but not RSS: <${name.slice(0, 40)}>`);
}

const emptyResponse = () => new FeedError("EMPTY_FEED", "The server returned an empty response");
