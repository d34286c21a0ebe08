/** One player plays at a time: on a page, and in all pages and frames of its origin. */
let playing: HTMLAudioElement | undefined, channel: BroadcastChannel | undefined;

try {
  channel = new BroadcastChannel("castbase-player");
  channel.onmessage = () => playing?.pause();
} catch { /* forbidden in this frame */ }

export function pauseOthers(audio: HTMLAudioElement) {
  if (playing !== audio) playing?.pause();
  playing = audio;
  channel?.postMessage("play");
}

/** Forgets an audio that is closed. Returns whether it was the last that played. */
export function forget(audio: HTMLAudioElement): boolean {
  const wasLast = playing === audio;
  if (wasLast) playing = undefined;
  return wasLast;
}
