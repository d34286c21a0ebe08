// Checks whole feeds with the rules of functions/feed_report, and with rules that no single part can break.
import { checkPlace, podcasterRules, serviceRules } from "../../functions/feed_report/check.ts";
import type { PlaceFacts, Rule } from "../../functions/feed_report/rule.ts";
import { childrenNamed, type Node, parseXml } from "./fixture.ts";

const PSP = "https://github.com/Podcast-Standards-Project/PSP-1-Podcast-RSS-Specification";

interface Feed {
  root: Node;
  channel: Node;
  items: Node[];
}

/** Rules for a whole feed: its frame never changes, and the database keeps GUIDs unique. */
export const wholeFeedRules: { id: string; source: string; isBroken: (feed: Feed) => boolean }[] = [
  {
    id: "rss-version",
    source: "https://www.rssboard.org/rss-specification#whatIsRss",
    isBroken: ({ root }) => root.name !== "rss" || root.attributes.version !== "2.0" || root.children.length !== 1,
  },
  {
    id: "namespaces",
    source: `${PSP}#required-rss-namespace-declarations`,
    isBroken: ({ root }) =>
      [
        ["xmlns:itunes", "http://www.itunes.com/dtds/podcast-1.0.dtd"],
        ["xmlns:podcast", "https://podcastindex.org/namespace/1.0"],
        ["xmlns:atom", "http://www.w3.org/2005/Atom"],
        ["xmlns:content", "http://purl.org/rss/1.0/modules/content/"],
      ].some(([name, url]) => root.attributes[name] !== url),
  },
  {
    id: "guid-unique",
    source: `${PSP}#item-guid`,
    isBroken: ({ items }) => new Set(items.map((item) => childrenNamed(item, "guid")[0]?.text)).size !== items.length,
  },
];

function readFeed(xml: string): Feed {
  const root = parseXml(xml);
  const channel = root.children[0];
  return { root, channel, items: childrenNamed(channel, "item") };
}

function findProblems({ channel, items }: Feed, some: Rule[], facts: PlaceFacts) {
  const podcastType = childrenNamed(channel, "itunes:type")[0]?.text;
  return [
    ...checkPlace(channel, "channel", { episodeCount: items.length, ...facts }, some),
    ...items.flatMap((item) => checkPlace(item, "item", { podcastType }, some)),
  ];
}

/** Violations of the rules that every rendered feed follows, as `rule: tag excerpt`; throws for malformed XML. */
export function violations(xml: string): string[] {
  const feed = readFeed(xml);
  return [
    ...wholeFeedRules.filter(({ isBroken }) => isBroken(feed)).map(({ id }) => id),
    ...findProblems(feed, serviceRules, {}).map(({ rule, tag, excerpt }) => `${rule}: ${tag} ${excerpt ?? ""}`),
  ];
}

/** Ids of the podcaster's rules that a feed does not follow, given what its channel does not say. */
export function advice(xml: string, facts: PlaceFacts = {}): string[] {
  return [...new Set(findProblems(readFeed(xml), podcasterRules, facts).map(({ rule }) => rule))];
}
