/** The panel with the transcript. */
import type { Context, Playback } from "../context.ts";
import { getJson, type TranscriptFile } from "../data.ts";
import { create, link } from "../dom.ts";
import { fillList } from "./loaded_list.ts";
import { createSyncedList } from "./synced_list.ts";

interface Line {
  startTime: number;
  speaker?: string | null;
  text: string;
}

/** The transcript in the reader's language first. A choice is shown if there are several. */
export function fillTranscripts(panel: HTMLElement, context: Context, playback: Playback) {
  const { base, texts, signal, media: { podcast, episode } } = context, files = episode.transcripts!;
  const timed = files.filter(hasTimes);
  const tagOf = ({ language }: TranscriptFile) => language ?? podcast.language ?? "en";
  const nameOf = (file: TranscriptFile) => {
    try {
      return new Intl.DisplayNames(context.language, { type: "language" }).of(tagOf(file))!;
    } catch {
      return tagOf(file); // not a language tag
    }
  };
  if (!timed.length) {
    const links = files.map((file) =>
      // the last format of HTML is its text; storage sends tags
      link(file.formats.at(-1)?.url ?? file.url, `${texts.transcript}: ${nameOf(file)}`, "transcript-link")
    );
    return panel.append(...links);
  }
  const choice = create(
    "select",
    { "aria-label": texts.transcript, change: () => list.fill() },
    ...timed.map((file) => create("option", {}, nameOf(file))),
  );
  const content = create("div");
  panel.append(...timed.length > 1 ? [choice] : [], content); // the choice keeps the focus
  choice.selectedIndex = Math.max(0, timed.findIndex((file) => tagOf(file).startsWith(context.language)));
  const list = fillList(content, texts, async () => {
    const file = timed[choice.selectedIndex], lines = await loadLines(base, file, signal);
    if (file === timed[choice.selectedIndex]) {
      return createSyncedList(panel, lines, "line", tagOf(file), context, playback);
    }
  });
  return list.show;
}

const hasTimes = ({ formats }: TranscriptFile) => formats.some(({ type }) => type === "application/json");

/** The lines of a transcript that the API has as JSON. */
async function loadLines(base: string, { id }: TranscriptFile, signal: AbortSignal): Promise<Line[]> {
  const { segments } = await getJson(`${base}/transcripts/${id}.json`, signal);
  return joinLines(
    segments.map(({ body, ...line }: Omit<Line, "text"> & { body: string }) => ({ ...line, text: body.trim() }))
      .sort((a: Line, b: Line) => a.startTime - b.startTime), // a file may have any order
  );
}

/** Files may time each word: short segments of a sentence become one line. */
function joinLines(lines: Line[]): Line[] {
  const joined: Line[] = [];
  for (const line of lines) {
    const last = joined.at(-1);
    const isContinued = last && last.speaker === line.speaker && last.text.length + line.text.length < 90 &&
      !/[.!?…]["”»)]*$/.test(last.text);
    if (isContinued) last.text += ` ${line.text}`;
    else joined.push(line);
  }
  return joined;
}
