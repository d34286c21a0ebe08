/** The player of one episode: audio, controls and panels. */
import { type Context, iconButton, type Playback } from "./context.ts";
import { type Chapter, loadChapters } from "./data.ts";
import { create, link, picture, setAttribute, webUrl } from "./dom.ts";
import { icon } from "./icons.ts";
import { BACK_SECONDS, FORWARD_SECONDS, takeMediaSession, updateMediaSession } from "./media_session.ts";
import { remember, remembered, rememberedPosition, rememberPosition } from "./memory.ts";
import { pauseOthers } from "./one_playing.ts";
import { createPanels } from "./panels.ts";
import { fill } from "./texts.ts";
import { toClock, toWords } from "./time.ts";

const SPEEDS = [0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3];
const ARROW_SECONDS = 5, VOLUME_STEP = 0.1, REMEMBER_EVERY_SECONDS = 5;
/** Without sound after this time, the player offers another attempt. */
const SLOW_MS = 20_000;

export interface EpisodePlayer {
  audio: HTMLAudioElement;
  section: HTMLElement;
  playButton: HTMLElement;
  duration(): number;
  seek(seconds: number): void;
  play(): Promise<void>;
  close(): void;
}

export function createEpisodePlayer(context: Context): EpisodePlayer {
  const { media, media: { podcast, episode }, texts, language, signal } = context;
  const source = webUrl(episode.audioUrl);
  const audio = create("audio", { preload: episode.durationSeconds ? "none" : "metadata" });
  const listeners: ((seconds: number) => void)[] = [];
  const duration = () => audio.duration < Infinity ? audio.duration : episode.durationSeconds ?? 0;
  let isScrubbing = false, savedAt = 0, slow: ReturnType<typeof setTimeout> | undefined;
  let chapterList: Chapter[] = [], chapter: Chapter | undefined;

  const playback: Playback = {
    get position() {
      return audio.currentTime;
    },
    playFrom(seconds) {
      seek(seconds);
      play().catch(() => {});
    },
    onPosition(listener) {
      listeners.push(listener);
      listener(audio.currentTime);
    },
    announce: (text) => status.textContent = text,
  };

  // The heading
  const showUrl = webUrl(podcast.listenUrl) ?? webUrl(podcast.link), pageUrl = webUrl(episode.listenUrl);
  const isOwnPage = pageUrl && location.href.startsWith(pageUrl);
  const content = { dir: "auto", lang: podcast.language };
  const artwork = picture(episode.coverImageUrl ?? podcast.coverImageUrl, podcast.title, {
    class: "artwork",
    part: "artwork",
  });
  const heading = create(
    "div",
    { class: "heading", part: "heading" },
    create(
      "p",
      { class: "show", part: "show", ...content },
      showUrl ? link(showUrl, {}, podcast.title) : podcast.title,
    ),
    create(
      "p",
      { class: "title", part: "title", title: episode.title, ...content },
      pageUrl && !isOwnPage ? link(pageUrl, {}, episode.title) : episode.title,
    ),
  );

  // The timeline
  const slider = create("input", {
    type: "range",
    class: "slider",
    part: "slider",
    min: 0,
    max: duration(),
    step: 1,
    value: 0,
    "aria-label": texts.position,
    input: () => (isScrubbing = true, showPosition(Number(slider.value))),
    change: () => (isScrubbing = false, seek(Number(slider.value))),
  });
  const ticks = create("div", { class: "ticks" });
  const track = create(
    "div",
    { class: "track", part: "track" },
    create("div", { class: "buffered" }),
    create("div", { class: "played", part: "progress" }),
    ticks,
  );
  const elapsed = create("span", { part: "time" }), total = create("span", { part: "duration" });
  const now = create("span", { class: "now", part: "current-chapter", ...content });
  const timeline = create(
    "div",
    { class: "timeline", part: "timeline" },
    create("div", { class: "rail" }, track, slider),
    create("div", { class: "times" }, elapsed, now, total),
  );
  const noticeText = create("span"),
    retryButton = create(
      "button",
      { type: "button", part: "button retry-button", click: retry },
      texts.retry,
    );
  const notice = create("div", { class: "notice", part: "error", role: "alert" });

  // The controls
  const playButton = create(
    "button",
    { type: "button", class: "play-button", part: "button play-button", "aria-keyshortcuts": "K", click: toggle },
    icon("play"),
    icon("pause"),
  );
  const backButton = iconButton("back", texts.back, "back-button", () => skip(-BACK_SECONDS), BACK_SECONDS);
  const forwardButton = iconButton(
    "forward",
    texts.forward,
    "forward-button",
    () => skip(FORWARD_SECONDS),
    FORWARD_SECONDS,
  );
  const muteButton = create(
    "button",
    { type: "button", class: "mute-button", part: "button mute-button", click: () => audio.muted = !audio.muted },
    icon("volume"),
    icon("muted"),
  );
  const volumeSlider = create("input", {
    type: "range",
    class: "volume-slider",
    part: "volume-slider",
    min: 0,
    max: 1,
    step: 0.05,
    "aria-label": texts.volume,
    input: () => setVolume(Number(volumeSlider.value)),
  });
  const speedSelect = create(
    "select",
    {
      class: "speed",
      part: "speed",
      "aria-label": texts.speed,
      title: texts.speed,
      change: () => setSpeed(Number(speedSelect.value)),
    },
    ...SPEEDS.map((speed) => create("option", { value: speed }, `${speed.toLocaleString(language)}×`)),
  );
  const moreButton = iconButton("more", texts.more, "more-button", () => openSheet(true));
  const status = create("span", { class: "hidden", role: "status" });
  const openPage = pageUrl && !isOwnPage &&
    link(
      pageUrl,
      { class: "open-page", part: "button open-page", "aria-label": texts.openPage, title: texts.openPage },
      icon("open"),
    );

  // Documents of other hosts are not read
  const chapters = episode.chapters?.url.endsWith(`/chapters/${episode.id}.json`)
    ? loadChapters(context.base, episode, signal)
    : undefined;
  const panels = createPanels(context, playback, chapters);
  chapters?.then(showChapters, () => {});
  panels.extras.addEventListener("close", () => openSheet(false));

  const section = create(
    "section",
    {
      class: "player",
      part: "player",
      lang: language,
      "aria-label": `${texts.player}: ${episode.title}`,
      keydown: onKey as EventListener,
    },
    audio,
    create(
      "div",
      { class: "main", part: "main" },
      artwork,
      heading,
      timeline,
      notice,
      create(
        "div",
        { class: "controls", part: "controls" },
        create("div", { class: "tools start" }, speedSelect),
        create("div", { class: "transport" }, backButton, playButton, forwardButton),
        create("div", { class: "tools end" }, muteButton, volumeSlider, openPage, moreButton),
      ),
    ),
    panels.extras,
    status,
  );

  const on = (event: string, listener: () => void) => audio.addEventListener(event, listener);
  on("play", () => {
    pauseOthers(audio);
    takeMediaSession(media, { play: () => void play().catch(() => {}), pause: () => audio.pause(), skip, seek });
    showState();
    context.emit("play");
  });
  on("pause", () => (savePosition(), showState(), setWaiting(false), context.emit("pause")));
  on("playing", () => (setNotice(), setWaiting(false)));
  on("waiting", () => setWaiting(!audio.paused));
  on("canplay", () => setWaiting(false));
  on("timeupdate", () => {
    showPosition();
    if (Math.abs(audio.currentTime - savedAt) >= REMEMBER_EVERY_SECONDS) savePosition();
    context.emit("timeupdate");
  });
  on("seeked", () => (updateMediaSession(audio), context.emit("seek")));
  on("durationchange", () => (showPosition(), updateMediaSession(audio), showTicks()));
  on("progress", showBuffered);
  on("ended", () => (savePosition(), showState(), context.emit("ended")));
  on("ratechange", () => (showSpeed(), updateMediaSession(audio), context.emit("ratechange")));
  on("volumechange", () => (showVolume(), context.emit("volumechange")));
  on("error", () => fail(texts.badAudio));

  const { speed, volume } = remembered();
  audio.defaultPlaybackRate = audio.playbackRate = speed ?? 1;
  audio.volume = volume ?? 1;
  setAttribute(volumeSlider, "hidden", audio.volume !== (volume ?? 1)); // iOS has only the keys of the device
  const start = context.start ?? rememberedPosition(episode.id) ?? 0;
  if (source) {
    audio.src = source;
    seek(start);
  } else {
    for (const control of [playButton, backButton, forwardButton, slider]) control.disabled = true;
    setNotice(texts.noAudio, false);
  }
  addEventListener("pagehide", savePosition, { signal });
  showState();
  showSpeed();
  showVolume();
  showPosition();

  return {
    audio,
    section,
    playButton,
    duration,
    seek,
    play,
    close() {
      if (!audio.paused) audio.pause();
      clearTimeout(slow);
      audio.removeAttribute("src");
    },
  };

  function play(): Promise<void> {
    if (audio.error) audio.load();
    setWaiting(audio.readyState < HTMLMediaElement.HAVE_FUTURE_DATA);
    return audio.play();
  }

  function toggle() {
    if (audio.paused) play().catch(() => {}); // shown by the error event
    else audio.pause();
  }

  function retry() {
    const position = audio.currentTime;
    setNotice();
    audio.load();
    seek(position);
    play().catch(() => {});
    playButton.focus();
  }

  function seek(seconds: number) {
    const end = duration();
    audio.currentTime = Math.max(0, end ? Math.min(seconds, end) : seconds);
    showPosition();
  }

  function skip(seconds: number) {
    seek(audio.currentTime + seconds);
  }

  function setSpeed(speed: number) {
    audio.defaultPlaybackRate = audio.playbackRate = speed;
    remember({ speed });
  }

  function setVolume(volume: number) {
    audio.muted = false;
    audio.volume = Math.max(0, Math.min(1, volume));
    remember({ volume: audio.volume });
  }

  function savePosition() {
    savedAt = audio.currentTime;
    if (duration()) rememberPosition(episode.id, audio.ended ? 0 : savedAt, duration());
  }

  function showState() {
    const label = audio.paused ? texts.play : texts.pause;
    section.dataset.state = audio.paused ? "paused" : "playing";
    setAttribute(playButton, "aria-label", label);
    setAttribute(playButton, "title", label);
  }

  function setWaiting(isWaiting: boolean) {
    section.classList.toggle("waiting", isWaiting);
    setAttribute(playButton, "aria-busy", isWaiting && "true");
    clearTimeout(slow);
    if (isWaiting) slow = setTimeout(() => fail(texts.slowAudio), SLOW_MS);
  }

  function fail(message: string) {
    setWaiting(false);
    setNotice(message);
    context.emit("error", { reason: "audio", message });
  }

  /** Shows a problem over the timeline, or the timeline. */
  function setNotice(message?: string, isRetryable = true) {
    section.classList.toggle("failed", Boolean(message));
    noticeText.textContent = message ?? "";
    notice.replaceChildren(...message ? [noticeText, ...isRetryable ? [retryButton] : []] : []);
  }

  function showPosition(seconds = audio.currentTime) {
    if (isScrubbing && seconds !== Number(slider.value)) return;
    const end = duration();
    setAttribute(slider, "max", Math.ceil(end));
    slider.value = String(seconds);
    // A focused slider is read aloud at each change of its text, so it changes by the listener's action only
    if (audio.paused || isScrubbing || !slider.matches(":focus")) {
      const words = [seconds, end].map((each) => toWords(each, language));
      setAttribute(slider, "aria-valuetext", fill(texts.of, ...words));
    }
    section.style.setProperty("--played", String(end ? Math.min(1, seconds / end) : 0));
    elapsed.textContent = toClock(seconds);
    total.textContent = toClock(end);
    for (const listener of listeners) listener(seconds);
  }

  function showBuffered() {
    const { buffered } = audio, end = duration();
    const until = buffered.length && end ? buffered.end(buffered.length - 1) / end : 0;
    section.style.setProperty("--buffered", String(Math.min(1, until)));
  }

  function showSpeed() {
    const { playbackRate } = audio;
    speedSelect.value = String(playbackRate);
    if (speedSelect.selectedIndex >= 0) return;
    speedSelect.add(create("option", { value: playbackRate }, `${playbackRate.toLocaleString(language)}×`));
    speedSelect.value = String(playbackRate);
  }

  function showVolume() {
    const isMuted = audio.muted || audio.volume === 0, label = isMuted ? texts.unmute : texts.mute;
    muteButton.classList.toggle("is-muted", isMuted);
    setAttribute(muteButton, "aria-label", label);
    setAttribute(muteButton, "title", label);
    volumeSlider.value = String(audio.muted ? 0 : audio.volume);
    volumeSlider.style.setProperty("--volume", volumeSlider.value);
  }

  function showChapters(found: Chapter[]) {
    chapterList = found;
    showTicks();
    playback.onPosition((seconds) => {
      const current = chapterList.findLast(({ startTime }) => startTime <= seconds + 0.05);
      if (current === chapter) return;
      chapter = current;
      now.textContent = chapter?.title ?? "";
      context.emit("chapterchange", {
        chapter: chapter ? { startTime: chapter.startTime, title: chapter.title } : null,
      });
    });
  }

  function showTicks() {
    const end = duration();
    ticks.replaceChildren(
      ...chapterList.filter(({ startTime }) => startTime > 0 && startTime < end).map(({ startTime }) => {
        const tick = create("i");
        tick.style.insetInlineStart = `${100 * startTime / end}%`;
        return tick;
      }),
    );
  }

  /** In small sizes the panels cover the controls. */
  function openSheet(isOpen: boolean) {
    section.classList.toggle("sheet-open", isOpen);
    if (isOpen) panels.openFirst();
    else moreButton.focus();
  }

  /** Keys are the player's while the focus is in it, and unless a field or the browser needs them. */
  function onKey(event: KeyboardEvent) {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    const target = event.target as HTMLElement, isSlider = target === slider;
    if (target.matches("select, input[type=text]")) return;
    const isSpace = event.key === " " && !target.matches("button, a, [type=checkbox]");
    const actions: Record<string, (() => void) | false> = {
      " ": isSpace && toggle,
      k: toggle,
      j: () => skip(-BACK_SECONDS),
      l: () => skip(FORWARD_SECONDS),
      m: () => audio.muted = !audio.muted,
      c: panels.has("chapters") && (() => panels.toggle("chapters")),
      t: panels.has("transcript") && (() => panels.toggle("transcript")),
      "<": () => changeSpeed(-1),
      ">": () => changeSpeed(1),
      ArrowLeft: isSlider && (() => skip(-ARROW_SECONDS)),
      ArrowRight: isSlider && (() => skip(ARROW_SECONDS)),
      "-": () => setVolume(audio.volume - VOLUME_STEP),
      "+": () => setVolume(audio.volume + VOLUME_STEP),
      Escape: section.classList.contains("sheet-open") && (() => openSheet(false)),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action || !source) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  function changeSpeed(step: number) {
    const index = SPEEDS.indexOf(audio.playbackRate) + step;
    if (!SPEEDS[index]) return;
    setSpeed(SPEEDS[index]);
    playback.announce(`${texts.speed}: ${SPEEDS[index].toLocaleString(language)}×`);
  }
}
