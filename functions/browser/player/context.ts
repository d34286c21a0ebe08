/** What the parts of a player share. */
import type { Media } from "./data.ts";
import type { PlayerTexts } from "./player_texts.ts";

export interface Context {
  media: Media;
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
  /** Seeks, and plays from there. */
  playFrom(seconds: number): void;
  /** Calls back now and whenever the position changes, until the returned function is called. */
  onPosition(listener: (seconds: number) => void): () => void;
  /** Tells screen readers. */
  announce(text: string): void;
}
