/**
 * Chapters documents of the podcast namespace, which become rows:
 * https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/examples/chapters/jsonChapters.md
 */
import { HttpUrl } from "../../../types/envelope.ts";
import { rejectUnstorableText } from "../../runtime/json.ts";
import { isPresent } from "../../text/xml_text.ts";
import { orInvalid } from "./formats.ts";
import { elementError, isObject, linesOfElements, parseListFile } from "./json_file.ts";
import { decodeText, LineError } from "./lines.ts";

export const CHAPTERS_TYPE = "application/json+chapters";
const MAX_CHAPTERS = 500;

/** A chapter of set_episode_chapters. */
export interface Chapter {
  start_seconds: number;
  end_seconds: number | null;
  title: string | null;
  url: string | null;
  image_url: string | null;
  is_in_toc: boolean;
  location: Record<string, unknown> | null;
}

const orInvalidChapters = <T>(check: () => T | Promise<T>) =>
  orInvalid("INVALID_CHAPTERS", "The chapters are invalid", check);

/** Parses and validates a document. 400 that names the line. */
export function parseChapters(bytes: Uint8Array): Promise<Chapter[]> {
  return orInvalidChapters(() => {
    const text = decodeText(bytes);
    const { elements } = parseListFile(text, "chapters");
    rejectUnstorableText(elements);
    if (elements.length > MAX_CHAPTERS) throw new LineError(1, `an episode can have at most ${MAX_CHAPTERS} chapters`);
    const starts = new Set<number>();
    return elements.map((element, i) => {
      const problem = chapterProblem(element, starts);
      if (problem) throw chapterError(text, i, problem);
      return toChapter(element as Record<string, unknown>);
    });
  });
}

/** Runs set_episode_chapters. 400 that names the line of the chapter that it rejects. */
export function nameRejectedChapter<T>(bytes: Uint8Array, setChapters: () => Promise<T>): Promise<T> {
  return orInvalidChapters(() =>
    setChapters().catch((error) => {
      const [, index, problem] = REJECTED.exec(error.detail) ?? [];
      throw problem ? chapterError(decodeText(bytes), Number(index), problem) : error;
    })
  );
}

const chapterError = (text: string, index: number, problem: string) =>
  elementError(linesOfElements(text, "chapters")[index], "chapters", index, problem);

const REJECTED = /^chapters\[(\d+)\](.+)$/s;

const roundToMs = (seconds: number) => Math.round(seconds * 1000) / 1000;
const isTime = (value: unknown): value is number => typeof value === "number" && value >= 0 && value < 1_000_000;
/** Generators write empty texts for absent ones. */
const isAbsent = (value: unknown) => value === undefined || value === null || value === "";

/** What is wrong with a chapter, after its path. Adds its start to those of earlier chapters. */
function chapterProblem(chapter: unknown, starts: Set<number>): string | undefined {
  if (!isObject(chapter)) return ": expected an object";
  const { startTime, endTime, title, img, url, toc, location } = chapter;
  if (!isTime(startTime)) return ".startTime: expected seconds, from 0";
  if (starts.size === starts.add(roundToMs(startTime)).size) return ".startTime: expected another start than before";
  if (!isAbsent(endTime) && !(isTime(endTime) && roundToMs(endTime) > roundToMs(startTime))) {
    return ".endTime: expected seconds, after startTime";
  }
  if (!isAbsent(title) && !(typeof title === "string" && [...title].length <= 128)) {
    return ".title: expected text of at most 128 characters";
  }
  for (const [name, value] of Object.entries({ img, url })) {
    if (!isAbsent(value) && !HttpUrl.safeParse(value).success) return `.${name}: expected an http or https URL`;
  }
  if (!isAbsent(toc) && typeof toc !== "boolean") return ".toc: expected true or false";
  if (!isAbsent(location) && !(isObject(location) && typeof location.name === "string")) {
    return ".location: expected an object with a name";
  }
}

const presentMembers = (object: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => !isAbsent(value)));

/** A chapter without a title cannot be in the table of contents. */
function toChapter({ startTime, endTime, title, img, url, toc, location }: Record<string, unknown>): Chapter {
  const textOf = (value: unknown) => isAbsent(value) ? null : value as string;
  const { name, rel, geo, osm, country } = (location || {}) as Record<string, unknown>;
  const shownTitle = isPresent(textOf(title)) ? textOf(title) : null;
  return {
    start_seconds: startTime as number,
    end_seconds: isAbsent(endTime) ? null : endTime as number,
    title: shownTitle,
    url: textOf(url),
    image_url: textOf(img),
    is_in_toc: toc !== false && shownTitle !== null,
    location: isAbsent(location) ? null : presentMembers({ name, rel, geo, osm, country }),
  };
}
