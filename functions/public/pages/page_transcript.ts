/** The transcript of an episode's page, as text to read: bounded, because a file can have five megabytes. */
import type { Context } from "hono";
import type { AppEnv } from "../../app/app.ts";
import { hasTimes } from "../../media/transcripts/formats.ts";
import { Lines } from "../../media/transcripts/lines.ts";
import { findSpeakers, splitSpeaker } from "../../media/transcripts/speakers.ts";
import type { Episode, Podcast } from "./page.ts";
import { leaveOut, noteStaleness } from "./page_reads.ts";
import { findTranscript, readTranscript } from "../v1/stored_transcripts.ts";

interface Paragraph {
  startTime?: number;
  speaker?: string;
  text: string;
}

export interface PageTranscript {
  /** BCP 47; null for the podcast's language. */
  language: string | null;
  paragraphs: Paragraph[];
  /** Sanitized HTML, instead of paragraphs, of an HTML transcript. */
  safeHtml?: string;
  /** URL of the whole transcript: storage sends HTML as plain text with its tags, so that of its text. */
  url: string;
  /** The page has the beginning only. */
  isCut: boolean;
}

/** About three hours of speech. */
const MAX_CHARS = 200_000, MAX_PARAGRAPHS = 3000;
/** A speaker's lines become paragraphs of about this length. */
const PARAGRAPH_CHARS = 400;

/** Its text is absent if the file is hosted elsewhere or cannot be read in time: the page then links to it. */
export async function readPageTranscript(
  c: Context<AppEnv>,
  podcast: Podcast,
  { transcripts }: Episode,
): Promise<PageTranscript | undefined> {
  const isInLanguage = ({ language }: { language: string | null }) =>
    (language ?? podcast.language).slice(0, 2) === podcast.language.slice(0, 2);
  const stored = transcripts.filter(({ formats }) => formats.length > 0);
  const chosen = stored.find(isInLanguage) ?? stored[0] ?? transcripts.find(isInLanguage) ?? transcripts[0];
  if (!chosen) return;
  const { id, language, type, formats } = chosen;
  const url = type === "text/html" ? formats.find(({ type }) => type === "text/plain")?.url ?? chosen.url : chosen.url;
  const content = formats.length ? await readContent(c, id).catch((cause) => leaveOut(c, cause)) : undefined;
  return { language, url, paragraphs: [], isCut: false, ...content };
}

type Content = Pick<PageTranscript, "paragraphs" | "isCut" | "safeHtml">;

async function readContent(c: Context<AppEnv>, id: string): Promise<Content | undefined> {
  const found = await findTranscript(c.var.reads, id);
  if (!found) return;
  noteStaleness(c, found);
  const { type } = found.value;
  const reading = readTranscript(found.value, hasTimes(type) ? "application/json" : type, c.req.raw);
  const text = new TextDecoder().decode((await c.var.reads.withinLimit(reading)).bytes);
  if (type === "text/html") {
    return text.length <= MAX_CHARS ? { safeHtml: text, paragraphs: [], isCut: false } : undefined;
  }
  return type === "text/plain" ? cut(splitText(text)) : cut(joinSegments(JSON.parse(text).segments));
}

/** Paragraphs of plain text. Lines that begin with the name of a speaker are paragraphs of their own. */
function* splitText(text: string): Iterable<Paragraph> {
  const lines = new Lines(text), speakers = findSpeakers(text.slice(0, MAX_CHARS).split(/[\r\n]+/));
  let last: Paragraph | undefined;
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    const trimmed = line.trim(), named = splitSpeaker(trimmed), isNamed = named && speakers.has(named.speaker);
    if (last?.text && (isNamed || !trimmed)) { // a name may stand alone above its text
      yield last;
      last = undefined;
    }
    if (isNamed) last = named;
    else if (trimmed) last = { ...last, text: last?.text ? `${last.text}\n${trimmed}` : trimmed };
  }
  if (last?.text) yield last;
}

interface Segment {
  startTime: number;
  speaker?: string | null;
  body: string;
}

/** Files time each line, some each word. A paragraph ends with its speaker, or with a sentence once it is long. */
function* joinSegments(segments: Segment[]): Iterable<Paragraph> {
  let last: Paragraph | undefined;
  for (const { startTime, speaker, body } of segments) {
    const text = body.trim();
    if (!text) continue;
    const isFull = last && last.text.length + text.length > PARAGRAPH_CHARS &&
      (/[.!?…。！？]["”»)]*$/.test(last.text) || last.text.length > 2 * PARAGRAPH_CHARS);
    if (last && !isFull && last.speaker === (speaker ?? undefined)) {
      last.text += ` ${text}`;
    } else {
      if (last) yield last;
      last = { startTime, speaker: speaker ?? undefined, text };
    }
  }
  if (last) yield last;
}

/** The paragraphs that fit into the page. */
function cut(paragraphs: Iterable<Paragraph>): Content {
  const shown: Paragraph[] = [];
  let left = MAX_CHARS;
  for (const paragraph of paragraphs) {
    if (paragraph.text.length > left || shown.length === MAX_PARAGRAPHS) return { paragraphs: shown, isCut: true };
    left -= paragraph.text.length;
    shown.push(paragraph);
  }
  return { paragraphs: shown, isCut: false };
}
