/** What the parts of a player share. */
import type { Chapter, Episode, Media } from "./data.ts";
import type { PlayerTexts } from "./player_texts.ts";

/** The podcast whose episodes the listener can choose. It outlives the player of each. */
export interface Show {
  /** Aborted when the element closes the podcast. */
  signal: AbortSignal;
  /** Plays an episode. */
  choose(episode: Episode): void;
  /** Once it was shown. */
  list?: {
    element: HTMLElement;
    mark(episodeId: string): void;
    /** Called when it was moved to the player of another episode. */
    restore(): void;
  };
}

export interface Context {
  media: Media;
  /** Absent for a player of one episode. */
  show?: Show;
  /** URL of the API, without a slash at its end. */
  base: string;
  texts: PlayerTexts;
  /** Language of the texts. */
  language: string;
  /** Aborted when the player closes this episode. */
  signal: AbortSignal;
  /** Start position from the page, which overrides the remembered one. */
  start?: number;
  emit(name: string, detail?: object): void;
}

/** What the panels need of playback. */
export interface Playback {
  position(): number;
  play(): void;
  /** Reads the episode's chapters, unless they are known. */
  chapters(): Promise<Chapter[]>;
  /** Seeks, and plays from there. */
  playFrom(seconds: number): void;
  /** Calls back now and whenever the position changes, until the returned function is called. */
  onPosition(listener: (seconds: number) => void): () => void;
  /** Tells screen readers. */
  announce(text: string): void;
}

export type PanelName = "episodes" | "chapters" | "transcript" | "credits" | "subscribe" | "share";

/** Fills a panel at its first opening and returns a callback for all of them. */
export type FillPanel = (panel: HTMLElement, context: Context, playback: Playback) => (() => void) | void;
