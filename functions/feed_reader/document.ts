/** A feed's document: which element stands in which, whose text is kept, and where an item ends. */
import { type ChannelDraft, channelPlace, newChannel } from "./channel.ts";
import { declaredEntities, type Entities } from "./entities.ts";
import { FeedFailure } from "./feed_error.ts";
import { type ItemDraft, itemPlace, newItem } from "./item.ts";
import { outermost, type Scope } from "./namespaces.ts";
import { type Note, once } from "./warn.ts";
import type { Place, Rule } from "./element_rules.ts";
import type { Tokens } from "./scan.ts";
import { capture } from "./capture.ts";

// A place is a registry of either draft; which one is known where it is entered.
// deno-lint-ignore no-explicit-any
type AnyRule = Rule<any>;
// deno-lint-ignore no-explicit-any
type AnyPlace = Place<any>;

interface Open {
  written: string;
  name: string;
  scope: Scope;
  place: AnyPlace;
  /** What reads it; undefined where nothing does. */
  rule?: AnyRule;
  attributes: string;
}

/** Deeper ones are passed over: nothing of a feed is there. */
const DEEPEST = 100;
/** In characters: what may stand before the feed's own tag, such as a server's complaints. */
const LONGEST_PROLOGUE = 4096;

/** In characters: one text, and all that one item or the channel has. */
const LONGEST_TEXT = 1_000_000;
const MOST = 4_000_000;

const NOWHERE: AnyPlace = new Map();
const channel: AnyRule = { children: channelPlace };
const rootPlace: AnyPlace = new Map([["channel", channel]]);
const ROOTS = new Map([["rss", rootPlace], ["rdf:rdf", rootPlace], ["rdf", rootPlace], ["channel", channelPlace]]);
const HTML = /^(?:xhtml:)?(?:html|head|body|script|meta|div|p)$/;
const ATOM = /^(?:atom:)?feed$/;
const OTHERS = new RegExp(`${HTML.source}|${ATOM.source}`);
/** Names that HTML has too: inside a text that may be HTML they may be unescaped markup. */
const HTML_NAMES = new Set(["title", "link", "image"]);
const HTML_TEXTS = new Set(["description", "content:encoded", "itunes:summary", "itunes:subtitle"]);

export interface Document extends Tokens {
  channel: ChannelDraft;
  /** No more comes. Whether something was left open. */
  end(): boolean;
}

/** `took` gets each item as it ends. `position` tells how far the text was read, `isFull` whether to pause. */
export function document(
  note: Note,
  took: (item: ItemDraft) => void,
  position: () => number,
  isFull: () => boolean,
): Document {
  const draft = newChannel(once(note));
  const stack: Open[] = [];
  let top: Open = { written: "", name: "", scope: outermost(note), place: NOWHERE, attributes: "" };
  let item: ItemDraft | undefined;
  let itemDepth = 0;
  let left = MOST;
  let leftOfChannel = MOST; // while an item is read
  let entities: Entities | undefined;
  const text = capture((written) => entities ? entities.expand(written) : written);
  let first: string | undefined; // the first element that was no feed's
  let hasRoot = false;
  const noteHere: Note = (code, said) => (item?.note ?? note)(code, said);

  function push(written: string, name: string, scope: Scope, attributes: string, place: AnyPlace, rule?: AnyRule) {
    stack.push(top);
    top = { written, name, scope, place, rule, attributes };
  }

  function pop() {
    const { name, rule, attributes } = top;
    if (rule?.close) {
      const said = text.end(noteHere);
      left -= said.length;
      rule.close(item ?? draft, { attributes, text: said });
    }
    top = stack.pop()!;
    if (name !== "item" || !item || stack.length !== itemDepth) return;
    const done = item;
    item = undefined;
    left = leftOfChannel;
    entities?.renew();
    took(done);
  }

  function root(written: string, name: string, scope: Scope, attributes: string) {
    if (isTooLate()) throw noFeed(first!);
    const place = ROOTS.get(name) ?? ROOTS.get(written.toLowerCase()); // some declare Atom's namespace for all names
    if (place) {
      hasRoot = true;
      if (first !== undefined) note("TEXT_BEFORE_FEED");
      return push(written, name, scope.ofRss(), attributes, place);
    }
    first ??= name;
    if (OTHERS.test(name)) throw noFeed(first && name);
  }

  /** White space, comments and declarations may be as long as they like. */
  const isTooLate = () => first !== undefined && position() > LONGEST_PROLOGUE;

  function openItem(written: string, scope: Scope, attributes: string) {
    if (item) {
      while (stack.length > itemDepth + 1) pop();
      item.note("TAG_UNCLOSED", "item");
      pop();
    }
    itemDepth = stack.length;
    item = newItem();
    entities?.renew();
    [left, leftOfChannel] = [MOST, left];
    push(written, "item", scope, attributes, itemPlace);
  }

  /** An element that holds no others, before one that can only stand beside it, was not closed. */
  function endUnclosed(name: string) {
    if (!top.rule || top.rule.children || !stack[stack.length - 1].place.has(name)) return;
    if (HTML_TEXTS.has(top.name) && HTML_NAMES.has(name)) return; // markup, as likely
    noteHere("TAG_UNCLOSED", top.written);
    pop();
  }

  function openKnown(written: string, name: string, scope: Scope, attributes: string) {
    const rule: AnyRule | undefined = top.place.get(name);
    const kept = rule && attributes.length <= left ? attributes : "";
    push(written, name, scope, kept, rule?.children ?? NOWHERE, rule);
    if (!rule) return;
    if (kept !== attributes) noteHere("TEXT_CUT");
    left -= kept.length;
    rule.open?.(item ?? draft, { attributes: kept, text: "" });
    if (rule.close) text.start(Math.min(left, LONGEST_TEXT));
  }

  return {
    channel: draft,
    inside: () => top.written,
    isFull,
    note: (code) => noteHere(code, top.written || undefined),
    doctype(subset) {
      entities = declaredEntities(subset, noteHere);
    },
    open(written, raw, isEmpty) {
      const attributes = entities ? entities.expand(raw, true) : raw;
      const scope = attributes ? top.scope.within(attributes) : top.scope;
      const name = scope.name(written);
      if (!hasRoot) {
        root(written, name, scope, attributes);
        if (isEmpty && hasRoot) pop();
        return;
      }
      if (stack.length >= DEEPEST) return;
      if (name === "item" && (item || top.place === rootPlace || top.place === channelPlace)) {
        openItem(written, scope, attributes);
        if (isEmpty) pop();
        return;
      }
      endUnclosed(name);
      if (text.isOn()) {
        // markup that nobody escaped
        text.add("markup", `<${written}${attributes}${isEmpty ? "/" : ""}>`);
        if (isEmpty) return;
        push(written, name, top.scope, "", NOWHERE);
      } else {
        openKnown(written, name, scope, attributes);
      }
      if (isEmpty) pop();
    },
    close(written) {
      if (!stack.length) return;
      if (top.written !== written && top.written.toLowerCase() === written.toLowerCase()) {
        noteHere("TAG_CASE", `</${written}>`);
      } else if (top.written !== written) {
        let depth = stack.length - 1;
        while (depth > 0 && stack[depth].written !== written) depth--;
        if (depth === 0) return text.isOn() ? text.add("markup", `</${written}>`) : undefined; // of nothing that is open
        while (stack.length > depth) {
          if (!text.isOn() || top.rule) noteHere("TAG_UNCLOSED", top.written);
          pop();
        }
      }
      if (text.isOn() && !top.rule?.close) text.add("markup", `</${written}>`);
      pop();
    },
    listens: () => text.isOn() || !hasRoot,
    text(written) {
      if (text.isOn()) return text.add("text", written);
      if (hasRoot) return;
      if (written.trim()) first ??= "";
      if (isTooLate()) throw noFeed(first!);
    },
    cdata(written) {
      if (text.isOn()) text.add("cdata", written);
    },
    end() {
      if (!hasRoot) throw first === undefined ? empty() : noFeed(first);
      return stack.length > 0;
    },
  };
}

/** `name` is an element's, empty where text came before any. */
function noFeed(name: string): FeedFailure {
  if (!name) return new FeedFailure("NOT_XML", "The address holds something that is no feed");
  if (HTML.test(name)) return new FeedFailure("NOT_XML", "The address holds a web page, not a feed");
  if (ATOM.test(name)) return new FeedFailure("NOT_RSS", "The address holds an Atom feed; podcasts are RSS");
  return new FeedFailure("NOT_RSS", `The address holds XML that is no RSS: <${name.slice(0, 40)}>`);
}

const empty = () => new FeedFailure("EMPTY_FEED", "The address answered with nothing");
