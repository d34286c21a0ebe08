/**
 * Writes a carried element as XML that is well-formed and self-contained: it declares the namespaces that it uses and
 * our feed's root does not. Comments, instructions and CDATA are resolved; elements left open end with it. What the
 * element's specification does not allow (feed_elements) is left out: an attribute alone, else the whole element.
 */
import { type ElementRule, FREE } from "../feed_elements/element_rule.ts";
import { PLACES } from "../feed_elements/elements.ts";
import { isUriReference } from "../feed_elements/value_formats.ts";
import { isUnchecked, nameInModule } from "../feed_elements/modules.ts";
import { checkAttribute, ruleOf } from "../feed_elements/find_rule.ts";
import { escapeXml } from "../text/xml_text.ts";
import { type Attributes, isDeclaration } from "./attributes.ts";
import { isScriptUrl, isUnsafeText, reasonAgainstNested } from "./unmodelled_elements.ts";
import type { LoseFn, LossReason } from "./losses.ts";
import type { ExpandedName, Scope } from "./namespaces.ts";
import { decodeEntities } from "./text.ts";
import type { WarnFn } from "./warn.ts";

interface Carrier {
  isOn(): boolean;
  /** Whether the rest of the element is ignored, because nothing more fits or it is skipped. */
  isFull(): boolean;
  /** Starts an element of a place. With a reason against it, only its beginning is kept as an excerpt. */
  start(
    place: keyof typeof PLACES,
    path: string,
    written: string,
    attributes: Attributes,
    scope: Scope,
    reason?: LossReason,
  ): void;
  /** Starts an element that is only counted. */
  skip(): void;
  /** Opens and closes the elements in it. */
  open(name: string, written: string, attributes: Attributes, scope: Scope): void;
  close(): void;
  /** May come in pieces; a reference may be split between two. */
  text(raw: string, isCdata: boolean): void;
  /** The element holds more than may be carried. */
  reject(reason: LossReason): void;
  /** Ends the element. */
  end(): Carried;
}

interface Carried {
  path: string;
  /** Truncated if there is a reason against it. */
  xml: string;
  reason?: LossReason;
  rule: ElementRule;
}

interface OpenElement {
  qualified: string;
  path: string;
  undo: [prefix: string, namespace: string | undefined][];
  rule: ElementRule;
  /** Until it is checked. */
  text: string;
  attributes: Map<string, string>;
  /** Names of its children, and of its attributes after `@`. */
  found: Set<string>;
}

const NO_ATTRIBUTES: Map<string, string> = new Map();
const NO_NAMES: Set<string> = new Set();

/** In characters: an element, its text as written, and the excerpt of an element that is not carried. */
const [MAX_CHARS, MAX_RAW_CHARS, MAX_EXCERPT_CHARS] = [65_536, 400_000, 2000];
/** Attributes of a carried element that are reported one by one. */
const MAX_PARTIAL_LOSSES = 100;
const MAX_NAMESPACE_CHARS = 500;

/** Prefixes that the root of our feed declares (feed_writer/tag.ts), or that need no declaration. */
const DECLARED = ["atom", "content", "itunes", "podcast", "xml"];

const EVENT = /^on[a-z]{3,}$/i;

/** `expand` resolves references to the document's own entities. One instance serves all elements of a document. */
export function createCarrier(expand: (raw: string) => string, lose: LoseFn, warn: WarnFn): Carrier {
  let path = "";
  let isOn = false;
  let xml = "";
  let plain = ""; // all texts and values, in which scripts are searched
  let reason: LossReason | undefined;
  let maxChars = MAX_CHARS;
  let isTagOpen = false; // the start tag lacks its `>`
  let pending = "";
  let isPendingCdata = false;
  let rawChars = 0;
  let open: OpenElement[] = [];
  let place: keyof typeof PLACES = "item";
  let topRule = FREE;
  let bindings = new Map<string, string>();
  let partialLosses: Parameters<LoseFn>[] = [];
  let declarations = ""; // of the element that is being written

  function reject(why: LossReason) {
    if (!reason) maxChars = Math.min(maxChars, xml.length + MAX_EXCERPT_CHARS);
    reason ??= why;
  }

  const isFull = () => xml.length > maxChars;

  function write(more: string) {
    if (isFull()) return;
    xml += more;
    if (isFull()) reject("LIMIT");
  }

  function flushText() {
    if (!pending) return;
    const raw = pending;
    pending = "";
    if (isFull()) return;
    const text = isPendingCdata ? raw : decodeEntities(expand(raw), warn);
    plain += text;
    const { rule } = open.at(-1)!;
    if (rule !== FREE && !rule.text && text.trim()) reject("TEXT");
    if (rule !== FREE) return void (open.at(-1)!.text += text);
    if (isTagOpen) write(">");
    isTagOpen = false;
    write(escapeXml(text));
  }

  /** The prefixed name; adds a declaration to the element if its prefix has none. */
  function qualify({ prefix, namespace, local, isValid }: ExpandedName, scope: Scope): string {
    if (!isValid) reject("INVALID");
    if (namespace.length > MAX_NAMESPACE_CHARS) reject("LIMIT");
    if (!namespace) return local;
    const used = prefix || generatePrefix(namespace, scope);
    if (!DECLARED.includes(used) && bindings.get(used) !== namespace) {
      open.at(-1)!.undo.push([used, bindings.get(used)]);
      bindings.set(used, namespace);
      if (!isUriReference(namespace)) reject("INVALID");
      declarations += ` xmlns:${used}="${escapeXml(namespace)}"`;
    }
    return `${used}:${local}`;
  }

  /** For a default namespace, which our feed does not have. */
  function generatePrefix(namespace: string, scope: Scope): string {
    for (let n = 1; n < 20; n++) {
      const prefix = `ns${n}`;
      if (bindings.get(prefix) === namespace) return prefix;
      if (!bindings.has(prefix) && !scope.isDeclared(prefix)) return prefix;
    }
    reject("UNKNOWN_NAMESPACE_PREFIX");
    return "ns";
  }

  function writeTag(written: string, attributes: Attributes, scope: Scope) {
    flushText();
    if (isTagOpen) write(">");
    const parent = open.at(-1);
    const element: OpenElement = {
      qualified: written,
      path: parent ? `${parent.path}/${written}` : path,
      undo: [],
      rule: FREE,
      text: "",
      attributes: NO_ATTRIBUTES,
      found: NO_NAMES,
    };
    open.push(element);
    if (isFull()) return;
    declarations = "";
    const name = scope.expandName(written, false);
    if (name) {
      element.rule = findRule(parent, name);
      element.qualified = qualify(name, scope);
    } else reject("UNKNOWN_NAMESPACE_PREFIX");
    if (!parent) topRule = element.rule;
    if (element.rule !== FREE) element.found = new Set();
    const values = attributes.length ? writeAttributes(element, attributes, scope) : "";
    write(`<${element.qualified}${declarations}${values}`);
    isTagOpen = true;
  }

  /** The rule of an element, which is rejected if its parent may not have it. */
  function findRule(parent: OpenElement | undefined, { namespace, local }: ExpandedName): ElementRule {
    const rule = reason ? FREE : ruleOf(parent ? parent.rule.children : PLACES[place], namespace, local);
    if (!rule) reject(isUnchecked(namespace) ? "UNCHECKED" : "UNKNOWN_ELEMENT");
    if (parent && parent.rule !== FREE) {
      const name = nameInModule(namespace, local) ?? local;
      if (rule?.isSingle && parent.found.has(name)) reject("REPEATED");
      parent.found.add(name);
    }
    return rule ?? FREE;
  }

  function writeAttributes({ path, rule, found }: OpenElement, attributes: Attributes, scope: Scope): string {
    const element = open.at(-1)!;
    if (rule !== FREE) {
      element.attributes = new Map(attributes.map(([name, value]) => [name, decodeEntities(value, () => {})]));
    }
    const read = (name: string) => element.attributes.get(name);
    let text = "";
    const names = new Set<string>();
    for (const [lower, value, written] of attributes) {
      if (isDeclaration(lower)) continue;
      const name = scope.expandName(written, true);
      const decoded = decodeEntities(value, warn);
      const checked = name && checkAttribute(rule, name, decoded, read);
      const why = !name ? "UNKNOWN_NAMESPACE_PREFIX" : !name.isValid ? "INVALID" : checked?.reason;
      const qualified = name && !why ? qualify(name, scope) : written;
      if (why || names.has(qualified)) {
        if (partialLosses.length < MAX_PARTIAL_LOSSES) {
          partialLosses.push([`${path}/@${written}`, why ?? "REPEATED", value]);
          if (why) element.attributes.delete(lower);
        } else reject("LIMIT");
        continue;
      }
      names.add(qualified);
      if (rule !== FREE) found.add(`@${nameInModule(name!.namespace, name!.local) ?? qualified}`);
      if (!name!.prefix && EVENT.test(name!.local) || isScriptUrl(decoded)) reject("UNSAFE");
      plain += ` ${decoded} `;
      text += ` ${qualified}="${escapeXml(checked!.value!)}"`;
    }
    return text;
  }

  /** Checks and writes the text of an element, and that it lacks nothing. */
  function finish({ rule, text, attributes, found }: OpenElement) {
    const valid = rule.text && rule.text(text, (name) => attributes.get(name));
    if (valid === undefined && (rule.text || text.trim())) reject("INVALID");
    if (rule.required?.some((name) => !found.has(name))) reject("INVALID");
    const shown = valid ?? text;
    if (!shown) return;
    if (isTagOpen) write(">");
    isTagOpen = false;
    write(escapeXml(shown));
  }

  function close() {
    flushText();
    const closed = open.pop();
    if (!closed) return;
    const { qualified, undo } = closed;
    if (closed.rule !== FREE && !isFull()) finish(closed);
    write(isTagOpen ? "/>" : `</${qualified}>`);
    isTagOpen = false;
    for (const [prefix, namespace] of undo.reverse()) {
      if (namespace === undefined) bindings.delete(prefix);
      else bindings.set(prefix, namespace);
    }
  }

  return {
    isOn: () => isOn,
    isFull,
    start(itsPlace, itsPath, written, attributes, scope, why) {
      isOn = true;
      place = itsPlace;
      topRule = FREE;
      path = itsPath;
      xml = plain = pending = "";
      reason = undefined;
      isTagOpen = false;
      rawChars = 0;
      maxChars = MAX_CHARS;
      if (open.length) open = [];
      if (bindings.size) bindings = new Map();
      if (partialLosses.length) partialLosses = [];
      if (why) reject(why);
      writeTag(written, attributes, scope);
    },
    skip() {
      isOn = true;
      path =
        xml =
        plain =
        pending =
          "";
      reason = "LIMIT";
      topRule = FREE;
      maxChars = -1;
      isTagOpen = false;
      open = [];
    },
    open(name, written, attributes, scope) {
      if (isFull()) return writeTag(written, attributes, scope);
      const why = reasonAgainstNested(name, attributes);
      if (why) reject(why);
      writeTag(written, attributes, scope);
    },
    close,
    text(raw, isCdata) {
      if (isFull()) return;
      rawChars += raw.length;
      if (rawChars > MAX_RAW_CHARS) reject("LIMIT");
      if (pending && isCdata !== isPendingCdata) flushText();
      isPendingCdata = isCdata;
      // enough for what may still be written, however the text is split into pieces
      pending += raw.slice(0, Math.max(0, MAX_RAW_CHARS - pending.length));
    },
    reject,
    end() {
      while (open.length) close();
      isOn = false;
      if (!reason && isUnsafeText(plain)) reject("UNSAFE");
      if (!reason) { for (const loss of partialLosses) lose(...loss); }
      return { path, xml, reason, rule: topRule };
    },
  };
}
