/** The formats of transcripts: how each is recognized, repaired, stored, and converted to others with times. */
import { UNKNOWN_TRANSCRIPT_TYPE } from "../../../types/media.ts";
import { ApiError } from "../../runtime/api_error.ts";
import { toPlainText } from "../../text/plain_text.ts";
import { isPresent } from "../../text/xml_text.ts";
import { ANY_TIME, type Cue } from "./cue.ts";
import { parseJsonTranscript, writeJsonTranscript } from "./json_transcript.ts";
import { decodeTranscript, LineError } from "./lines.ts";
import { Repairs, type TranscriptWarning } from "./repairs.ts";
import { parseSbv, SBV_BEGINNING } from "./sbv.ts";
import { formatSrt, parseSrt, readSrt, writeSrt } from "./srt.ts";
import { isTimedText, parseTimedText } from "./timed_text.ts";
import { formatVtt, parseVtt, readVtt, VTT_SIGNATURE, writeVtt } from "./vtt.ts";

/** As private.transcript_types() of sql/35_media. */
export type TranscriptType = "text/vtt" | "application/x-subrip" | "application/json" | "text/html" | "text/plain";

interface TimedFormat {
  parse: (text: string) => Cue[];
  write: (cues: Cue[]) => string;
  /** Reads a file, and returns how it is written again with everything that its format keeps. */
  read: (text: string, repairs: Repairs) => () => string;
}

/** Reads with `reader`, and writes what it has read with `write`. */
const readerOf =
  <T>(reader: (text: string, repairs: Repairs) => T, write: (content: T) => string) =>
  (text: string, repairs: Repairs) => {
    const content = reader(text, repairs);
    return () => write(content);
  };

const TIMED_FORMATS: Partial<Record<TranscriptType, TimedFormat>> = {
  "text/vtt": { parse: parseVtt, write: writeVtt, read: readerOf(readVtt, formatVtt) },
  "application/x-subrip": { parse: parseSrt, write: writeSrt, read: readerOf(readSrt, formatSrt) },
  "application/json": {
    parse: parseJsonTranscript,
    write: writeJsonTranscript,
    read: readerOf(parseJsonTranscript, writeJsonTranscript),
  },
};

/** Formats without a type in feeds. They become WebVTT. */
const CONVERTED = { sbv: parseSbv, timedText: parseTimedText };

/** An uploaded file whose format is known. */
interface OpenedTranscript {
  /** The type under which it is stored; one of the source's if the service cannot store it. */
  type: string;
  text: string;
  repairs: Repairs;
  converted?: keyof typeof CONVERTED;
}

/** The type that a request or feed declares; undefined if it does not know the type, as browsers of `.sbv`. */
export const declaredType = (type: string) => ["", UNKNOWN_TRANSCRIPT_TYPE].includes(type) ? undefined : type;

/**
 * Decodes a file and recognizes its format. Its bytes decide, because people and feeds name wrong types. A web page
 * does not replace another type: it is most likely an error page, which checkTranscript then rejects.
 */
export function openTranscript(declared: string | undefined, bytes: Uint8Array): Promise<OpenedTranscript> {
  return orInvalid("INVALID_TRANSCRIPT", "The transcript is invalid", () => {
    const repairs = new Repairs(), text = decodeTranscript(bytes, repairs);
    if (SBV_BEGINNING.test(text.slice(0, 1000))) return { type: "text/vtt", text, repairs, converted: "sbv" };
    const actual = sniffTranscriptType(text, declared);
    const isCertain = actual &&
      (!declared || SUBTITLES.includes(actual) || actual === "application/json" && declared !== "text/plain");
    const type = isCertain ? actual : declared ?? "text/plain";
    if (type === "text/plain" && isTimedText(text)) return { type: "text/vtt", text, repairs, converted: "timedText" };
    if (declared && type !== declared) repairs.add("TYPE_CORRECTED", 1);
    return { type, text, repairs };
  });
}

/** Plain text may begin like HTML or JSON, but not like these. */
const SUBTITLES: TranscriptType[] = ["text/vtt", "application/x-subrip"];

/** A file to store, and what was repaired in it. */
export interface CheckedTranscript {
  bytes: Uint8Array;
  warnings: TranscriptWarning[];
}

/** Validates and repairs an opened file. 400 that names the line if nothing can be read. */
export function checkTranscript({ type, text, repairs, converted }: OpenedTranscript): Promise<CheckedTranscript> {
  return orInvalid("INVALID_TRANSCRIPT", "The transcript is invalid", async () => {
    const actual = sniffTranscriptType(text, type);
    if (actual === "text/html" && type !== actual && type !== "text/plain") {
      throw new ApiError(400, "Invalid content type", {
        code: "INVALID_CONTENT_TYPE",
        details: `Declared as ${type}, but the data is ${actual}`,
      });
    }
    const content = type === "text/html" ? await sanitize(text) : repair({ type, text, repairs, converted });
    if (!isPresent(content)) throw new LineError(1, "expected visible text");
    return { bytes: new TextEncoder().encode(content), warnings: repairs.list() };
  });
}

/** A valid file stays as it is. */
function repair({ type, text, repairs, converted }: OpenedTranscript): string {
  if (converted) {
    repairs.add("FORMAT_CONVERTED", 1);
    return writeVtt(CONVERTED[converted](text, repairs));
  }
  const before = repairs.count, rewrite = TIMED_FORMATS[type as TranscriptType]?.read(text, repairs);
  return rewrite && repairs.count > before ? rewrite() : text;
}

/** The content type of a stored transcript. */
export const storedTranscriptType = (type: string) => type === "application/json" ? type : `${type}; charset=utf-8`;

/** Runs the check of a file; a LineError becomes a 400. */
export async function orInvalid<T>(
  code: "INVALID_TRANSCRIPT" | "INVALID_CHAPTERS",
  message: string,
  check: () => T | Promise<T>,
): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
    throw new ApiError(400, message, { code, details: error.message });
  }
}

/** Loaded on demand: it takes 40 ms and 5 MB, which other formats save. */
async function sanitize(html: string): Promise<string> {
  const { sanitizeTranscript, TRANSCRIPT_LIMITS } = await import("../../show_notes/sanitize.ts");
  const safe = sanitizeTranscript(html);
  if (safe !== null) return safe;
  const { maxTags, maxAttributes, maxEntities } = TRANSCRIPT_LIMITS;
  throw new LineError(
    1,
    `expected visible text with at most ${maxTags} tags, ${maxAttributes} attributes and ${maxEntities} entities`,
  );
}

const SRT_BEGINNING = new RegExp(`^\\s*\\d+[ \\t]*(?:\\r\\n?|\\n)\\s*${ANY_TIME}[ \\t]*-->`);
/** Times without the number or the header that should precede them. */
const CUE_BEGINNING = new RegExp(`^\\s*${ANY_TIME}[ \\t]*-->`);

/** The type of a text that has an unmistakable beginning. */
function sniffTranscriptType(text: string, declared: string | undefined): TranscriptType | undefined {
  const beginning = text.slice(0, 1000);
  if (VTT_SIGNATURE.test(beginning)) return "text/vtt";
  if (declared !== "text/vtt" && CUE_BEGINNING.test(beginning) || SRT_BEGINNING.test(beginning)) {
    return "application/x-subrip";
  }
  if (/^\s*\{\s*"/.test(beginning)) return "application/json";
  if (/^\s*<(?:!doctype|html|head|body|p|div|cite)\b/i.test(beginning)) return "text/html";
}

/** Whether a transcript of this type has times. */
export const hasTimes = (type: TranscriptType) => type in TIMED_FORMATS;

/** Whether a transcript of a type is returned in another: types with times in each other, and HTML as plain text. */
export const canConvert = (from: TranscriptType, to: TranscriptType) =>
  hasTimes(from) && hasTimes(to) || from === "text/html" && to === "text/plain";

export function convertTranscript(text: string, from: TranscriptType, to: TranscriptType): string {
  if (from === "text/html") return `${toPlainText(text, Infinity, "\n\n")}\n`;
  return TIMED_FORMATS[to]!.write(TIMED_FORMATS[from]!.parse(text));
}
