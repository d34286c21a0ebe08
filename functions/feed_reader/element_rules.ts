/** The elements that are read: a tree of rules. Other elements are ignored with their content. */
import type { WarnFn } from "./warn.ts";
import type { RawElement } from "./values.ts";

/** The rules for the children of an element, by name (namespaces.ts). */
export type ElementRules<Draft> = ReadonlyMap<string, ElementRule<Draft>>;

export interface ElementRule<Draft> {
  /** Runs when the element begins, before its text is known. */
  open?(draft: Draft, element: RawElement): void;
  /** Runs when the element ends. Only elements with this rule keep their text. */
  close?(draft: Draft, element: RawElement): void;
  children?: ElementRules<Draft>;
}

/** Keeps the first non-blank text of an element. */
export function collectText<Draft, Key extends keyof Draft>(key: Key): ElementRule<Draft> {
  return {
    close(draft, { text }) {
      if (!draft[key] && text.trim()) draft[key] = text as Draft[Key];
    },
  };
}

/** Entries kept per list. */
const MAX_LIST_ITEMS = 100;

export function addToList<One>(list: One[], one: One, warn: WarnFn) {
  if (list.length < MAX_LIST_ITEMS) list.push(one);
  else warn("LIST_TRUNCATED");
}

/** Collects all elements of a kind. */
export function collectElements<Draft extends { warn: WarnFn }>(
  pick: (draft: Draft) => RawElement[],
): ElementRule<Draft> {
  return { close: (draft, element) => addToList(pick(draft), element, draft.warn) };
}
