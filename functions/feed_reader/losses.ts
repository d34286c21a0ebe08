/** The account of an item or the channel: what is lost, why, and what is carried (unmodelled_elements.ts). */
import type { ElementRule } from "../feed_elements/element_rule.ts";
import { findAddress, maskAddresses } from "./mask_addresses.ts";
import { decodeEntities } from "./text.ts";

/** Why a part of a feed is neither modelled nor carried. */
export const LOSS_REASONS = {
  // the model does not hold it
  UNCHECKED: "Validators check this extension of RSS, and the service does not",
  UNKNOWN_ATTRIBUTE: "The attribute is not part of the element's specification",
  UNKNOWN_ELEMENT: "The element is not part of its parent's specification",
  UNKNOWN_NAMESPACE_PREFIX: "The namespace prefix is not declared",
  TEXT: "Text stands where only elements belong",
  REPEATED: "Another element or attribute gives this value",
  NO_PLACE: "The new feed has no place for it",
  DUPLICATE: "Another item has the same GUID; the newest was kept",
  INVALID: "The value is invalid",
  LIMIT: "The text, the list or the number of kept parts is too long",
  // our feed must not have it
  SELF_LINK: "It links to the old feed",
  HUB: "It announces updates of the old feed",
  PAGING: "It links to other pages of the old feed",
  REDIRECT: "It redirects to another feed",
  LOCK: "It locks the old feed",
  ENCLOSURE: "It is another media file than the episode's",
  LIVE_ITEM: "It is a live stream of the old host",
  HIDES: "It hides the podcast or episodes, or ends the podcast",
  REPLACED_BY_OURS: "The new feed has its own value",
  UNSAFE: "It is HTML, a script, or part of another feed",
  PRIVATE_ADDRESS: "It contains an email address that may be the owner's",
} as const;

export type LossReason = keyof typeof LOSS_REASONS;

export interface Loss {
  /** Elements from the channel or item down: `media:rating`, `enclosure/@foo`; `*` for losses beyond the limit. */
  path: string;
  reason: LossReason;
  /** The feed's own text, with masked email addresses. */
  excerpt?: string;
}

export type LoseFn = (path: string, reason: LossReason, excerpt?: string) => void;

/** Per item and channel. */
const MAX_LOSSES = 200;
const MAX_EXTRA_TAGS = 100;
/** In bytes of JSON, as the column stores the tags. */
const MAX_EXTRA_BYTES = 65_536;

/** In characters. An excerpt is masked before it is truncated, so that no part of an address stays. */
const [MAX_EXCERPT_CHARS, MAX_MASKED_CHARS, MAX_PATH_CHARS] = [80, 400, 200];

export interface Account {
  lose: LoseFn;
  /** Keeps an element (carried_element.ts) for our feed. An element with a rule of single elements is kept once. */
  carry(path: string, xml: string, rule?: ElementRule): void;
  /** Whether further elements are only counted. */
  isFull(): boolean;
  /** Ends the account. Carried elements that are private become losses. */
  end(isPrivate: (path: string, xml: string) => boolean): { extraTags: string[]; losses: Loss[] };
}

/** Adds the losses of a later page to those of the channel, within the limit. */
export function joinLosses(own: Loss[], more: Loss[]): Loss[] {
  const isRest = ({ path }: Loss) => path === "*";
  const all = [...own, ...more].filter((loss) => !isRest(loss));
  const rest = [...own, ...more].filter(isRest).reduce((sum, { excerpt }) => sum + parseInt(excerpt!), 0);
  const count = rest + Math.max(0, all.length - MAX_LOSSES);
  return count ? [...all.slice(0, MAX_LOSSES), restOf(count)] : all;
}

const restOf = (count: number): Loss => ({ path: "*", reason: "LIMIT", excerpt: `${count} more` });

export function createAccount(): Account {
  const losses: Loss[] = [];
  const carried: { path: string; xml: string; rule?: ElementRule }[] = [];
  let moreLosses = 0;
  let bytesLeft = MAX_EXTRA_BYTES;
  let isMeasured = false; // until the limit may be reached, an upper bound of the bytes suffices

  const lose: LoseFn = (path, reason, excerpt) => {
    if (losses.length >= MAX_LOSSES) return void moreLosses++;
    const shown = excerpt && shorten(excerpt);
    const where = (path.length > MAX_PATH_CHARS || path.includes("@") ? shortenPath(path) : path).trim() || "*";
    losses.push(shown ? { path: where, reason, excerpt: shown } : { path: where, reason });
  };

  return {
    lose,
    carry(path, xml, rule) {
      if (rule?.isSingle && carried.some((one) => one.rule === rule && one.path === path)) {
        return lose(path, "REPEATED", excerptOfXml(xml));
      }
      if (!isMeasured && maxJsonBytes(xml) > bytesLeft) {
        isMeasured = true;
        bytesLeft = carried.reduce((left, one) => left - jsonBytes(one.xml), MAX_EXTRA_BYTES);
      }
      const bytes = isMeasured ? jsonBytes(xml) : maxJsonBytes(xml);
      if (bytes > bytesLeft || carried.length >= MAX_EXTRA_TAGS) return lose(path, "LIMIT", excerptOfXml(xml));
      bytesLeft -= bytes;
      carried.push({ path, xml, rule });
    },
    isFull: () => losses.length >= MAX_LOSSES && carried.length >= MAX_EXTRA_TAGS,
    end(isPrivate) {
      const extraTags: string[] = [];
      for (const { path, xml } of carried) {
        if (isPrivate(path, xml)) lose(path, "PRIVATE_ADDRESS", excerptOfXml(xml));
        else extraTags.push(xml);
      }
      if (moreLosses) losses.push(restOf(moreLosses));
      return { extraTags, losses };
    },
  };
}

/** An item ends before the owner's address may be known: every address counts. */
export const hasAddress = (_path: string, xml: string) => findAddress(xml) !== undefined;

const encoder = new TextEncoder();
/** The bytes of an element of a JSON list, with its separator. */
const jsonBytes = (text: string) => encoder.encode(JSON.stringify(text)).length + 2;
const maxJsonBytes = (text: string) => 3 * text.length + 4;

const shortenPath = (path: string) => maskAddresses(path.slice(0, MAX_PATH_CHARS).toWellFormed());

/** Short text without white space, references and addresses, such as most URLs. */
const PLAIN = /^[!-$'-?A-~]{1,80}$/;

function shorten(excerpt: string): string {
  if (PLAIN.test(excerpt)) return excerpt;
  const start = excerpt.slice(0, MAX_MASKED_CHARS).toWellFormed();
  const text = maskAddresses(decodeEntities(start, () => {})).replace(/\s+/g, " ").trim();
  return text.length > MAX_EXCERPT_CHARS ? `${text.slice(0, MAX_EXCERPT_CHARS).toWellFormed()}…` : text;
}

/** The text of an element, or else its attributes. The XML may be truncated. */
export function excerptOfXml(xml: string): string {
  const start = xml.slice(0, 4 * MAX_MASKED_CHARS);
  const text = start.replace(/<[^>]*>?/g, " ").trim();
  return text || (/^<\S+([^>]*)/.exec(start)?.[1] ?? "").replace(/ xmlns:[^=]*="[^"]*"|\/$/g, "").trim();
}
