/** The player of one episode: the controls that show its audio, and the panels. */
import type { Context, Playback } from "./context.ts";
import { canShow, type Chapter, coverOf, loadChapters, type Picture } from "./data.ts";
import { button, create, link, picture, problem, setAttribute, setName, webUrl } from "./dom.ts";
import { createEpisodeAudio, type EpisodeAudio } from "./episode_audio.ts";
import { icon } from "./icons.ts";
import { BACK_SECONDS, FORWARD_SECONDS } from "./media_session.ts";
import { createTabs } from "./tabs.ts";
import { fill } from "../../text/languages/texts.ts";
import { toClock } from "../../text/clock_times.ts";
import { indexAt, toWords } from "./time.ts";

const SPEEDS = [0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3];
/** The copy of a chapter's picture that suffices. */
const ARTWORK_PIXELS = 640;
const ARROW_SECONDS = 5;
/** After this time without sound, the player offers another attempt. */
const SLOW_MS = 20_000;

/** Events of the audio that the element repeats. */
const EVENTS = ["play", "pause", "timeupdate", "seeked", "ended", "ratechange", "volumechange"];

export interface EpisodePlayer extends EpisodeAudio {
  section: HTMLElement;
}

export function createEpisodePlayer(context: Context): EpisodePlayer {
  const { media, media: { podcast, episode }, texts, language, signal } = context;
  const episodeAudio = createEpisodeAudio(context, showPosition);
  const { audio, isPlayable, position, duration, seek, skip, toggle, toggleMuted, setSpeed, setVolume } = episodeAudio;
  const listeners = new Set<(seconds: number) => void>();
  let isScrubbing = false, slow: ReturnType<typeof setTimeout> | undefined;
  let chapters: Chapter[] = [], chapter: Chapter | undefined, reading: Promise<Chapter[]> | undefined;

  const pageUrl = webUrl(episode.listenUrl), isOwnPage = pageUrl === location.href.split(/[?#]/)[0];
  const lang = podcast.language;
  const heading = create(
    "div",
    { part: "heading", lang },
    create("p", { part: "show" }, link(podcast.listenUrl ?? podcast.link, podcast.title)),
    create(
      "p",
      { part: "title", title: episode.title },
      link(isOwnPage ? undefined : pageUrl, episode.title),
    ),
  );

  const slider = create("input", {
    type: "range",
    part: "slider",
    max: 0, // set with the position
    "aria-label": texts.position,
    input: () => {
      isScrubbing = true;
      showPosition(slider.valueAsNumber);
    },
    change: () => {
      isScrubbing = false;
      seek(slider.valueAsNumber);
    },
  });
  const ticks = create("div", { part: "chapter-marks" });
  const elapsed = create("span", { part: "time" }), total = create("span", { part: "duration" });
  const chapterTitle = create("span", { part: "current-chapter", lang, dir: "auto" });
  const timeline = create(
    "div",
    { part: "timeline" },
    rail(slider, ticks),
    create("div", { class: "times" }, elapsed, chapterTitle, total),
  );
  const notice = create("div", { class: "notice" });
  const status = create("span", { class: "hidden", role: "status" });

  const playButton = button("play-button", toggle);
  const backButton = skipButton("back", -BACK_SECONDS), forwardButton = skipButton("forward", FORWARD_SECONDS);
  const muteButton = button("mute-button", toggleMuted);
  const volumeSlider = create("input", {
    type: "range",
    part: "volume-slider",
    step: 5, // of a hundred, as screen readers say it
    "aria-label": texts.volume,
    input: () => setVolume(volumeSlider.valueAsNumber / 100),
  });
  const speedSelect = setName(
    create(
      "select",
      { part: "speed", dir: "ltr", change: () => setSpeed(Number(speedSelect.value)) },
      ...SPEEDS.map(speedOption),
    ),
    texts.speed,
  );
  const moreButton = setName(button("more-button", () => openSheet(true), icon("more")), texts.more);
  const openPage = pageUrl && !isOwnPage && setName(link(pageUrl, icon("open"), "button page-link"), texts.openPage);

  const playback: Playback = {
    position,
    play: episodeAudio.tryToPlay,
    playFrom: episodeAudio.playFrom,
    chapters: () =>
      reading ??= loadChapters(context.base, episode, signal).then(showChapters, (error) => {
        reading = undefined; // each attempt reads again
        throw error;
      }),
    onPosition(listener) {
      listeners.add(listener);
      listener(position());
      return () => listeners.delete(listener);
    },
    announce(text) {
      status.textContent = text;
    },
  };
  const panels = createTabs(context, playback, () => openSheet(false));

  const cover = coverOf(media), artworkOf = (shown: Picture) => picture(shown, podcast.title, "artwork", "11em");
  let artwork = artworkOf(cover), artworkUrl = cover.url;
  const main = create(
    "div",
    { part: "main" },
    artwork,
    heading,
    timeline,
    notice,
    create(
      "div",
      { part: "controls" },
      create("div", { class: "tools" }, speedSelect),
      create("div", { class: "transport" }, backButton, playButton, forwardButton),
      create("div", { class: "tools end" }, muteButton, rail(volumeSlider), openPage, moreButton),
    ),
  );
  const label = `${texts.player}: ${episode.title}`;
  const section = create(
    "section",
    { part: "player", lang: language, "aria-label": label, keydown: onKey },
    audio,
    main,
    panels.extras,
    status,
  );

  const on = (event: string, listener: () => void) => audio.addEventListener(event, listener, { signal });
  on("play", () => {
    showProblem();
    showState();
  });
  on("pause", () => {
    showState();
    setWaiting(false);
  });
  on("playing", () => {
    showProblem();
    setWaiting(false);
  });
  on("waiting", () => setWaiting(!audio.paused));
  for (const event of ["timeupdate", "loadedmetadata"]) on(event, () => showPosition());
  on("durationchange", () => {
    showPosition();
    showTicks();
  });
  on("ratechange", showSpeed);
  on("volumechange", showVolume);
  on("error", fail);
  // After the player shows the change
  for (const event of EVENTS) on(event, () => context.emit(event));

  volumeSlider.parentElement!.hidden = !episodeAudio.hasVolume;
  if (!isPlayable) {
    for (const control of [playButton, backButton, forwardButton, slider]) control.disabled = true;
    showProblem(texts.noAudio);
  }
  showPosition();
  showState();
  showSpeed();
  showVolume();

  return {
    ...episodeAudio,
    section,
    close() {
      clearTimeout(slow);
      episodeAudio.close();
    },
  };

  function skipButton(name: "back" | "forward", seconds: number) {
    return setName(button(`${name}-button`, () => skip(seconds), icon(name, Math.abs(seconds))), texts[name]);
  }

  function speedOption(speed: number) {
    return create("option", { value: speed }, `${speed.toLocaleString(language)}×`);
  }

  function showState() {
    const action = audio.paused ? "play" : "pause";
    setName(playButton, texts[action]).replaceChildren(icon(action));
  }

  function setWaiting(isWaiting: boolean) {
    section.classList.toggle("waiting", isWaiting);
    setAttribute(playButton, "aria-busy", isWaiting && "true");
    playback.announce(isWaiting ? texts.loading : "");
    clearTimeout(slow);
    if (isWaiting) slow = setTimeout(fail, SLOW_MS);
  }

  function fail() {
    const message = texts.badAudio;
    setWaiting(false);
    const retry = () => {
      episodeAudio.retry();
      playButton.focus();
    };
    showProblem(problem(message, texts.retry, retry));
    context.emit("error", { reason: "audio", message });
  }

  /** Shows a problem in the timeline's place, or the timeline. */
  function showProblem(...content: (Node | string)[]) {
    section.classList.toggle("failed", content.length > 0);
    notice.replaceChildren(...content);
  }

  function showPosition(seconds = isScrubbing ? slider.valueAsNumber : position()) {
    const end = duration();
    setAttribute(slider, "max", Math.ceil(end));
    slider.valueAsNumber = seconds;
    // Each change of a focused slider's text is read aloud, so it changes by the listener's action only
    if (audio.paused || audio.seeking || isScrubbing || !slider.matches(":focus")) {
      const [position, length] = [seconds, end].map((each) => toWords(each, language));
      setAttribute(slider, "aria-valuetext", end ? fill(texts.of, position, length) : position);
    }
    setProgress(slider, end && seconds / end);
    elapsed.textContent = toClock(seconds);
    total.textContent = end ? toClock(end) : ""; // unknown
    for (const listener of listeners) listener(seconds);
  }

  function showSpeed() {
    const speed = String(audio.playbackRate);
    speedSelect.value = speed;
    if (speedSelect.value) return;
    speedSelect.add(speedOption(audio.playbackRate));
    speedSelect.value = speed;
  }

  function showVolume() {
    const volume = audio.muted ? 0 : audio.volume;
    setName(muteButton, volume ? texts.mute : texts.unmute).replaceChildren(icon(volume ? "volume" : "muted"));
    volumeSlider.valueAsNumber = 100 * volume;
    setProgress(volumeSlider, volume);
  }

  function showChapters(found: Chapter[]) {
    chapters = found;
    showTicks();
    playback.onPosition((seconds) => {
      const current = chapters[indexAt(chapters, seconds)];
      if (current === chapter) return;
      chapter = current;
      chapterTitle.textContent = chapter?.title ?? "";
      showArtwork(chapter?.imageCopies?.find(({ width }) => width >= ARTWORK_PIXELS)?.url ?? chapter?.img);
      context.emit("chapterchange", { chapter: chapter ?? null });
    });
    return found;
  }

  /** Shows a chapter's picture instead of the cover once it is loaded, where there is room for one. */
  function showArtwork(image: string | undefined) {
    const url = artwork.offsetWidth && webUrl(image) && canShow(media, image) ? image : cover.url;
    if (url === artworkUrl) return;
    artworkUrl = url;
    const replace = () => {
      if (url !== artworkUrl) return; // another chapter began
      const next = artworkOf(url === cover.url ? cover : { url });
      artwork.replaceWith(next);
      artwork = next;
    };
    if (url === cover.url) replace();
    else create("img", { src: url, load: replace });
  }

  /** More marks than the timeline has room for would hide it. */
  function showTicks() {
    const end = duration(), hasRoom = chapters.length < (slider.offsetWidth || 400) / 8;
    const marks = chapters.filter(({ startTime }) => hasRoom && startTime > 0 && startTime < end);
    ticks.replaceChildren(...marks.map(({ startTime }) => {
      const tick = create("i");
      tick.style.left = `${100 * startTime / end}%`;
      return tick;
    }));
  }

  /** In small sizes the panels cover the controls. */
  function openSheet(isOpen: boolean) {
    section.classList.toggle("sheet-open", isOpen);
    if (isOpen) panels.openFirst();
    else moreButton.focus();
  }

  /** In small sizes the sheet opens with it. */
  function togglePanel(name: "chapters" | "transcript") {
    const isCovered = moreButton.offsetHeight > 0 && !section.matches(".sheet-open");
    if (panels.toggle(name, isCovered) && isCovered) openSheet(true);
  }

  /** Keys are the player's while the focus is in it, unless the focused control or the browser uses them. */
  function onKey(event: KeyboardEvent) {
    const target = event.target as HTMLElement;
    if (
      !isPlayable || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey ||
      target.matches("select, [readonly]")
    ) {
      return;
    }
    const actions: Record<string, false | (() => void)> = {
      " ": target.matches("[type=range]") && toggle,
      k: toggle,
      j: () => skip(-BACK_SECONDS),
      l: () => skip(FORWARD_SECONDS),
      m: toggleMuted,
      c: () => togglePanel("chapters"),
      t: () => togglePanel("transcript"),
      arrowleft: target === slider && (() => skip(-ARROW_SECONDS)),
      arrowright: target === slider && (() => skip(ARROW_SECONDS)),
      escape: section.matches(".sheet-open") && (() => openSheet(false)),
    };
    const action = actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }
}

/** A slider that is drawn by its track: the input above it is transparent, because each browser draws it differently. */
function rail(slider: HTMLElement, ...marks: Node[]) {
  const track = create("div", { part: "track" }, create("i", { part: "progress" }), ...marks);
  return create("div", { class: "rail" }, slider, track, create("i", { part: "thumb" }));
}

const setProgress = (slider: HTMLElement, fraction: number) =>
  slider.parentElement!.style.setProperty("--progress", String(fraction));
