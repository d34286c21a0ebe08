/** The tags of a rendered feed as objects, and the values that the channel and its items have in common. */
import { renderHead, renderItem, TAIL } from "../../functions/feed_writer/render.ts";
import { childrenNamed, episode, type Node, parseXml, podcast } from "./fixture.ts";

const changedAt = new Date("2026-11-21T08:00:00Z");

export function channel(show = podcast(), episodes = [episode()]): Node {
  const items = episodes.map((one) => renderItem(one, show)).join("");
  return parseXml(renderHead({ ...show, changed_at: changedAt }) + items + TAIL).children[0];
}

/** An element as an object: attributes, text, and below their name the children; several of a name are a list. */
function value({ attributes, text, children }: Node): Record<string, unknown> {
  const below = Object.groupBy(children, ({ name }) => name);
  const inner = Object.entries(below).map(([name, nodes]) => {
    const found = nodes!.map((node) =>
      Object.keys(node.attributes).length + node.children.length ? value(node) : node.text
    );
    return [name, found.length > 1 ? found : found[0]];
  });
  return { ...attributes, ...text && { text }, ...Object.fromEntries(inner) };
}

/** A tag's occurrences. */
export const values = (parent: Node, name: string) => childrenNamed(parent, name).map(value);

export const text = (value: string) => [{ text: value }];

/** The item of an episode that differs in these fields. */
export const item = (changes: Parameters<typeof episode>[0] = {}, show = podcast()) =>
  childrenNamed(channel(show, [episode(changes)]), "item")[0];

export const expectedOfBoth: Record<string, unknown[]> = {
  "category": [{ text: "Railways" }, { domain: "https://directory.example/", text: "1765" }],
  "itunes:keywords": text("trains,night travel"),
  "podcast:license": [{ url: "https://example.org/mypodcastlicense/full.pdf", text: "my-podcast-license-v1" }],
  "podcast:location": [
    { rel: "creator", geo: "geo:30.2711286,-97.7436995", osm: "R113314", country: "US", text: "Austin" },
    { text: "Birmingham Civil Rights Museum" },
  ],
  "podcast:image": [
    {
      "href": "https://example.com/images/ep1/pci_landscape-massive.jpg",
      "alt": "An antenna emanating signal waves",
      "aspect-ratio": "16/9",
      "width": "1200",
      "height": "675",
      "type": "image/jpeg",
      "purpose": "artwork social",
    },
    { href: "https://example.com/images/ep1/pci_square-massive.mp4", alt: "The waves move", type: "video/mp4" },
  ],
  "podcast:funding": [{ url: "https://nighttrains.example/give?a=1&b=2", text: "Buy us a ticket" }],
  "podcast:socialInteract": [
    {
      priority: "1",
      protocol: "activitypub",
      uri: "https://podcastindex.social/@dave/105079274766075912",
      accountId: "@dave",
      accountUrl: "https://podcastindex.social/@dave",
    },
    { protocol: "disabled" },
  ],
};

export const valueOfChannel = {
  "type": "lightning",
  "method": "keysend",
  "suggested": "0.00000005000",
  "podcast:valueRecipient": [
    { name: "Alice (Podcaster)", type: "node", address: "02d5c1bf8b940dc9cadca86d1b0a3c37", split: "95" },
    {
      name: "Hosting Provider",
      type: "lnaddress",
      address: "host@example.com",
      split: "5",
      customKey: "696969",
      customValue: "x",
      fee: "true",
    },
  ],
};
