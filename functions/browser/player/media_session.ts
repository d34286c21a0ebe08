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

/** Gives the system's controls to the player that plays, as far as the browser has them: views in apps have none. */
export function takeMediaSession({ podcast, episode }: Media, controls: MediaControls) {
  const artwork = webUrl(episode.coverImageUrl ?? podcast.coverImageUrl);
  try {
    const metadata = new MediaMetadata({ title: episode.title, artist: podcast.title });
    setSession(metadata, {
      play: controls.play,
      pause: controls.pause,
      seekbackward: () => controls.skip(-BACK_SECONDS),
      seekforward: () => controls.skip(FORWARD_SECONDS),
      seekto: ({ seekTime }) => controls.seek(seekTime!),
    });
    if (artwork) metadata.artwork = [{ src: artwork }]; // last, because it may not be a URL
  } catch { /* the player has its own controls */ }
}

/** Ends the control of a player that is closed. */
export function releaseMediaSession() {
  try {
    setSession(null, { play: null, pause: null, seekbackward: null, seekforward: null, seekto: null });
  } catch { /* there was none */ }
}

function setSession(
  metadata: MediaMetadata | null,
  handlers: Partial<Record<MediaSessionAction, MediaSessionActionHandler | null>>,
) {
  const session = navigator.mediaSession;
  session.metadata = metadata;
  for (const [action, handler] of Object.entries(handlers)) {
    session.setActionHandler(action as MediaSessionAction, handler);
  }
}

/** The session is that of the player that plays. */
export function updateMediaSession({ paused, currentTime: position, duration, playbackRate }: HTMLAudioElement) {
  if (!paused && duration < Infinity) {
    navigator.mediaSession?.setPositionState({ duration, position: Math.min(position, duration), playbackRate });
  }
}
