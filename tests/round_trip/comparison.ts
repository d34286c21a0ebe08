// Compares a source feed with ours, element by element, by an independent parser.
import type { Loss } from "../../functions/feed_reader/losses.ts";
import { isPresent } from "../../functions/text/xml_text.ts";
import { describe, fold, nameOf } from "../feed_reader/accounting.ts";
import { elementsOf, type Node, parseTree } from "../feed_reader/carried.ts";
import type { ImportedFeed } from "./imported_feed.ts";
import { isSameValue, transformations } from "./transformations.ts";

/** What has a value: the text of an element, or an attribute. Paths are in lower case. */
interface Part {
  path: string;
  value: string;
}

const textOf = ({ content }: Node) => content.filter((one) => typeof one === "string").join("");

function partsOf(node: Node, path: string): Part[] {
  const parts = [...node.attributes.values()].map(({ name, value }) => ({
    path: `${path}/@${name.toLowerCase()}`,
    value,
  }));
  parts.push({ path, value: textOf(node) });
  for (const inner of elementsOf(node)) parts.push(...partsOf(inner, `${path}/${nameOf(inner)}`));
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
  const our = elementsOf(ours).filter((one) => nameOf(one) !== "item").map((node) => ({
    key: describe(node),
    parts: partsOf(node, nameOf(node)),
    name: nameOf(node),
  }));
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

  const all = elementsOf(source).filter((one) => nameOf(one) !== "item").map((node) => ({
    name: nameOf(node),
    key: describe(node),
    parts: partsOf(node, nameOf(node)),
  }));
  // a repeated element counts once; elements that are the same come first, so that no other takes theirs
  const others = [...new Map(all.map((one) => [one.key, one])).values()].filter((one) => {
    const found = [...left].find(({ key }) => key === one.key);
    if (!found) return true;
    left.delete(found);
    counts.same += one.parts.length;
    return false;
  });
  const match = ({ name, parts }: typeof our[number]) => {
    let best: { missing: Part[]; element?: typeof our[number] } = { missing: parts };
    for (const element of left) {
      if (element.name !== name) continue;
      const missing = findMissing(parts, element.parts).filter((part) => !isTransformed(part, element.parts));
      if (missing.length < best.missing.length) best = { missing, element };
    }
    return best;
  };
  // then those of which our element has all parts
  const rest = others.filter((one) => {
    const { missing, element } = match(one);
    if (missing.length) return true;
    if (element) left.delete(element);
    counts.transformed += one.parts.length;
    return false;
  });
  // then those that lack the fewest
  const byMissing = rest.map((one) => ({ ...one, rank: match(one).missing.length })).sort((a, b) => a.rank - b.rank);
  for (const one of byMissing) {
    const { name, parts } = one;
    const best = match(one);
    if (best.element) left.delete(best.element);
    const unknown = best.missing.filter((part) => !isTransformed(part, allOurs));
    const silent = unknown.filter(({ path }) => !isReported(path, name));
    counts.same += parts.length - best.missing.length;
    counts.transformed += best.missing.length - unknown.length;
    counts.lost += unknown.length;
    if (silent.length && !isOver && !take(name)) gone.push(...silent);
  }
  return gone;
}

const isTransformed = ({ path, value }: Part, ours: Part[]) =>
  transformations.some(({ paths, from, isSame }) =>
    paths.includes(path) &&
    (from.length ? ours.some((one) => from.includes(one.path) && isSame(value, one.value)) : isSame(value, ""))
  );

/** Compares all parts of a source with our feed. */
export function compareFeeds(source: string, imported: ImportedFeed): { counts: Counts; gone: string[] } {
  const counts = { same: 0, transformed: 0, lost: 0 };
  const channelOf = (xml: string) => elementsOf(parseTree(xml)).find(({ local }) => local === "channel")!;
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
