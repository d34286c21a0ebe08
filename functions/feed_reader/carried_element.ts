/**
 * Writes a carried element as XML that is well-formed and self-contained: it declares the namespaces that it uses and
 * our feed's root does not. Comments, instructions and CDATA are resolved; elements left open end with it.
 */
import { escapeXml } from "../text/xml_text.ts";
import { type Attributes, isDeclaration } from "./attributes.ts";
import { isScriptUrl, isUnsafeText, reasonAgainstNested } from "./unmodelled_elements.ts";
import type { LoseFn, LossReason } from "./losses.ts";
import type { ExpandedName, Scope } from "./namespaces.ts";
import { decodeEntities } from "./text.ts";
import type { WarnFn } from "./warn.ts";

interface Carrier {
  isOn(): boolean;
  /** Starts an element. With a reason against it, only its beginning is kept as an excerpt. */
  start(path: string, written: string, attributes: Attributes, scope: Scope, reason?: LossReason): void;
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
}

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
  let open: { qualified: string; path: string; undo: [prefix: string, namespace: string | undefined][] }[] = [];
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
    if (isTagOpen) write(">");
    isTagOpen = false;
    plain += text;
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
    const element = { qualified: written, path: open.length ? `${open.at(-1)!.path}/${written}` : path, undo: [] };
    open.push(element);
    if (isFull()) return;
    declarations = "";
    const name = scope.expandName(written, false);
    if (name) element.qualified = qualify(name, scope);
    else reject("UNKNOWN_NAMESPACE_PREFIX");
    const values = attributes.length ? writeAttributes(element.path, attributes, scope) : "";
    write(`<${element.qualified}${declarations}${values}`);
    isTagOpen = true;
  }

  function writeAttributes(path: string, attributes: Attributes, scope: Scope): string {
    let text = "";
    const names = new Set<string>();
    for (const [lower, value, written] of attributes) {
      if (isDeclaration(lower)) continue;
      const name = scope.expandName(written, true);
      const why = !name ? "UNKNOWN_NAMESPACE_PREFIX" : !name.isValid ? "INVALID" : undefined;
      const qualified = name && !why ? qualify(name, scope) : written;
      if (why || names.has(qualified)) {
        if (partialLosses.length < MAX_PARTIAL_LOSSES) {
          partialLosses.push([`${path}/@${written}`, why ?? "REPEATED", value]);
        } else reject("LIMIT");
        continue;
      }
      names.add(qualified);
      const decoded = decodeEntities(value, warn);
      if (!name!.prefix && EVENT.test(name!.local) || isScriptUrl(decoded)) reject("UNSAFE");
      plain += ` ${decoded} `;
      text += ` ${qualified}="${escapeXml(decoded)}"`;
    }
    return text;
  }

  function close() {
    flushText();
    const closed = open.pop();
    if (!closed) return;
    const { qualified, undo } = closed;
    write(isTagOpen ? "/>" : `</${qualified}>`);
    isTagOpen = false;
    for (const [prefix, namespace] of undo.reverse()) {
      if (namespace === undefined) bindings.delete(prefix);
      else bindings.set(prefix, namespace);
    }
  }

  return {
    isOn: () => isOn,
    start(itsPath, written, attributes, scope, why) {
      isOn = true;
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
      return { path, xml, reason };
    },
  };
}
