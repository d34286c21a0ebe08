/** <castbase-player>: an episode, or a podcast's latest one. api/released/player-v1.json lists its interface. */
import { inlineMedia, LoadError, loadMedia, type Media, scriptBase } from "./data.ts";
import { create, setAttribute } from "./dom.ts";
import { createEpisodePlayer, type EpisodePlayer } from "./episode_player.ts";
import { textsIn } from "./texts.ts";
import { parseTime, timeInHash } from "./time.ts";

/** The minified player.css: scripts/build_browser.ts defines it. */
declare const PLAYER_CSS: string;

/** A policy for styles does not forbid constructed ones. */
const sheet = new CSSStyleSheet();
sheet.replaceSync(PLAYER_CSS);

export class CastbasePlayer extends HTMLElement {
  static readonly observedAttributes = ["episode", "podcast", "api-url", "lang"];

  #frame = create("div", { class: "frame" });
  #assigned: Media | undefined;
  #media: Media | undefined;
  #player: EpisodePlayer | undefined;
  #opened = new AbortController();

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [sheet];
    root.append(this.#frame);
  }

  connectedCallback() {
    if (Object.hasOwn(this, "data")) { // assigned before the script ran
      const { data } = this;
      delete (this as { data?: unknown }).data;
      this.data = data;
    }
    // While the page is parsed, children may be missing
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => void this.reload());
    else void this.reload();
  }

  disconnectedCallback() {
    this.#close();
  }

  attributeChangedCallback(_name: string, before: string | null, after: string | null) {
    if (before !== after && this.#frame.firstChild) void this.reload();
  }

  /** Episode and podcast as in /v1. Assigned data saves the requests. */
  get data(): Media | null {
    return this.#media ?? null;
  }
  set data(media: Media | null) {
    this.#assigned = media ?? undefined;
    if (this.#frame.firstChild) void this.reload();
  }

  get episode(): string | null {
    return this.getAttribute("episode");
  }
  set episode(id: string | null) {
    setAttribute(this, "episode", id);
  }

  get podcast(): string | null {
    return this.getAttribute("podcast");
  }
  set podcast(slug: string | null) {
    setAttribute(this, "podcast", slug);
  }

  get currentTime(): number {
    return this.#player?.audio.currentTime ?? 0;
  }
  set currentTime(seconds: number) {
    this.seek(seconds);
  }

  get duration(): number {
    return this.#player?.duration() ?? 0;
  }

  get paused(): boolean {
    return this.#player?.audio.paused ?? true;
  }

  get playbackRate(): number {
    return this.#player?.audio.playbackRate ?? 1;
  }
  set playbackRate(rate: number) {
    if (this.#player) this.#player.audio.playbackRate = rate;
  }

  get volume(): number {
    return this.#player?.audio.volume ?? 1;
  }
  set volume(volume: number) {
    if (this.#player) this.#player.audio.volume = volume;
  }

  get muted(): boolean {
    return this.#player?.audio.muted ?? false;
  }
  set muted(isMuted: boolean) {
    if (this.#player) this.#player.audio.muted = isMuted;
  }

  /** Rejects if the browser forbids it, or if the audio cannot be loaded. */
  async play(): Promise<void> {
    await this.#player?.play();
  }

  pause() {
    this.#player?.audio.pause();
  }

  seek(seconds: number) {
    this.#player?.seek(seconds);
  }

  /** Reads the data again. */
  async reload(): Promise<void> {
    this.#close();
    if (!this.isConnected) return;
    const { signal } = this.#opened = new AbortController();
    const tag = this.closest<HTMLElement>("[lang]")?.lang || "en", { texts, language } = textsIn(tag);
    this.#fitHeight(signal);
    this.#frame.replaceChildren(create(
      "section",
      { class: "player loading", part: "player", lang: language, "aria-label": texts.player, "aria-busy": "true" },
      create(
        "div",
        { class: "main" },
        ...["artwork", "heading", "timeline", "controls"].map((name) => create("div", { class: name })),
      ),
      create("span", { class: "hidden", role: "status" }, texts.loading),
    ));
    const base = (this.getAttribute("api-url") ?? scriptBase).replace(/\/+$/, "");
    try {
      const known = [this.#assigned, inlineMedia(this)].find((media) => media && this.#isWanted(media));
      const media = known ?? await loadMedia(base, this, signal);
      signal.throwIfAborted();
      const emit = (name: string, detail?: object) => this.#emit(name, detail);
      // A page's #t= is for its first player
      const isFirst = document.querySelector(this.localName) === this;
      const start = (isFirst ? timeInHash() : undefined) ?? parseTime(this.getAttribute("start"));
      this.#media = media;
      this.#player = createEpisodePlayer({ media, base, texts, language, signal, start, emit });
      if (isFirst) addEventListener("hashchange", () => this.#followHash(), { signal });
      this.#frame.replaceChildren(this.#player.section);
      this.#emit("ready");
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof LoadError)) throw error;
      const { reason } = error, message = reason === "network" ? texts.noConnection : texts.notFound;
      const retry = () => this.reload().then(() => this.#player?.playButton.focus());
      this.#frame.replaceChildren(create(
        "section",
        { class: "player broken", part: "player", lang: language, "aria-label": texts.player },
        create(
          "div",
          { class: "notice", part: "error", role: "alert" },
          create("span", {}, message),
          create("button", { type: "button", part: "button retry-button", click: retry }, texts.retry),
        ),
      ));
      this.#emit("error", { reason, message });
    }
  }

  #isWanted({ podcast, episode }: Media) {
    return (this.episode ?? episode.id) === episode.id && (this.podcast ?? podcast.slug) === podcast.slug;
  }

  #close() {
    this.#opened.abort();
    this.#player?.close();
    this.#player = this.#media = undefined;
  }

  #emit(name: string, detail: object = {}) {
    const { currentTime, duration, playbackRate, volume, muted } = this, episodeId = this.#media?.episode.id ?? null;
    this.dispatchEvent(
      new CustomEvent(`castbase-${name}`, {
        bubbles: true,
        composed: true,
        detail: { episodeId, currentTime, duration, playbackRate, volume, muted, ...detail },
      }),
    );
  }

  #followHash() {
    const seconds = timeInHash();
    if (seconds === undefined) return;
    this.seek(seconds);
    this.play().catch(() => {});
  }

  /** With a height of its own the element fits its content into it. Without one, its height without content is 0. */
  #fitHeight(signal: AbortSignal) {
    const measure = () => {
      this.#frame.hidden = true;
      this.#frame.classList.toggle("fits", this.clientHeight > 0);
      this.#frame.hidden = false;
    };
    addEventListener("resize", measure, { signal });
    measure();
  }
}
