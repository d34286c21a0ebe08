// Compares a source feed with ours, element by element, by an independent parser.
import type { Loss } from "../../functions/feed_reader/losses.ts";
import { isPresent } from "../../functions/text/xml_text.ts";
import { describe, fold, nameOf, resolveBases } from "../feed_reader/accounting.ts";
import { elementsOf, type Node, parseTree } from "../feed_reader/carried.ts";
import type { ImportedFeed } from "./imported_feed.ts";
import { isSameValue, transformations } from "./transformations.ts";

/** What has a value: the text of an element, or an attribute. Paths are in lower case. */
interface Part {
  path: string;
  value: string;
}

const textOf = ({ content }: Node) => content.filter((one) => typeof one === "string").join("");

/** The carrier gives elements of a default namespace a prefix. */
const ownNameOf = (node: Node) => nameOf(node).replace(/^ns\d+:/, "");

function partsOf(node: Node, name: typeof nameOf, path = name(node)): Part[] {
  const attributes = [...node.attributes.values()].filter(({ name }) => name !== "xml:base"); // applied by resolveBases
  const parts = attributes.map(({ name, value }) => ({
    path: `${path}/@${name.toLowerCase()}`,
    value,
  }));
  parts.push({ path, value: textOf(node) });
  for (const inner of elementsOf(node)) parts.push(...partsOf(inner, name, `${path}/${name(inner)}`));
  return parts.filter(({ value }) => isPresent(value));
}

/** The parts that the other element lacks. Each of its parts is the same as one part only. */
function findMissing(parts: Part[], other: Part[]): Part[] {
  const left = [...other];
  return parts.filter(({ path, value }) => {
    const at = left.findIndex((one) => one.path === path && isSameValue(value, one.value));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

interface Element {
  name: string;
  /** The same for elements that are equal. */
  key: string;
  parts: Part[];
}

/** The elements of a channel, without its items, or of an item. */
const listElements = (node: Node, name = nameOf): Element[] =>
  elementsOf(node).map((one) => ({ name: name(one), key: describe(one), parts: partsOf(one, name) }))
    .filter(({ name }) => name !== "item");

interface Counts {
  same: number;
  transformed: number;
  lost: number;
}

/** The parts of a channel or item that are neither in ours nor reported as lost. */
function listGone(source: Node, ours: Node, losses: Loss[], counts: Counts): Part[] {
  const gone: Part[] = [];
  const isOver = losses.some(({ path }) => path === "*");
  const lostPaths = new Map<string, number>();
  for (const { path } of losses) lostPaths.set(path.toLowerCase(), (lostPaths.get(path.toLowerCase()) ?? 0) + 1);
  const our = listElements(ours, ownNameOf);
  const allOurs = our.flatMap(({ parts }) => parts);
  const left = new Set(our);
  /** Losses of top-level elements are counted, all others only looked up. */
  const isReported = (path: string, top: string) => {
    if (lostPaths.has(`${path}/#text`)) return true;
    for (let at = path; at !== top; at = at.slice(0, at.lastIndexOf("/"))) if (lostPaths.has(at)) return true;
    return false;
  };
  const take = (path: string) => {
    const count = lostPaths.get(path) ?? 0;
    lostPaths.set(path, count - 1);
    return count > 0;
  };

  // a repeated element counts once; elements that are the same come first, so that no other takes theirs
  const others = [...new Map(listElements(source).map((one) => [one.key, one])).values()].filter((one) => {
    const found = [...left].find(({ key }) => key === one.key);
    if (!found) return true;
    left.delete(found);
    counts.same += one.parts.length;
    return false;
  });
  /** The element of ours that lacks the fewest parts besides those reported as lost. */
  const match = ({ name, parts }: Element) => {
    let best: { missing: Part[]; element?: Element } = { missing: parts };
    for (const element of left) {
      if (element.name !== name) continue;
      const missing = findMissing(parts, element.parts)
        .filter((part) => !isTransformed(part, element.parts) && !isReported(part.path, name));
      if (missing.length < best.missing.length) best = { missing, element };
    }
    return best;
  };
  // the most similar ones next; one whose element another took waits for its turn with the rest
  const waiting = others.map((one) => ({ one, rank: match(one).missing.length }));
  const byRank = () => waiting.sort((a, b) => a.rank - b.rank);
  for (let next = byRank().shift(); next; next = waiting.shift()) {
    const { one, rank } = next;
    const { missing, element } = match(one);
    if (missing.length > rank) {
      waiting.push({ one, rank: missing.length });
      byRank();
      continue;
    }
    if (element) left.delete(element);
    const reported = one.parts.filter(({ path }) => isReported(path, one.name));
    const unknown = missing.filter((part) => !isTransformed(part, allOurs) && !reported.includes(part));
    counts.lost += reported.length + unknown.length;
    counts.transformed += one.parts.length - reported.length - unknown.length;
    if (unknown.length && !isOver && !take(one.name)) gone.push(...unknown);
  }
  return gone;
}

/** What Media RSS says about the episode's file is in the item. */
const FILE = /^media:(?:content|group)\/(?:media:content\/)?(?=media:(?!content))/;

const isTransformed = ({ path, value }: Part, ours: Part[]) =>
  FILE.test(path) && ours.some((one) => one.path === path.replace(FILE, "") && isSameValue(value, one.value)) ||
  transformations.some(({ paths, from, isSame }) =>
    paths.includes(path) &&
    (from.length ? ours.some((one) => from.includes(one.path) && isSame(value, one.value)) : isSame(value, ""))
  );

/** Compares all parts of a source with our feed. */
export function compareFeeds(source: string, imported: ImportedFeed): { counts: Counts; gone: string[] } {
  const counts = { same: 0, transformed: 0, lost: 0 };
  const channelOf = (xml: string) => elementsOf(resolveBases(parseTree(xml))).find(({ local }) => local === "channel")!;
  const itemsOf = (channel: Node) => elementsOf(channel).filter(({ local }) => local === "item");
  const [theirs, ours] = [channelOf(source), channelOf(imported.xml)];
  const show = (where: string, parts: Part[]) =>
    parts.map(({ path, value }) => `${where} ${path}: ${JSON.stringify(value.slice(0, 300))}`);
  const gone = show("channel", listGone(theirs, ours, imported.channelLosses, counts));
  const guidOf = (item: Node) => fold(textOf(elementsOf(item).find((one) => nameOf(one) === "guid")!));
  const ourItems = new Map(itemsOf(ours).map((item) => [guidOf(item), item]));
  const theirItems = itemsOf(theirs);
  for (const { position, guid } of imported.reading.read) {
    const { losses, isPublished } = imported.items.get(guid)!;
    if (!isPublished) continue;
    const item = ourItems.get(fold(guid));
    if (item) gone.push(...show(`item ${position}`, listGone(theirItems[position], item, losses, counts)));
    else gone.push(`item ${position}`);
  }
  return { counts, gone };
}
