/** The formats of transcripts that the service stores: how each is validated, and converted to others with times. */
import { ApiError } from "../../app/errors.ts";
import { isPresent } from "../../text/xml_text.ts";
import type { Cue } from "./cue.ts";
import { parseJsonTranscript, writeJsonTranscript } from "./json_transcript.ts";
import { decodeText, LineError } from "./lines.ts";
import { parseSrt, SRT_BEGINNING, writeSrt } from "./srt.ts";
import { parseVtt, VTT_SIGNATURE, writeVtt } from "./vtt.ts";

/** As private.transcript_types() of sql/35_media. */
export type TranscriptType = "text/vtt" | "application/x-subrip" | "application/json" | "text/html" | "text/plain";

interface TimedFormat {
  parse: (text: string) => Cue[];
  write: (cues: Cue[]) => string;
}

const TIMED_FORMATS: Partial<Record<TranscriptType, TimedFormat>> = {
  "text/vtt": { parse: parseVtt, write: writeVtt },
  "application/x-subrip": { parse: parseSrt, write: writeSrt },
  "application/json": { parse: parseJsonTranscript, write: writeJsonTranscript },
};

/** Plain text may begin like HTML or JSON, but not like these. */
const SUBTITLES: TranscriptType[] = ["text/vtt", "application/x-subrip"];

/** Validates an uploaded file and returns the bytes to store. 400 that names the line. */
export async function checkTranscript(type: TranscriptType, bytes: Uint8Array): Promise<Uint8Array> {
  return new TextEncoder().encode(
    await orInvalid("INVALID_TRANSCRIPT", "The transcript is invalid", async () => {
      const text = decodeText(bytes);
      const actual = sniffTranscriptType(text);
      if (actual && actual !== type && !(type === "text/plain" && !SUBTITLES.includes(actual))) {
        throw new ApiError(400, "Invalid content type", {
          code: "INVALID_CONTENT_TYPE",
          details: `Declared as ${type}, but the data is ${actual}`,
        });
      }
      if (type === "text/html") return await sanitize(text);
      TIMED_FORMATS[type]?.parse(text);
      if (!isPresent(text)) throw new LineError(1, "expected visible text");
      return text;
    }),
  );
}

/**
 * The type of a file whose source may declare a wrong one. A web page does not replace another type: it is most likely
 * an error page, which checkTranscript then rejects.
 */
export function detectTranscriptType(declared: string, bytes: Uint8Array): Promise<string> {
  return orInvalid("INVALID_TRANSCRIPT", "The transcript is invalid", () => {
    const actual = sniffTranscriptType(decodeText(bytes));
    const isCertain = actual === "application/json" ? declared !== "text/plain" : actual && SUBTITLES.includes(actual);
    return isCertain ? actual! : declared;
  });
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

/** The type of a text that has an unmistakable beginning. */
function sniffTranscriptType(text: string): TranscriptType | undefined {
  const beginning = text.slice(0, 1000);
  if (VTT_SIGNATURE.test(beginning)) return "text/vtt";
  if (SRT_BEGINNING.test(beginning)) return "application/x-subrip";
  if (/^\s*\{/.test(beginning)) return "application/json";
  if (/^\s*<(?:!doctype|html|head|body|p|div|cite)\b/i.test(beginning)) return "text/html";
}

/** Whether a transcript of this type has times, and is converted to other such types. */
export const hasTimes = (type: TranscriptType) => type in TIMED_FORMATS;

/** Converts between types that have times. */
export function convertTranscript(text: string, from: TranscriptType, to: TranscriptType): string {
  return TIMED_FORMATS[to]!.write(TIMED_FORMATS[from]!.parse(text));
}
