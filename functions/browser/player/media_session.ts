/** Metadata and keys of the system's media controls. */
import { coverOf, type Media } from "./data.ts";
import { webUrl } from "./dom.ts";

interface MediaControls {
  play(): void;
  pause(): void;
  skip(seconds: number): void;
  seek(seconds: number): void;
}

export const BACK_SECONDS = 15, FORWARD_SECONDS = 30;

/**
 * Gives the system's controls to the player that plays, as far as the browser has them: views in apps have none. Without
 * a player, nothing has them.
 */
export function setMediaSession(media?: Media, controls?: MediaControls) {
  const handlers: Partial<Record<MediaSessionAction, MediaSessionActionHandler>> = {
    play: controls?.play,
    pause: controls?.pause,
    seekbackward: () => controls!.skip(-BACK_SECONDS),
    seekforward: () => controls!.skip(FORWARD_SECONDS),
    seekto: ({ seekTime }) => controls!.seek(seekTime!),
  };
  try {
    const session = navigator.mediaSession;
    session.metadata = media ? new MediaMetadata({ title: media.episode.title, artist: media.podcast.title }) : null;
    for (const [action, handler] of Object.entries(handlers)) {
      session.setActionHandler(action as MediaSessionAction, controls ? handler : null);
    }
    const { url, copies } = coverOf(media!), copy = copies?.at(-1); // the largest
    const artwork = copy ? { src: copy.url, type: copy.type, sizes: `${copy.width}x${copy.height}` } : { src: url! };
    if (webUrl(artwork.src)) session.metadata!.artwork = [artwork]; // last, because it may not be a URL
  } catch { /* the player has its own controls */ }
}

/** The session is that of the player that plays. */
export function updateMediaSession({ paused, playbackRate }: HTMLAudioElement, position: number, duration: number) {
  if (!paused && duration && playbackRate) {
    navigator.mediaSession?.setPositionState({ duration, position, playbackRate });
  }
}
