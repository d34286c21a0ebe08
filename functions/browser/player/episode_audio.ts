/** The audio of an episode: its times, and what the browser remembers of it. */
import type { Context } from "./context.ts";
import { create, webUrl } from "./dom.ts";
import { setMediaSession, updateMediaSession } from "./media_session.ts";
import { remember, remembered, rememberedPosition, rememberPosition } from "./memory.ts";
import { forget, pauseOthers } from "./one_playing.ts";

const REMEMBER_EVERY_SECONDS = 5;
/** An audio's length that differs from the measured one by a greater part is a browser's estimate. */
const TOLERANCE = 0.05;

/** Its seconds are the episode's, which the audio element's own may not be: see `seek`. */
export interface EpisodeAudio {
  audio: HTMLAudioElement;
  /** The episode has audio. */
  isPlayable: boolean;
  /** iOS obeys only the keys of the device. */
  hasVolume: boolean;
  position(): number;
  duration(): number;
  seek(seconds: number): void;
  skip(seconds: number): void;
  /** Rejects if the episode has no audio, the browser forbids it, or the audio cannot be loaded. */
  play(): Promise<void>;
  /** Plays. The audio's events show what went wrong. */
  tryToPlay(): void;
  playFrom(seconds: number): void;
  toggle(): void;
  /** Loads the audio again and plays from the same position. */
  retry(): void;
  setSpeed(speed: number): void;
  setVolume(volume: number): void;
  toggleMuted(): void;
  close(): void;
}

/** Calls back at once when something seeks: without a loaded audio, the element has no event for that. */
export function createEpisodeAudio({ media, texts, signal, start }: Context, onSeek: () => void): EpisodeAudio {
  const { episode } = media, source = webUrl(episode.audioUrl);
  const audio = create("audio", { preload: "none" });
  /** What the audio's own times lack: see `seek`. */
  let offset = 0;
  /** As asked, because the audio may be longer than the episode's duration says. */
  let target = 0;
  let longest = episode.durationSeconds;
  let hasMoved = false, savedAt = 0;

  const on = (event: string, listener: () => void) => audio.addEventListener(event, listener, { signal });
  on("play", () => {
    hasMoved = true;
    pauseOthers(audio);
    setMediaSession(media, { play: tryToPlay, pause: () => audio.pause(), skip, seek });
  });
  on("pause", savePosition);
  on("timeupdate", () => {
    if (Math.abs(position() - savedAt) >= REMEMBER_EVERY_SECONDS) savePosition();
  });
  on("loadedmetadata", () => moveTo(target)); // now that the browser's length is known
  on("error", () => audio.pause());
  for (const event of ["play", "seeked", "durationchange", "ratechange"]) {
    on(event, () => updateMediaSession(audio, position(), duration()));
  }
  addEventListener("pagehide", savePosition, { signal });

  const { speed = 1, volume = 1 } = remembered();
  audio.defaultPlaybackRate = audio.playbackRate = speed;
  audio.volume = 0.5;
  const hasVolume = audio.volume === 0.5;
  audio.volume = volume;
  if (source) {
    audio.src = source;
    moveTo(start ?? rememberedPosition(episode.id) ?? 0);
  }

  return {
    audio,
    isPlayable: Boolean(source),
    hasVolume,
    position,
    duration,
    seek,
    skip,
    play,
    tryToPlay,
    playFrom,
    toggle,
    retry,
    setSpeed,
    setVolume,
    toggleMuted,
    close() {
      savePosition();
      if (forget(audio)) setMediaSession();
      audio.removeAttribute("src");
      audio.load(); // ends playback and requests
    },
  };

  /** The audio's end is the episode's, however long it was measured or estimated. */
  function position() {
    return audio.ended ? duration() : audio.currentTime + offset;
  }

  /** A browser estimates the length of a file without a table of positions. A feed's duration may be inexact too. */
  function isEstimated() {
    return Math.abs(audio.duration / episode.durationSeconds! - 1) > TOLERANCE;
  }

  /**
   * That of the audio, unless it is unknown or an estimate: then as the service measured it, or longer if more was played.
   * A browser moves to the end of its estimate when the audio ends.
   */
  function duration() {
    if (audio.duration < Infinity && !(longest && isEstimated())) return audio.duration;
    if (!longest) return 0;
    if (!audio.ended) longest = Math.max(longest, audio.currentTime + offset);
    return longest;
  }

  /**
   * A browser that estimates the length from the first frames finds a position by its part of that length, and counts
   * seconds from there.
   */
  function moveTo(seconds: number) {
    target = Math.max(0, seconds);
    const known = Math.min(target, duration() || target);
    const scale = longest && audio.duration < Infinity && isEstimated() ? audio.duration / episode.durationSeconds! : 1;
    const time = known * scale;
    offset = known - time;
    if (audio.currentTime !== time) audio.currentTime = time;
  }

  function seek(seconds: number) {
    hasMoved = true;
    moveTo(seconds);
    onSeek();
  }

  function skip(seconds: number) {
    seek(position() + seconds);
  }

  async function play(): Promise<void> {
    if (!source) throw new Error(texts.noAudio);
    if (audio.error) reload();
    if (audio.ended) seek(0);
    await audio.play();
  }

  function tryToPlay() {
    play().catch(() => {});
  }

  function playFrom(seconds: number) {
    seek(seconds);
    tryToPlay();
  }

  function toggle() {
    if (audio.paused) tryToPlay();
    else audio.pause();
  }

  function reload() {
    const seconds = position();
    audio.load();
    seek(seconds);
  }

  function retry() {
    reload();
    tryToPlay();
  }

  function setSpeed(speed: number) {
    audio.defaultPlaybackRate = audio.playbackRate = speed;
    remember({ speed });
  }

  function setVolume(volume: number) {
    audio.muted = false;
    audio.volume = volume;
    if (volume) remember({ volume });
  }

  function toggleMuted() {
    if (audio.muted || !audio.volume) setVolume(audio.volume || 1);
    else audio.muted = true;
  }

  /** A player that neither played nor moved would overwrite the position of another tab. */
  function savePosition() {
    if (!hasMoved) return;
    savedAt = position();
    if (duration()) rememberPosition(episode.id, savedAt, duration());
  }
}
