// The values that our feed has in another form or place than the source. All others are the same, carried or lost.
import { sanitizeShowNotes } from "../../functions/show_notes/sanitize.ts";
import { toPlainText } from "../../functions/text/plain_text.ts";
import { toUri } from "../../functions/text/uri.ts";
import { fold } from "../feed_reader/accounting.ts";

export interface Transformation {
  /** Parts of the source. */
  paths: string[];
  /** Parts of our feed, one of which has the value; none if only the source's value is checked. */
  from: string[];
  isSame(theirs: string, ours: string): boolean;
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };
/** References that were escaped twice. */
const decode = (text: string) =>
  text.replace(
    /&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,6})|#x([0-9a-f]{1,5}));/gi,
    (_, name, decimal, hex) =>
      name ? ENTITIES[name.toLowerCase()] : String.fromCodePoint(decimal ? Number(decimal) : parseInt(hex, 16)),
  );

const BASE = "https://show.example/feed.xml";

/** Absolute, without white space, encoded. */
function toUrl(text: string): string | undefined {
  const written = text.trim().replace(/[\t\r\n]+\s*/g, "").replaceAll("&amp;", "&");
  const url = /^www\.[^/.]+\./i.test(written) ? `//${written}` : written;
  return URL.canParse(url, BASE) ? toUri(new URL(url, BASE).href) : undefined;
}

const isNumber = (text: string) => /^\s*\d{1,15}(?:\.\d+)?\s*$/.test(text);

/** The same text with other white space or once more decoded, the same number, or the same URL. */
export function isSameValue(theirs: string, ours: string): boolean {
  if (fold(theirs) === fold(ours) || fold(decode(theirs)) === fold(ours)) return true;
  if (isNumber(theirs) && isNumber(ours)) return Number(theirs) === Number(ours);
  if (!URL.canParse(ours)) return false;
  const url = toUrl(ours);
  // carried elements keep the spaces of a broken line
  return toUrl(theirs) === url || URL.canParse(theirs) && toUri(new URL(theirs).href) === url;
}

const words = (html: string) => toPlainText(html, 2_000_000).replace(/\s/g, "");
/** Descriptions are plain text; the show notes have the markup. */
const isSameText = (theirs: string, ours: string) =>
  [theirs, decode(theirs)].some((text) => fold(ours).includes(fold(text)) || words(ours).includes(words(text)));
const MARKUP = /<[a-z]|\s(?:class|style|target|id|on[a-z]+)=/gi;
/** The worker's allow-list removes what is not safe in any page, and the report says whether it did. */
const isSanitized = (theirs: string, ours: string) =>
  [theirs, decode(theirs)].some((html) =>
    fold(sanitizeShowNotes(html.trim()) ?? "") === fold(ours) &&
    (html.match(MARKUP) ?? []).length <= (ours.match(MARKUP) ?? []).length
  );

const isAny = () => true;
/** One of the forms of a value that directories know. */
const isForm = (forms: Record<string, string>) => (theirs: string, ours: string) =>
  forms[theirs.trim().toLowerCase()] === ours.toLowerCase();
const EXPLICIT = { true: "true", yes: "true", explicit: "true", false: "false", no: "false", clean: "false" };
const isYes = isForm({ yes: "yes", true: "yes" });
const isNo = isForm({ no: "", false: "" });
const isTruth = isForm({ yes: "true", true: "true", no: "false", false: "false" });
const isLowerCase = (theirs: string, ours: string) => theirs.trim().toLowerCase() === ours;

/** The Podcast Taxonomy in any case and hyphenation. */
const isSameWord = (theirs: string, ours: string) =>
  theirs.toLowerCase().replace(/[^a-z]/g, "") === ours.toLowerCase().replace(/[^a-z]/g, "");
const SRT = "application/x-subrip";
const isSubtitle = isForm({ "application/srt": SRT, "application/x-srt": SRT, "text/srt": SRT });

const toSeconds = (clock: string) =>
  clock.trim().split(":").reduce((total, part) => total * 60 + parseInt(part.replace(",", ".")), 0);
const toTime = (date: string) => Math.floor(Date.parse(date) / 1000);
const split = (list: string) => list.split(",").map((one) => fold(decode(one))).filter((one) => one);

const rule = (paths: string, from: string, isSame: Transformation["isSame"]): Transformation => ({
  paths: paths.split(" "),
  from: from.split(" ").filter((one) => one),
  isSame,
});

const TEXTS = "description content:encoded itunes:summary itunes:subtitle";

export const transformations: Transformation[] = [
  // texts
  rule("description itunes:summary itunes:subtitle", TEXTS, isSameText),
  rule("description itunes:summary itunes:subtitle", "", (theirs) => !words(theirs)), // only markup
  rule("content:encoded", "content:encoded", isSanitized),
  // forms
  rule("pubdate dc:date", "pubdate", (theirs, ours) => Math.max(0, toTime(theirs)) === toTime(ours)),
  rule(
    "itunes:duration media:content/@duration",
    "itunes:duration",
    (theirs, ours) => toSeconds(theirs) === Number(ours),
  ),
  rule("itunes:explicit", "itunes:explicit", isForm(EXPLICIT)),
  rule("itunes:block podcast:block", "itunes:block podcast:block", isYes),
  rule("itunes:complete", "itunes:complete", isYes),
  rule("itunes:block podcast:block itunes:complete", "", isNo), // our feed leaves the default out
  rule("itunes:episodetype", "itunes:episodetype", isLowerCase),
  rule("itunes:type", "itunes:type", isLowerCase),
  rule("podcast:value/podcast:valuerecipient/@fee", "podcast:value/podcast:valuerecipient/@fee", isTruth),
  rule("podcast:updatefrequency/@complete", "podcast:updatefrequency/@complete", isTruth),
  rule("podcast:alternateenclosure/@default", "podcast:alternateenclosure/@default", isTruth),
  rule("itunes:keywords", "itunes:keywords", (theirs, ours) => split(theirs).every((one) => split(ours).includes(one))),
  rule("podcast:chapters/@type", "podcast:chapters/@type", (theirs, ours) => /json/i.test(theirs) && /json/.test(ours)),
  rule("podcast:transcript/@type", "podcast:transcript/@type", isSubtitle),
  rule("podcast:person/@role", "podcast:person/@role", isSameWord),
  rule("podcast:person/@group", "podcast:person/@group", isSameWord),
  // places
  rule("itunes:season", "podcast:season", isSameValue), // Apple counts from 1
  rule("itunes:episode", "podcast:episode", isSameValue),
  rule("itunes:owner/itunes:email", "itunes:owner/itunes:email", isSameValue), // of several owners
  rule("podcast:block/@id", "podcast:block/@id", isSameValue), // of a repeated block
  ...["feedguid", "feedurl", "itemguid", "medium", "title"].map((name) => `podcast:podroll/podcast:remoteitem/@${name}`)
    .map((path) => rule(path, path, isSameValue)), // one list of several
  rule("link", "guid", isSameValue), // of the old site
  rule("author", "dc:creator", isSameValue), // RSS has addresses there
  // one element for each subcategory
  rule("itunes:category/@text", "itunes:category/@text", isSameValue),
  rule("itunes:category/itunes:category/@text", "itunes:category/itunes:category/@text", isSameValue),
  rule("podcast:txt", "itunes:applepodcastsverify", isSameValue),
  rule("podcast:txt/@purpose", "itunes:applepodcastsverify", (theirs) => /^\s*applepodcastsverify\s*$/i.test(theirs)),
  // a sentence instead of the truth value that the namespace allows
  rule("podcast:txt/@purpose", "podcast:txt/@purpose", isForm({ "ai-content": "ai-disclosure" })),
  rule("podcast:episode", "podcast:episode/@display", isSameValue), // between two episodes
  rule("podcast:episode/@display", "podcast:episode", isSameValue),
  rule("podcast:images/@srcset", "podcast:image/@href", (theirs, ours) => theirs.includes(ours)),
  // files: the worker copies audio, images and chapters to our storage
  rule(
    "url href length filesize type".split(" ").flatMap((name) =>
      ["enclosure", "media:content", "media:group/media:content"].map((path) => `${path}/@${name}`)
    ).join(" "),
    "enclosure/@url",
    isAny,
  ),
  rule("itunes:image itunes:image/@href itunes:image/@url image/url", "itunes:image/@href", isAny),
  rule(
    "psc:chapter/@start psc:chapter/@title psc:chapter/@href psc:chapter/@image".split(" ")
      .map((part) => `psc:chapters/${part}`).join(" "),
    "podcast:chapters/@url",
    isAny,
  ),
  rule("psc:chapters/@version", "", isAny), // of the format, not of the chapters
  rule("podcast:chapters/@url", "podcast:chapters/@url", isAny), // our document of the same chapters
];
