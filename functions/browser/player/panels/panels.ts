/** {embed_url}/player/v1.js?panels=…: what the panels of a player contain. The player loads it with the first of them. */
import type { FillPanel, PanelName } from "../context.ts";
import { createSyncedList } from "./synced_list.ts";
import { fillCredits } from "./credits.ts";
import { fillEpisodes } from "./episode_list.ts";
import { fillList } from "./loaded_list.ts";
import { fillShare } from "./share.ts";
import { fillSubscribe } from "./subscribe.ts";
import { fillTranscripts } from "./transcript_choice.ts";

/** The minified panels.css: scripts/build_browser.ts defines it. */
declare const PANELS_CSS: string;

export const css = PANELS_CSS;

export const panels: Record<PanelName, FillPanel> = {
  episodes: fillEpisodes,
  chapters: fillChapters,
  transcript: fillTranscripts,
  credits: fillCredits,
  subscribe: fillSubscribe,
  share: fillShare,
};

function fillChapters(...[panel, context, playback]: Parameters<FillPanel>) {
  const { texts, media: { podcast } } = context;
  return fillList(panel, texts, async () => {
    const chapters = await playback.chapters();
    const lines = chapters.map(({ startTime, title, url }) => ({ startTime, text: title, url }));
    return createSyncedList(panel, lines, "chapter", podcast.language, context, playback);
  }).show;
}
