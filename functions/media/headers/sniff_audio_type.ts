/** The type of an enclosure, from its first bytes: servers and feeds often declare a wrong one. */
import { isTagged } from "./is_tagged.ts";
import { parseMpegFrame } from "./mpeg_frame.ts";

type AudioType = "audio/mpeg" | "audio/mp4" | "audio/x-m4a" | "audio/wav";

/** Enough bytes to recognize a file, even with other data before its first frame. */
export const SNIFF_BYTES = 16_384;

/** Declared types: by the server, by the feed, and the URL with its extension. */
export interface TypeHints {
  server: string | null;
  feed: string | null;
  url: string;
}

/**
 * The type to store a file as; undefined if it is not accepted (private.audio_types). Known signatures decide. For
 * other bytes the hints do, because some playable files begin with garbage.
 */
export function sniffAudioType(bytes: Uint8Array, hints: TypeHints): AudioType | undefined {
  const hinted = typeFromHints(hints);
  if (isTagged(bytes, 0, "RIFF") && isTagged(bytes, 8, "WAVE")) return "audio/wav";
  if (isTagged(bytes, 4, "ftyp")) return sniffMp4(bytes, hints, hinted);
  if (isTagged(bytes, 0, "ID3")) return tagsOtherAudio(bytes) ? undefined : "audio/mpeg";
  if (isUnsupported(bytes)) return;
  return hasMpegFrames(bytes) ? "audio/mpeg" : hinted;
}

const TYPES_BY_NAME: Record<string, AudioType> = {
  "audio/mpeg": "audio/mpeg",
  "audio/mp3": "audio/mpeg",
  "audio/mpeg3": "audio/mpeg",
  "audio/x-mpeg": "audio/mpeg",
  "audio/x-mp3": "audio/mpeg",
  "audio/mp4": "audio/mp4",
  "audio/m4a": "audio/x-m4a",
  "audio/x-m4a": "audio/x-m4a",
  "audio/wav": "audio/wav",
  "audio/wave": "audio/wav",
  "audio/x-wav": "audio/wav",
  "audio/vnd.wave": "audio/wav",
};
const TYPES_BY_EXTENSION: Record<string, AudioType> = { mp3: "audio/mpeg", m4a: "audio/x-m4a", wav: "audio/wav" };
const TEXT_TYPE = /^text\/|[/+](?:json|xml|xhtml|html)\b/;

function typeFromHints({ server, feed, url }: TypeHints): AudioType | undefined {
  if (server && TEXT_TYPE.test(server)) return;
  return TYPES_BY_NAME[server ?? ""] ?? TYPES_BY_NAME[feed ?? ""] ??
    TYPES_BY_EXTENSION[/\.([a-z0-9]+)(?:$|[?#])/i.exec(url)?.[1].toLowerCase() ?? ""];
}

/** Formats that are not accepted, and files that are not audio. */
function isUnsupported(bytes: Uint8Array): boolean {
  const tags = [
    "OggS",
    "fLaC",
    "%PDF",
    "GIF8",
    "\x89PNG",
    "\xff\xd8\xff",
    "PK\x03\x04",
    "\x1f\x8b",
    "\x1aE\xdf\xa3",
    "FORM",
    "#!AMR",
  ];
  if (tags.some((tag) => isTagged(bytes, 0, tag)) || isAdts(bytes, 0) || isTagged(bytes, 8, "AVI ")) return true;
  let at = isTagged(bytes, 0, "\xef\xbb\xbf") ? 3 : 0;
  while (at < bytes.length && " \t\r\n".includes(String.fromCharCode(bytes[at]))) at++;
  return isTagged(bytes, at, "<") || isTagged(bytes, at, "{"); // a web page or an error in JSON
}

/** It may be a video: the hints decide if its brand does not. */
function sniffMp4(bytes: Uint8Array, { server, feed }: TypeHints, hinted?: AudioType): AudioType | undefined {
  if (isTagged(bytes, 8, "M4V")) return;
  const isAudio = ["M4A ", "M4B ", "M4P "].some((brand) => isTagged(bytes, 8, brand));
  if (!isAudio && [server, feed].some((type) => type?.startsWith("video/"))) return;
  return hinted === "audio/x-m4a" ? hinted : "audio/mp4";
}

/** ID3 may precede other audio. If a long tag (with a cover) hides what follows, the file counts as MP3. */
function tagsOtherAudio(bytes: Uint8Array): boolean {
  if (bytes.length < 10) return true;
  const [a, b, c, d] = bytes.subarray(6, 10);
  const end = 10 + (a << 21 | b << 14 | c << 7 | d) + ((bytes[5] & 0x10) !== 0 ? 10 : 0);
  return isAdts(bytes, end) || isTagged(bytes, end, "fLaC");
}

const isAdts = (bytes: Uint8Array, at: number) => bytes[at] === 0xff && (bytes[at + 1] & 0xf6) === 0xf0;

/** Looks for three consecutive frames at any offset; a file that ends sooner needs fewer. */
function hasMpegFrames(bytes: Uint8Array): boolean {
  for (let start = 0; start + 4 <= bytes.length; start++) {
    if (bytes[start] !== 0xff) continue;
    let frames = 0;
    let at = start;
    for (let length; frames < 3 && (length = parseMpegFrame(bytes, at)?.length); frames++) at += length;
    if (frames === 3 || start === 0 && frames > 0 && at >= bytes.length) return true;
  }
  return false;
}
