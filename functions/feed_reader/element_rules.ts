/** What may stand where in a feed: a tree of the elements that are read. Others are passed over with all they hold. */
import type { WarnFn } from "./warn.ts";
import type { RawElement } from "./values.ts";

/** The elements that are read inside another, by name (namespaces.ts). */
export type ElementRules<Draft> = ReadonlyMap<string, ElementRule<Draft>>;

export interface ElementRule<Draft> {
  /** When it begins; the text is not known then. */
  open?(draft: Draft, element: RawElement): void;
  /** When it is over. Only elements with this have their text kept. */
  close?(draft: Draft, element: RawElement): void;
  children?: ElementRules<Draft>;
}

/** Something written more than once: the first that says anything counts. */
export function collectText<Draft, Key extends keyof Draft>(key: Key): ElementRule<Draft> {
  return {
    close(draft, { text }) {
      if (!draft[key] && text.trim()) draft[key] = text as Draft[Key];
    },
  };
}

/** So many of a kind are kept. */
const MAX_LIST_ITEMS = 100;

export function addToList<One>(list: One[], one: One, warn: WarnFn) {
  if (list.length < MAX_LIST_ITEMS) list.push(one);
  else warn("LIST_TRUNCATED");
}

/** Something of which there may be several. */
export function collectElements<Draft extends { warn: WarnFn }>(
  pick: (draft: Draft) => RawElement[],
): ElementRule<Draft> {
  return { close: (draft, element) => addToList(pick(draft), element, draft.warn) };
}
