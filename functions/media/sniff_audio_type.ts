/** The type of an enclosure, from its first bytes: servers and feeds often declare a wrong one. */

export type AudioType = "audio/mpeg" | "audio/mp4" | "audio/x-m4a" | "audio/wav";

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
    for (let length; frames < 3 && (length = parseFrameLength(bytes, at)); frames++) at += length;
    if (frames === 3 || start === 0 && frames > 0 && at >= bytes.length) return true;
  }
  return false;
}

const MPEG1 = {
  1: [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  2: [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  3: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
};
const MPEG2 = {
  1: [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  2: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  3: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const RATES = [44_100, 48_000, 32_000];

/** The length of the MPEG audio frame at this offset; undefined without a header (ISO 11172-3, 2.4.1.3). */
function parseFrameLength(bytes: Uint8Array, at: number): number | undefined {
  if (at + 4 > bytes.length || bytes[at] !== 0xff || (bytes[at + 1] & 0xe0) !== 0xe0) return;
  const version = bytes[at + 1] >> 3 & 3; // 3: MPEG 1, 2: MPEG 2, 0: MPEG 2.5
  const layer = 4 - (bytes[at + 1] >> 1 & 3) as 1 | 2 | 3 | 4;
  const rate = RATES[bytes[at + 2] >> 2 & 3];
  if (version === 1 || layer === 4 || !rate) return;
  const kilobits = (version === 3 ? MPEG1 : MPEG2)[layer][(bytes[at + 2] >> 4) - 1];
  if (!kilobits) return;
  const hertz = rate / (version === 3 ? 1 : version === 2 ? 2 : 4);
  const padding = bytes[at + 2] >> 1 & 1;
  if (layer === 1) return 4 * (Math.floor(12_000 * kilobits / hertz) + padding);
  return Math.floor((layer === 3 && version !== 3 ? 72_000 : 144_000) * kilobits / hertz) + padding;
}

function isTagged(bytes: Uint8Array, at: number, tag: string): boolean {
  if (at + tag.length > bytes.length) return false;
  for (let n = 0; n < tag.length; n++) if (bytes[at + n] !== tag.charCodeAt(n)) return false;
  return true;
}
