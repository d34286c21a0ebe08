/** The media file of an item, among what feeds name as such. */
import { attributesOf, valueOf } from "./attributes.ts";
import { decoded } from "./text.ts";
import type { Note } from "./warn.ts";
import type { Enclosure } from "./types.ts";
import { address } from "./url.ts";

const EXTENSIONS = {
  audio: /\.(?:mp3|m4a|m4b|aac|ogg|oga|opus|flac|wav)(?:$|[?#])/i,
  video: /\.(?:mp4|m4v|mov|webm)(?:$|[?#])/i,
};

/** RFC 6838, 4.2, with what servers make of names. */
const MEDIA_TYPE = /^([a-z0-9][\w.+-]{0,60}\/[a-z0-9][\w.+-]{0,60})\s*(?:;.*)?$/i;
const LENGTH = /^\d{1,13}$/;

/** The best of an item's files so far, as written; how many others there are does not matter. */
export interface Files {
  best?: string;
  /** Of the best; only known when there was another. */
  rank?: number;
  /** How many were judged to be files. */
  count: number;
}

export const noFiles = (): Files => ({ count: 0 });

/** Takes what is better than those before: one alone is not looked at. */
export function consider(files: Files, attributes: string, note: Note) {
  if (files.best === undefined) {
    files.best = attributes;
    return;
  }
  if (files.rank === undefined) {
    files.rank = rank(files.best, note);
    if (files.rank < NONE) files.count++;
  }
  const next = rank(attributes, note);
  if (next < NONE) files.count++;
  if (next < files.rank) [files.best, files.rank] = [attributes, next];
}

/**
 * The first audio file of those written (the attributes of `enclosure`); without one the first video, then the first of
 * no known kind. Pictures and documents are none. What `media:content` names counts where no enclosure is a file.
 */
export function enclosureOf(written: Files, media: Files, base: string, note: Note): Enclosure | null {
  const found = best(written, base, note) ?? best(media, base, note);
  if (!found) {
    note("ENCLOSURE_MISSING");
    return null;
  }
  const { url, type, length } = found;
  if (!type || !TYPES.test(type)) note("TYPE_ODD", type ?? "");
  if (!length) note("LENGTH_UNREADABLE", found.claimed);
  return { url, type, length };
}

const TYPES = /^(?:audio|video)\//;

type Found = Enclosure & { claimed: string };

function best({ best, count }: Files, base: string, note: Note): Found | undefined {
  if (count > 1) note("ENCLOSURES_SEVERAL", `${count}`);
  return best === undefined ? undefined : read(best, base, note);
}

/** Whether an address is one does not depend on what it is relative to. */
const ANYWHERE = "https://any.example/";
const NONE = 4;

/** Less is better. What is repaired in a file counts when it is taken. */
function rank(attributes: string, note: Note): number {
  const file = read(attributes, ANYWHERE, (code, said) => code === "URL_UNUSABLE" && note(code, said));
  if (!file) return NONE;
  if (file.type?.startsWith("audio/")) return 0;
  if (EXTENSIONS.audio.test(file.url)) return 1;
  return file.type?.startsWith("video/") || EXTENSIONS.video.test(file.url) ? 2 : 3;
}

function read(attributes: string, base: string, note: Note): Found | undefined {
  const all = attributesOf(attributes);
  const value = (name: string) => {
    const raw = valueOf(all, name);
    return raw === undefined ? "" : decoded(raw, note);
  };
  const url = address(value("url") || value("href"), base, note);
  const type = MEDIA_TYPE.exec(value("type").trim())?.[1].toLowerCase() ?? null;
  if (!url || PICTURE.test(url) || type && NO_MEDIA.test(type) && !EXTENSIONS.audio.test(url)) return;
  const claimed = (value("length") || value("filesize")).trim();
  return { url, type, length: LENGTH.test(claimed) && Number(claimed) || null, claimed };
}

/** By its path, whatever it is called besides. */
const PICTURE = /^[^?#]*\.(?:jpe?g|png|gif|webp|svg)(?:[?#]|$)/i;
const NO_MEDIA = /^(?:image\/|text\/|application\/pdf)/;
