/** What may stand where in a feed: a tree of the elements that are read. Others are passed over with all they hold. */
import type { Note } from "./warn.ts";
import type { Written } from "./values.ts";

/** The elements that are read inside another, by name (namespaces.ts). */
export type Place<Draft> = ReadonlyMap<string, Rule<Draft>>;

export interface Rule<Draft> {
  /** When it begins; the text is not known then. */
  open?(draft: Draft, element: Written): void;
  /** When it is over. Only elements with this have their text kept. */
  close?(draft: Draft, element: Written): void;
  children?: Place<Draft>;
}

/** Something written more than once: the first that says anything counts. */
export function keep<Draft, Key extends keyof Draft>(key: Key): Rule<Draft> {
  return {
    close(draft, { text }) {
      if (!draft[key] && text.trim()) draft[key] = text as Draft[Key];
    },
  };
}

/** So many of a kind are kept. */
const MOST = 100;

export function add<One>(list: One[], one: One, note: Note) {
  if (list.length < MOST) list.push(one);
  else note("LIST_CUT");
}

/** Something of which there may be several. */
export function list<Draft extends { note: Note }>(pick: (draft: Draft) => Written[]): Rule<Draft> {
  return { close: (draft, element) => add(pick(draft), element, draft.note) };
}
