/** Chooses the media file of an item among its candidates. */
import { type Attributes, attributeValue } from "./attributes.ts";
import { type Draft, excerptOf, pathOf, type RawElement } from "./element_rules.ts";
import { decodeEntities } from "./text.ts";
import type { Context } from "./values.ts";
import type { WarnFn } from "./warn.ts";
import type { Enclosure } from "./feed.ts";
import { resolveUrl } from "./url.ts";

const EXTENSIONS = {
  audio: /\.(?:mp3|m4a|m4b|aac|ogg|oga|opus|flac|wav)(?:$|[?#])/i,
  video: /\.(?:mp4|m4v|mov|webm)(?:$|[?#])/i,
};

/** RFC 6838, 4.2, with the variants that servers write. */
const MEDIA_TYPE = /^([a-z0-9][\w.+-]{0,60}\/[a-z0-9][\w.+-]{0,60})\s*(?:;.*)?$/i;
const LENGTH = /^\d{1,13}$/;

/** The attributes of candidates. */
export const FILE_ATTRIBUTES = ["url", "href", "type", "length", "filesize"];

export interface EnclosureCandidates {
  /** The best candidate so far. */
  best?: RawElement;
  /** Rank of the best; set once there is a second candidate. */
  rank?: number;
  /** Number of candidates that are media files. */
  count: number;
}

export const noCandidates = (): EnclosureCandidates => ({ count: 0 });

/** Keeps the better candidate and reports the other as lost. A single candidate is not ranked. */
export function addCandidate(candidates: EnclosureCandidates, element: RawElement, draft: Draft) {
  if (element.attributes.length > 3) loseAlternatives(element, draft);
  if (candidates.best === undefined) {
    candidates.best = element;
    return;
  }
  if (candidates.rank === undefined) {
    candidates.rank = rankCandidate(candidates.best, draft.warn);
    if (candidates.rank < NO_FILE) candidates.count++;
  }
  const next = rankCandidate(element, draft.warn);
  if (next < NO_FILE) candidates.count++;
  const isBetter = next < candidates.rank;
  loseFile(isBetter ? candidates.best : element, draft);
  if (isBetter) [candidates.best, candidates.rank] = [element, next];
}

/** `href` and `fileSize` are read only without `url` and `length`. */
function loseAlternatives(element: RawElement, { lose }: Draft) {
  for (const [read, other] of [["url", "href"], ["length", "filesize"]]) {
    const unread = attributeValue(element.attributes, read) && attributeValue(element.attributes, other);
    if (unread) lose(`${pathOf(element)}/@${other}`, "REPEATED", unread);
  }
}

function loseFile(element: RawElement, { lose }: Draft) {
  const { attributes } = element;
  const url = attributeValue(attributes, "url") ?? attributeValue(attributes, "href");
  lose(pathOf(element), "ENCLOSURE", url ?? excerptOf(element));
}

/**
 * Returns the first audio file among `enclosure` elements, else the first video, else the first file of unknown type;
 * images and documents are ignored. `media:content` is used if no enclosure is a file.
 */
export function chooseEnclosure(
  enclosures: EnclosureCandidates,
  media: EnclosureCandidates,
  context: Context,
): Enclosure | null {
  const { base, warn, lose } = context;
  const own = parseBest(enclosures, base, warn);
  if (enclosures.best && !own) loseFile(enclosures.best, context);
  const other = parseBest(media, base, own ? () => {} : warn);
  if (media.best && other?.url !== (own ?? other)?.url) loseFile(media.best, context);
  const found = own ?? other;
  if (!found) {
    if (media.best) loseFile(media.best, context);
    warn("ENCLOSURE_MISSING");
    return null;
  }
  const { url, type, length, declared } = found;
  if (!type || !AUDIO_OR_VIDEO.test(type)) warn("MEDIA_TYPE_UNEXPECTED", type ?? "");
  if (!length) warn("LENGTH_INVALID", declared.length);
  const path = pathOf((own ? enclosures : media).best!);
  if (!type && declared.type) lose(`${path}/@type`, "INVALID", declared.type);
  if (!length && declared.length) lose(`${path}/@length`, "INVALID", declared.length);
  return { url, type, length };
}

const AUDIO_OR_VIDEO = /^(?:audio|video)\//;

type Candidate = Enclosure & { declared: { type: string; length: string } };

function parseBest({ best, count }: EnclosureCandidates, base: string, warn: WarnFn): Candidate | undefined {
  if (count > 1) warn("ENCLOSURE_MULTIPLE", `${count}`);
  return best === undefined ? undefined : parseCandidate(best.attributes, base, warn);
}

/** The validity of a URL does not depend on its base. */
const DUMMY_BASE = "https://any.example/";
const NO_FILE = 4;

/** Lower is better. Warnings about repairs are raised when the file is chosen. */
function rankCandidate({ attributes }: RawElement, warn: WarnFn): number {
  const file = parseCandidate(
    attributes,
    DUMMY_BASE,
    (code, excerpt) => code === "URL_INVALID" && warn(code, excerpt),
  );
  if (!file) return NO_FILE;
  if (file.type?.startsWith("audio/")) return 0;
  if (EXTENSIONS.audio.test(file.url)) return 1;
  return file.type?.startsWith("video/") || EXTENSIONS.video.test(file.url) ? 2 : 3;
}

function parseCandidate(attributes: Attributes, base: string, warn: WarnFn): Candidate | undefined {
  const value = (name: string) => {
    const raw = attributeValue(attributes, name);
    return raw === undefined ? "" : decodeEntities(raw, warn);
  };
  const url = resolveUrl(value("url") || value("href"), base, warn);
  const declaredType = value("type").trim();
  const type = MEDIA_TYPE.exec(declaredType)?.[1].toLowerCase() ?? null;
  if (!url || IMAGE_PATH.test(url) || type && OTHER_TYPES.test(type) && !EXTENSIONS.audio.test(url)) return;
  const declaredLength = (value("length") || value("filesize")).trim();
  const length = LENGTH.test(declaredLength) && Number(declaredLength) || null;
  return { url, type, length, declared: { type: declaredType, length: declaredLength } };
}

/** An image by its path, regardless of its declared type. */
const IMAGE_PATH = /^[^?#]*\.(?:jpe?g|png|gif|webp|svg)(?:[?#]|$)/i;
const OTHER_TYPES = /^(?:image\/|text\/|application\/pdf)/;
