/** Chooses the media file of an item among its candidates. */
import { attributeValue, parseAttributes } from "./attributes.ts";
import { decodeEntities } from "./text.ts";
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

/** The best candidate so far, as written. */
export interface EnclosureCandidates {
  best?: string;
  /** Rank of the best; set once there is a second candidate. */
  rank?: number;
  /** Number of candidates that are media files. */
  count: number;
}

export const noCandidates = (): EnclosureCandidates => ({ count: 0 });

/** Keeps the better candidate. A single candidate is not ranked. */
export function addCandidate(candidates: EnclosureCandidates, attributes: string, warn: WarnFn) {
  if (candidates.best === undefined) {
    candidates.best = attributes;
    return;
  }
  if (candidates.rank === undefined) {
    candidates.rank = rankCandidate(candidates.best, warn);
    if (candidates.rank < NO_FILE) candidates.count++;
  }
  const next = rankCandidate(attributes, warn);
  if (next < NO_FILE) candidates.count++;
  if (next < candidates.rank) [candidates.best, candidates.rank] = [attributes, next];
}

/**
 * Returns the first audio file among `enclosure` elements, else the first video, else the first file of unknown type;
 * images and documents are ignored. `media:content` is used if no enclosure is a file.
 */
export function chooseEnclosure(
  enclosures: EnclosureCandidates,
  media: EnclosureCandidates,
  base: string,
  warn: WarnFn,
): Enclosure | null {
  const found = parseBest(enclosures, base, warn) ?? parseBest(media, base, warn);
  if (!found) {
    warn("ENCLOSURE_MISSING");
    return null;
  }
  const { url, type, length } = found;
  if (!type || !AUDIO_OR_VIDEO.test(type)) warn("MEDIA_TYPE_UNEXPECTED", type ?? "");
  if (!length) warn("LENGTH_INVALID", found.declaredLength);
  return { url, type, length };
}

const AUDIO_OR_VIDEO = /^(?:audio|video)\//;

type Candidate = Enclosure & { declaredLength: string };

function parseBest({ best, count }: EnclosureCandidates, base: string, warn: WarnFn): Candidate | undefined {
  if (count > 1) warn("ENCLOSURE_MULTIPLE", `${count}`);
  return best === undefined ? undefined : parseCandidate(best, base, warn);
}

/** The validity of a URL does not depend on its base. */
const DUMMY_BASE = "https://any.example/";
const NO_FILE = 4;

/** Lower is better. Warnings about repairs are raised when the file is chosen. */
function rankCandidate(attributes: string, warn: WarnFn): number {
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

function parseCandidate(attributes: string, base: string, warn: WarnFn): Candidate | undefined {
  const all = parseAttributes(attributes);
  const value = (name: string) => {
    const raw = attributeValue(all, name);
    return raw === undefined ? "" : decodeEntities(raw, warn);
  };
  const url = resolveUrl(value("url") || value("href"), base, warn);
  const type = MEDIA_TYPE.exec(value("type").trim())?.[1].toLowerCase() ?? null;
  if (!url || IMAGE_PATH.test(url) || type && OTHER_TYPES.test(type) && !EXTENSIONS.audio.test(url)) return;
  const declaredLength = (value("length") || value("filesize")).trim();
  return { url, type, length: LENGTH.test(declaredLength) && Number(declaredLength) || null, declaredLength };
}

/** An image by its path, regardless of its declared type. */
const IMAGE_PATH = /^[^?#]*\.(?:jpe?g|png|gif|webp|svg)(?:[?#]|$)/i;
const OTHER_TYPES = /^(?:image\/|text\/|application\/pdf)/;
