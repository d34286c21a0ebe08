/**
 * Media RSS (https://www.rssboard.org/media-rss): files, and what is said about them. What is said about the episode's
 * own file is about the episode, and the specification allows it in items: it is carried from there.
 */
import { attributeValue, isDeclaration } from "./attributes.ts";
import { parseDuration } from "./duration.ts";
import { type Draft, type ElementRule, elementRules, pathOf, type RawElement } from "./element_rules.ts";
import { addCandidate, type EnclosureCandidates, FILE_ATTRIBUTES } from "./enclosure.ts";
import type { Enclosure } from "./feed.ts";
import { type Account, excerptOfXml } from "./losses.ts";
import { attributeUrl, type Context, parseOrLose } from "./values.ts";

export interface MediaDraft extends Draft {
  mediaFiles: EnclosureCandidates;
  /** Elements about a file or a group of files. */
  mediaParts?: MediaPart[];
  /** media:thumbnail, of the item or about a file. */
  thumbnails?: RawElement[];
  account: Account;
}

interface MediaPart {
  /** media:content or media:group. */
  about: RawElement;
  path: string;
  xml: string;
}

/** Attributes of files that our feed has no place for. */
const OTHER_ATTRIBUTES = ["medium", "isdefault", "expression", "bitrate", "framerate", "samplingrate", "channels"]
  .concat("height", "width", "lang");
const MAX_PARTS = 100;

/** Carries an element about a file once the episode's file is known. */
function carry(item: MediaDraft, about: RawElement, path: string, xml: string) {
  const parts = item.mediaParts ??= [];
  if (parts.length >= MAX_PARTS) item.lose(path, "LIMIT", excerptOfXml(xml));
  else if (parts.some((one) => one.xml === xml)) item.lose(path, "REPEATED", excerptOfXml(xml));
  else parts.push({ about, path, xml });
}

const thumbnail: ElementRule<MediaDraft> = {
  isUnread: true,
  open(item, element) {
    const thumbnails = item.thumbnails ??= [];
    if (thumbnails.length < MAX_PARTS) thumbnails.push(element);
  },
};

const content: ElementRule<MediaDraft> = {
  attributes: [...FILE_ATTRIBUTES, ...OTHER_ATTRIBUTES, "duration"],
  open(item, element) {
    for (const [name, value, written] of element.attributes) {
      const isOther = OTHER_ATTRIBUTES.includes(name.slice(name.indexOf(":") + 1)) && !isDeclaration(name);
      if (isOther) item.lose(`${pathOf(element)}/@${written}`, "NO_PLACE", value);
    }
    addCandidate(item.mediaFiles, element, item);
  },
  carry,
  children: elementRules({ "media:thumbnail": thumbnail }),
};

export const mediaRules = {
  "media:thumbnail": thumbnail,
  "media:content": content,
  "media:group": { carry, children: elementRules({ "media:content": content, "media:thumbnail": thumbnail }) },
} satisfies Record<string, ElementRule<MediaDraft>>;

/** In pixels: a smaller thumbnail is not artwork. */
const MIN_IMAGE_PIXELS = 300;

/** Returns duration and image of the episode, carries what else is said about its file, and loses the rest. */
export function finishMedia(draft: MediaDraft, enclosure: Enclosure | null, duration: number | null, context: Context) {
  const { mediaFiles: { best }, mediaParts = [], thumbnails = [], account, lose } = draft;
  if (!best && !thumbnails.length && !mediaParts.length) return { durationSeconds: duration, image: null };
  const quiet = { ...context, warn: () => {}, lose: () => {} };
  const url = best && (attributeUrl(best, "url", quiet) ?? attributeUrl(best, "href", quiet));
  const own = url !== undefined && url === enclosure?.url ? best : undefined;
  const isOwn = (about?: RawElement) => !about || (best ? about === own || about === own?.parent : true);
  for (const { about, path, xml } of mediaParts) {
    if (isOwn(about)) account.carry(path, xml);
    else lose(path, "ENCLOSURE", excerptOfXml(xml));
  }
  const artwork = thumbnails.find((one) => isOwn(one.parent) && !isSmall(one));
  return {
    durationSeconds: own ? finishDuration(own, duration, draft) : duration,
    image: artwork && attributeUrl(artwork, "url", quiet) || null,
  };
}

function finishDuration(file: RawElement, duration: number | null, draft: MediaDraft): number | null {
  const path = `${pathOf(file)}/@duration`, written = attributeValue(file.attributes, "duration");
  const own = parseOrLose(path, written, parseDuration, draft);
  if (duration !== null && own !== null && own !== duration) draft.lose(path, "REPEATED", written);
  return duration ?? own;
}

const isSmall = ({ attributes }: RawElement) =>
  ["width", "height"].some((side) => Number(attributeValue(attributes, side) ?? MIN_IMAGE_PIXELS) < MIN_IMAGE_PIXELS);
