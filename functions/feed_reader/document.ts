/** Tracks the nesting of elements: which text is kept, and where an item ends. */
import { isXhtml } from "./atom.ts";
import { type ChannelDraft, channelRules, createChannelDraft } from "./channel.ts";
import { type Entities, parseEntities } from "./entities.ts";
import {
  type AnyRule,
  type AnyRules,
  ATOM,
  channelRule,
  emptyResponse,
  findRoot,
  isHtml,
  NO_RULES,
  notAFeed,
  RSS,
} from "./feed_formats.ts";
import { createItemDraft, type ItemDraft } from "./item.ts";
import { rootScope, type Scope } from "./namespaces.ts";
import { oncePerCode, type WarnFn } from "./warn.ts";
import { addToList, NO_CHILDREN, NO_NAMES, pathOf, type RawElement } from "./element_rules.ts";
import { type Attributes, attributeValue, NO_ATTRIBUTES, parseAttributes } from "./attributes.ts";
import { reasonAgainst } from "./unmodelled_elements.ts";
import { excerptOfXml, type LoseFn } from "./losses.ts";
import type { Tokens } from "./scan.ts";
import { capture } from "./element_text.ts";
import { createCarrier } from "./carried_element.ts";
import { isAllRead, reportUnread } from "./unread_attributes.ts";
import { resolveAttributes, resolveUrlText } from "./xml_base.ts";

interface OpenElement {
  written: string;
  name: string;
  scope: Scope;
  rules: AnyRules;
  /** The rule that reads it; undefined for elements that are not modelled. */
  rule?: AnyRule;
  element?: RawElement;
}

/** Deeper elements are lost; feeds have none. */
const MAX_DEPTH = 100;
/** In characters: text allowed before the root tag, such as a server's error messages. */
const MAX_PROLOGUE_CHARS = 4096;

/** In characters: one text, and all texts of an item or of the channel. */
const MAX_TEXT_CHARS = 1_000_000;
const MAX_DRAFT_CHARS = 4_000_000;
/** In characters: the excerpt of a text between elements. */
const MAX_STRAY_CHARS = 400;

const RDF_ABOUT = ["about"];
/** Names that HTML has as well: inside a text that may be HTML they may be unescaped markup. */
const HTML_NAMES = new Set(["title", "link", "image", "atom:title", "atom:link"]);
const HTML_TEXTS = new Set(
  ["description", "content:encoded", "itunes:summary", "itunes:subtitle", "atom:content", "atom:summary"],
);

interface FeedDocument extends Tokens {
  channel: ChannelDraft;
  /** Ends the document. Returns true if an element is still open. */
  end(): boolean;
}

/** `onItem` receives each item as it ends. `position` returns how far the text was read, `isFull` whether to pause. */
export function createDocument(
  documentUrl: string,
  warn: WarnFn,
  onItem: (item: ItemDraft) => void,
  position: () => number,
  isFull: () => boolean,
): FeedDocument {
  const draft = createChannelDraft(oncePerCode(warn));
  let format = RSS;
  const stack: OpenElement[] = [];
  let top: OpenElement = { written: "", name: "", scope: rootScope(warn, documentUrl), rules: NO_RULES };
  let item: ItemDraft | undefined;
  let itemDepth = 0;
  let charsLeft = MAX_DRAFT_CHARS;
  let channelCharsLeft = MAX_DRAFT_CHARS; // saved while an item is read
  let entities: Entities | undefined;
  const expand = (written: string) => entities ? entities.expand(written) : written;
  const text = capture(expand);
  let stray = ""; // text between elements, which is lost
  let firstUnknown: string | undefined; // the first element that is not a feed's root
  let hasRoot = false;
  const warnHere: WarnFn = (code, excerpt) => (item?.warn ?? warn)(code, excerpt);
  const lose: LoseFn = (path, reason, excerpt) => (item?.lose ?? draft.lose)(path, reason, excerpt);
  const carrier = createCarrier(expand, lose, warnHere);
  let carriedDepth = 0;

  function push(
    written: string,
    name: string,
    scope: Scope,
    rules: AnyRules,
    rule?: AnyRule,
    element?: RawElement,
  ) {
    stack.push(top);
    top = { written, name, scope, rules, rule, element };
  }

  const warnOfText: WarnFn = (code, excerpt) => {
    if (code === "MARKUP_UNESCAPED" && isXhtml(top.element!)) return;
    if (code === "TEXT_TRUNCATED") lose(pathOf(top.element!), "LIMIT");
    warnHere(code, excerpt);
  };

  function pop() {
    const { name, rule, element } = top;
    if (rule?.close) {
      const { base } = top.scope;
      element!.text = text.end(warnOfText);
      charsLeft -= element!.text.length;
      if (base !== undefined) element!.text = resolveUrlText(name, element!.text, base);
      rule.close(item ?? draft, element!);
    } else if (carrier.isOn()) {
      if (stack.length === carriedDepth) endCarried();
      else carrier.close();
    }
    top = stack.pop()!;
    if (name !== "item" || !item || stack.length !== itemDepth) return;
    const done = item;
    item = undefined;
    charsLeft = channelCharsLeft;
    entities?.startItem();
    onItem(done);
  }

  function endCarried() {
    const { path, xml, reason, rule } = carrier.end();
    const outer = stack.at(-1);
    if (reason) lose(path, reason, excerptOfXml(xml));
    else if (outer?.rule?.carry) outer.rule.carry(item ?? draft, outer.element!, path, xml);
    else (item ?? draft).account.carry(path, xml, rule);
  }

  function loseStray() {
    lose(top.element ? `${pathOf(top.element)}/#text` : "#text", "TEXT", stray.slice(0, MAX_STRAY_CHARS));
    stray = "";
  }

  /** Texts may come in pieces. */
  function addStray(written: string) {
    if (!stack.length || stray.length >= MAX_STRAY_CHARS) return;
    stray += (stray ? written : written.trimStart()).slice(0, MAX_STRAY_CHARS);
  }

  function loseDeep(written: string, name: string) {
    if (carrier.isOn()) carrier.reject("LIMIT");
    else lose(pathOf({ written, name, parent: top.element }), "LIMIT");
  }

  function loseUnread(attributes: Attributes, read: readonly string[], within: RawElement | string) {
    if (isAllRead(attributes, read)) return;
    reportUnread(attributes, read, typeof within === "string" ? within : `${pathOf(within)}/`, lose);
  }

  function openRoot(written: string, name: string, scope: Scope, raw: string) {
    if (isPrologueTooLong()) throw notAFeed(firstUnknown!);
    const root = findRoot(written, name, scope);
    if (!root) {
      firstUnknown ??= name;
      if (isHtml(name)) throw notAFeed(firstUnknown && name);
      return;
    }
    hasRoot = true;
    if (firstUnknown !== undefined) warn("LEADING_CONTENT");
    format = root.format;
    push(written, name, root.scope, root.rules);
    const attributes = parseAttributes(raw);
    if (format === ATOM) {
      draft.isAtom = true;
      draft.language = attributeValue(attributes, "lang");
    }
    loseUnread(attributes, format.attributes, root.rules === format.channel ? "" : `${written}/`);
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
    item.isAtom = format === ATOM;
    entities?.startItem();
    [charsLeft, channelCharsLeft] = [MAX_DRAFT_CHARS, charsLeft];
    push(written, "item", scope, format.item);
    if (!attributes) return;
    const parsed = parseAttributes(attributes);
    item.about = parsed.find(([name]) => name === "rdf:about")?.[1];
    loseUnread(parsed, item.about === undefined ? NO_NAMES : RDF_ABOUT, "");
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
    if (!rule || rule.isUnread) return openUnread(written, name, scope, attributes, rule);
    if (rule === channelRule) {
      push(written, name, scope, channelRules, rule);
      return loseUnread(parseAttributes(attributes), NO_NAMES, "");
    }
    const isKept = attributes.length <= charsLeft;
    const element: RawElement = {
      name,
      written,
      attributes: attributes && isKept ? parseResolved(name, attributes, scope) : NO_ATTRIBUTES,
      text: "",
      children: rule.children ? [] : NO_CHILDREN,
      parent: top.element,
    };
    const parent = top.element;
    push(written, name, scope, rule.children ?? NO_RULES, rule, element);
    if (isKept) charsLeft -= attributes.length;
    else {
      warnHere("TEXT_TRUNCATED");
      lose(`${pathOf(element)}/@*`, "LIMIT");
    }
    const target = item ?? draft;
    if (attributes) loseUnread(element.attributes, rule.attributes, element);
    if (rule.isChild && parent) addToList(parent.children, element, element, target);
    rule.open?.(target, element);
    if (rule.close) text.start(Math.min(charsLeft, MAX_TEXT_CHARS));
  }

  /** An element that is not modelled: carried from the channel and from items, lost from elsewhere. */
  function openUnread(written: string, name: string, scope: Scope, raw: string, rule?: AnyRule) {
    if (!rule && (item ?? draft).account.isFull()) {
      push(written, name, scope, NO_RULES);
      carriedDepth = stack.length;
      return carrier.skip();
    }
    const attributes = raw ? parseResolved(name, raw, scope) : NO_ATTRIBUTES;
    const element: RawElement = { name, written, attributes, text: "", children: NO_CHILDREN, parent: top.element };
    const mayCarry = top.rules === format.item || top.rules === format.channel ||
      Boolean(top.rule?.carry) && name.startsWith("media:");
    if (rule?.open?.(item ?? draft, element)) {
      push(written, name, scope, NO_RULES, rule, element);
      return loseUnread(attributes, rule.attributes, element);
    }
    push(written, name, scope, NO_RULES);
    carriedDepth = stack.length;
    const reason = mayCarry ? reasonAgainst(name, attributes) : "UNKNOWN_ELEMENT";
    carrier.start(item ? "item" : "channel", pathOf(element), written, attributes, scope, reason);
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
      if (stray) loseStray();
      if (stack.length >= MAX_DEPTH) return loseDeep(written, name);
      if (name === format.itemName && (item || top.rules === format.root || top.rules === format.channel)) {
        openItem(written, scope, attributes);
        if (isEmpty) pop();
        return;
      }
      closeUnclosed(name);
      if (text.isOn()) {
        // unescaped markup
        text.add("markup", `<${htmlName(written, name)}${attributes}${isEmpty ? "/" : ""}>`);
        if (isEmpty) return;
        push(written, name, scope, NO_RULES);
      } else if (carrier.isOn()) {
        push(written, name, scope, NO_RULES);
        const isRead = attributes && !carrier.isFull();
        carrier.open(name, written, isRead ? parseResolved(name, attributes, scope) : NO_ATTRIBUTES, scope);
      } else {
        openElement(written, name, scope, attributes);
      }
      if (isEmpty) pop();
    },
    close(written) {
      if (!stack.length) return;
      if (stray) loseStray();
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
      if (text.isOn() && !top.rule?.close) text.add("markup", `</${htmlName(written, top.name)}>`);
      pop();
    },
    wantsText: () => text.isOn() || carrier.isOn() || stray !== "" || !hasRoot,
    text(written) {
      if (text.isOn()) return text.add("text", written);
      if (carrier.isOn()) return carrier.text(written, false);
      if (hasRoot) return addStray(written);
      if (written.trim()) firstUnknown ??= "";
      if (isPrologueTooLong()) throw notAFeed(firstUnknown!);
    },
    cdata(written) {
      if (text.isOn()) text.add("cdata", written);
      else if (carrier.isOn()) carrier.text(written, true);
      else if (hasRoot) addStray(written);
    },
    end() {
      if (!hasRoot) throw firstUnknown === undefined ? emptyResponse() : notAFeed(firstUnknown);
      if (stray) loseStray();
      if (carrier.isOn() && !item) endCarried();
      return stack.length > 0;
    },
  };
}

/** XHTML may have a prefix, which HTML has not. */
const htmlName = (written: string, name: string) =>
  name.startsWith("xhtml:") ? written.slice(written.indexOf(":") + 1) : written;

function parseResolved(name: string, attributes: string, { base }: Scope): Attributes {
  const parsed = parseAttributes(attributes);
  return base === undefined ? parsed : resolveAttributes(name, parsed, base);
}
