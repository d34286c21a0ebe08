/** The media file of an item, among what feeds name as such. */
import { attributesOf, valueOf } from "./attributes.ts";
import { decoded } from "./text.ts";
import type { Note } from "./note.ts";
import type { Enclosure } from "./types.ts";
import { address } from "./url.ts";

const EXTENSIONS = {
  audio: /\.(?:mp3|m4a|m4b|aac|ogg|oga|opus|flac|wav)(?:$|[?#])/i,
  video: /\.(?:mp4|m4v|mov|webm)(?:$|[?#])/i,
};

/** RFC 6838, 4.2, with what servers make of names. */
const MEDIA_TYPE = /^([a-z0-9][\w.+-]{0,60}\/[a-z0-9][\w.+-]{0,60})\s*(?:;.*)?$/i;
const LENGTH = /^\d{1,13}$/;

/**
 * The first audio file of those written (the attributes of `enclosure`); without one the first video, then the first of
 * no known kind. Pictures and documents are none. What `media:content` names counts where no enclosure is a file.
 */
export function enclosureOf(written: string[], media: string[], base: string, note: Note): Enclosure | null {
  const found = first(written, base, note) ?? first(media, base, note);
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

function first(written: string[], base: string, note: Note): Found | undefined {
  if (written.length === 1) return read(written[0], base, note);
  const all = written.map((attributes) => read(attributes, base, note)).filter((one) => one !== undefined);
  if (all.length > 1) note("ENCLOSURES_SEVERAL", `${all.length}`);
  return all.sort((a, b) => rank(a) - rank(b))[0]; // stable: of equals the first
}

function rank({ url, type }: Enclosure): number {
  if (type?.startsWith("audio/")) return 0;
  if (EXTENSIONS.audio.test(url)) return 1;
  return type?.startsWith("video/") || EXTENSIONS.video.test(url) ? 2 : 3;
}

function read(attributes: string, base: string, note: Note): Found | undefined {
  const all = attributesOf(attributes);
  const value = (name: string) => {
    const raw = valueOf(all, name);
    return raw === undefined ? "" : decoded(raw, note);
  };
  const url = address(value("url") || value("href"), base, note);
  const type = MEDIA_TYPE.exec(value("type").trim())?.[1].toLowerCase() ?? null;
  if (!url || type && NO_MEDIA.test(type) && !EXTENSIONS.audio.test(url)) return;
  const claimed = (value("length") || value("filesize")).trim();
  return { url, type, length: LENGTH.test(claimed) && Number(claimed) || null, claimed };
}

const NO_MEDIA = /^(?:image\/|text\/|application\/pdf)/;
