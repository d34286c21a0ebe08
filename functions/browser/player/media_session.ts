/** Metadata and keys of the system's media controls. */
import type { Media } from "./data.ts";
import { webUrl } from "./dom.ts";

export interface MediaControls {
  play(): void;
  pause(): void;
  skip(seconds: number): void;
  seek(seconds: number): void;
}

export const BACK_SECONDS = 15, FORWARD_SECONDS = 30;

/** Gives the system's controls to the player that plays. */
export function takeMediaSession({ podcast, episode }: Media, controls: MediaControls) {
  const session = navigator.mediaSession;
  const artwork = webUrl(episode.coverImageUrl ?? podcast.coverImageUrl);
  session.metadata = new MediaMetadata({
    title: episode.title,
    artist: podcast.title,
    artwork: artwork ? [{ src: artwork }] : [],
  });
  const handlers: Partial<Record<MediaSessionAction, MediaSessionActionHandler>> = {
    play: controls.play,
    pause: controls.pause,
    seekbackward: () => controls.skip(-BACK_SECONDS),
    seekforward: () => controls.skip(FORWARD_SECONDS),
    seekto: ({ seekTime }) => controls.seek(seekTime!),
  };
  for (const [action, handler] of Object.entries(handlers)) {
    session.setActionHandler(action as MediaSessionAction, handler);
  }
}

/** The session is that of the player that plays. */
export function updateMediaSession({ paused, currentTime: position, duration, playbackRate }: HTMLAudioElement) {
  if (!paused && duration < Infinity) {
    navigator.mediaSession.setPositionState({ duration, position: Math.min(position, duration), playbackRate });
  }
}
