// Random feed values from the shapes of the columns, with the text that users and foreign feeds write.
import type { SeededRandom } from "../random.ts";

/** A shape of private.feed_shapes(); sql/00_foundation/rules/shapes.sql explains its members. */
interface Shape {
  list?: string | Shape;
  min?: number;
  max?: number;
  object?: Record<string, string | Shape>;
  required?: string[];
  text?: number;
  like?: string;
  one_of?: string[];
  number?: [number, number];
  integer?: [number, number];
  boolean?: true;
  decimal?: true;
  url?: true;
  uri?: true;
  language?: true;
}

const source = await Deno.readTextFile(new URL("../../sql/20_podcasts/rules/feed_values.sql", import.meta.url));
const shapes: Record<string, Shape> = JSON.parse(source.split("$shapes$")[1]);

const SHARDS = [
  ...["<script>alert(1)</script>", "</item>", "]]>", "<!--", "&amp;", "&", "<", ">", '"', "'", "\u200b", "\ufeff"],
  ...[
    "夜 ",
    "😀",
    "word ",
    "sha384-ExVq",
    "e\u0301",
    "\u00a0",
    "\u3000",
    "\u202e",
    "\\",
    "%zz",
    "javascript:x",
    "x".repeat(40),
  ],
];
/** Texts of which some match each pattern of the shapes, with those that only nearly do. */
const PATTERNED = [
  ...["audio/mpeg", "application/x-mpegURL", "image/svg+xml", "x!#$&^_.+-/y", "Audio/MPEG", "audio"],
  ...["917393e3-1b1e-5cef-ace4-edaa54e1f810", "917393E3-1B1E-4CEF-ACE4-EDAA54E1F810", "917393e3"],
  ...["podcast", "musicL", "mixed", "publisher", "mixedL", "radio"],
  ...[
    "geo:30.2711286,-97.7436995",
    "geo:1,2,3;u=40;crs=wgs84",
    "geo:999,0;flag",
    "geo:1,2;a=[x]",
    "geo:1,2;=",
    "geo:1",
  ],
  ...["R113314", "n1#2", "w7", "1", "AT", "at", "A1"],
  ...["16/9", "1.85", "4 / 3", "16:9", "1/"],
  ...["activitypub", "disabled", "nostr", "at.proto-1_x"],
  ...[
    "2026-08-28",
    "2023-08-28T00:00:00.000Z",
    "2026-08-28T10:00+0200",
    "2026-08-28T23:59:60Z",
    "2026-13-28",
    "2026-02-30",
  ],
  ...["FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "FREQ=YEARLY;BYDAY=+4TH;BYMONTH=11", "FREQ=WEEKLY;COUNT=10", "INTERVAL=1"],
  ...["FREQ=SOMETIMES", "FREQ=DAILY;X=1", "BYDAY=MO;FREQ=WEEKLY;UNTIL=2023-12-31T00:00:00.000Z", "FREQ=DAILY;COUNT=x"],
  ...["google", "apple.podcasts_1-x", "a keyword", "<a>", "ключ"],
];
const URLS = [
  ...["https://x.example/é?q=ü&a=b|c", "http://x.example:8080/{x}", "https://münchen.example/a", "HTTPS://X.EXAMPLE/'"],
  ...["https://[::1]/a", "https://x.example:99999/", "https://1.2.3.4.5/", "https://x.example/%zz", "ftp://x.example/"],
];
const URIS = [
  ...URLS,
  "ipfs://QmX33[",
  "magnet:?xt=urn:btih:c1&dn=a",
  "at://did:plc:a/b",
  "javascript:x",
  "mailto:a@b",
];
const ELEMENTS = [
  '<media:rating xmlns:media="http://search.yahoo.com/mrss/" scheme="http://x.example/">adult</media:rating>',
  '<podcast:new url="http://x.example/"><a/></podcast:new>',
  "<a",
];

/** A value of a column, or of another shape in the dictionary. Most have their shape, but not all. */
export function drawFeedValue(random: SeededRandom, name: string): unknown {
  const { below, one, chance } = random;
  const line = (max: number) =>
    [...Array.from({ length: 1 + below(6) }, () => one(SHARDS)).join("")].slice(0, max).join("");
  const texts = ({ text, like }: Shape): string => {
    const known = PATTERNED.filter((one) => like && new RegExp(like).test(one) && one.length <= text!);
    if (like?.startsWith("^<")) return one(ELEMENTS);
    return known.length > 0 && chance(0.95) ? one(known) : chance(0.05) ? one(PATTERNED) : line(text! + below(2));
  };
  const draw = (named: string | Shape): unknown => {
    const shape = typeof named === "string" ? shapes[named] : named;
    if (shape.list) {
      const { list, min = 0, max = 1 } = shape;
      return Array.from({ length: min + below(Math.min(max - min, 3) + 1) }, () => draw(list));
    }
    if (shape.object) {
      return Object.fromEntries(
        Object.entries(shape.object).filter(([key]) => shape.required?.includes(key) || chance(0.5))
          .map(([key, member]) => [key, draw(member)]),
      );
    }
    if (shape.boolean) return chance(0.5);
    if (shape.one_of) return one(shape.one_of);
    if (shape.url) return one(URLS);
    if (shape.uri) return one(URIS);
    if (shape.language) return one(["en", "zh-Hans-TW", "DE-at", "x-own", "english_uk"]);
    if (shape.decimal) return one([0, 95, "33.3", "0.00000005000", 5e-8, 1.5, 99999999999999999999, "-1"]);
    const range = shape.number ?? shape.integer;
    if (range) return one([...range, Math.min(range[0] + 1, range[1]), ...shape.number ? [range[0] + 0.25] : []]);
    return texts(shape);
  };
  return draw(name);
}

export const feedColumns = {
  podcast: [
    ...["funding", "verify_texts", "locations", "images", "social_interactions", "value_blocks", "keywords", "tags"],
    ...["update_frequency", "podroll", "remote_items", "publisher", "directory_blocks", "extra_tags"],
  ],
  episode: [
    ...["funding", "texts", "locations", "images", "social_interactions", "value_blocks", "keywords", "tags"],
    ...["soundbites", "content_links", "alternate_enclosures", "extra_tags"],
  ],
};

/** Values of all columns of a podcast or an episode. */
export const drawFeedValues = (random: SeededRandom, of: keyof typeof feedColumns) =>
  Object.fromEntries(feedColumns[of].map((name) => [name, drawFeedValue(random, name)]));
