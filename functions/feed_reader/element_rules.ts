/** The elements that are modelled: a tree of rules. What becomes of the others is in unmodelled_elements.ts. */
import { type Attributes, attributeValue } from "./attributes.ts";
import type { LoseFn } from "./losses.ts";
import type { WarnFn } from "./warn.ts";

/** An element of the feed. Attribute values and texts are not normalized. */
export interface RawElement {
  /** Canonical (namespaces.ts), and as written. */
  name: string;
  written: string;
  attributes: Attributes;
  /** Known when the element ends, if its rule has `close`. */
  text: string;
  /** Elements whose rule has `isChild`. */
  children: RawElement[];
  /** The modelled element around it; undefined in the channel and in items. */
  parent?: RawElement;
}

export const NO_CHILDREN: RawElement[] = [];

/** What all drafts have: reports of repairs and of losses. */
export interface Draft {
  warn: WarnFn;
  lose: LoseFn;
}

/** The rules for the children of an element, by name (namespaces.ts). */
export type ElementRules<D extends Draft> = ReadonlyMap<string, Required<ElementRule<D>>>;

export interface ElementRule<D extends Draft> {
  /** The attributes that are read, in lower case and without prefix. Others are reported as lost. */
  attributes?: readonly string[];
  /** Runs when the element begins, before its text is known. */
  open?: ((draft: D, element: RawElement) => boolean | void) | null;
  /** Runs when the element ends. Only elements with this rule keep their text. */
  close?: ((draft: D, element: RawElement) => void) | null;
  children?: ElementRules<D> | null;
  /** Receives the children that no rule reads and that may be carried; they are lost without it. */
  carry?: ((draft: D, element: RawElement, path: string, xml: string) => void) | null;
  /** Adds the element to its parent's children. */
  isChild?: boolean;
  /** The element is only looked at by `open`, unless that returns true: else unmodelled_elements.ts tells its fate. */
  isUnread?: boolean;
}

export const NO_NAMES: readonly string[] = [];

/** All rules get the same shape: looking up members of different shapes takes a tenth of the reader's time. */
export const elementRules = <D extends Draft>(rules: Record<string, ElementRule<D>>): ElementRules<D> =>
  new Map(
    Object.entries(rules).map(([name, { attributes, open, close, children, carry, isChild, isUnread }]) => [name, {
      attributes: attributes ?? NO_NAMES,
      open: open ?? null,
      close: close ?? null,
      children: children ?? null,
      carry: carry ?? null,
      isChild: isChild ?? false,
      isUnread: isUnread ?? false,
    }]),
  );

/** The element's path in reports: usual prefixes, and names as written. */
export function pathOf({ name, written, parent }: Pick<RawElement, "name" | "written" | "parent">): string {
  const local = written.slice(written.indexOf(":") + 1) || written;
  const colon = name.indexOf(":");
  const own = colon < 0 ? local : `${name.slice(0, colon)}:${local}`;
  return parent ? `${pathOf(parent)}/${own}` : own;
}

/** The element's text, or else its attributes. */
export const excerptOf = ({ text, attributes }: RawElement): string =>
  text.trim() ? text : attributes.map(([, value, written]) => `${written}="${value}"`).join(" ");

/** Like `trim`, but mostly without its cost for long texts. */
export function isBlank(text: string): boolean {
  const first = text.charCodeAt(0);
  return !(first > 32 && first < 128) && text.trim() === "";
}

/** Keeps the first non-blank text of an element. */
export function collectText<D extends Draft, Key extends keyof D>(
  key: Key,
  attributes?: readonly string[],
): ElementRule<D> {
  return {
    attributes,
    close(draft, element) {
      if (isBlank(element.text)) return;
      if (draft[key]) draft.lose(pathOf(element), "REPEATED", element.text);
      else draft[key] = element.text as D[Key];
    },
  };
}

/** Keeps the first element of a kind. */
export function collectElement<D extends Draft, Key extends keyof D>(
  key: Key,
  attributes?: readonly string[],
  children?: ElementRules<D>,
): ElementRule<D> {
  return {
    attributes,
    children,
    [children ? "open" : "close"](draft: D, element: RawElement) {
      if (draft[key]) draft.lose(pathOf(element), "REPEATED", excerptOf(element));
      else draft[key] = element as D[Key];
    },
  };
}

/**
 * Entries kept per list: as many as the largest list of private.feed_shapes() and more than a value block can have, so
 * that the database sees each excess, and rejects a block instead of changing its shares.
 */
export const MAX_LIST_ITEMS = 500;

/** Adds an entry and returns true unless the list is full. */
export function addToList<One>(list: One[], one: One, element: RawElement, draft: Draft): boolean {
  if (list.length < MAX_LIST_ITEMS) return list.push(one) > 0;
  draft.warn("LIST_TRUNCATED");
  draft.lose(pathOf(element), "LIMIT", excerptOf(element));
  return false;
}

/** Collects all elements of a kind, with their text or with their children. */
export function collectElements<D extends Draft, Key extends keyof D>(
  key: Key,
  attributes?: readonly string[],
  children?: ElementRules<D>,
): ElementRule<D> {
  return {
    attributes,
    children,
    [children ? "open" : "close"](draft: D, element: RawElement) {
      addToList((draft[key] ??= [] as D[Key]) as RawElement[], element, element, draft);
    },
  };
}

/** An element without text that its parent reads. */
export const child = <D extends Draft>(attributes: readonly string[], children?: ElementRules<D>): ElementRule<D> => ({
  attributes,
  children,
  isChild: true,
});

/** Reads an image as directories do: `href`, else `url`, else the text. */
export function collectImage<D extends Draft & { image?: string }>(): ElementRule<D> {
  return {
    attributes: ["href", "url"],
    close(draft, element) {
      const { attributes, text } = element;
      const written = [attributeValue(attributes, "href"), attributeValue(attributes, "url"), text];
      for (const value of written) {
        if (!value?.trim() || value === draft.image) continue;
        if (draft.image) draft.lose(pathOf(element), "REPEATED", value);
        else draft.image = value;
      }
    },
  };
}
