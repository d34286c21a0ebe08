/** <castbase-player>: an episode, or a podcast's episodes. interface.json lists what pages may rely on. */
import type { Show } from "./context.ts";
import { inlineMedia, isNotFound, loadMedia, type Media, scriptBase } from "./data.ts";
import { create, problem } from "./dom.ts";
import { createEpisodePlayer, type EpisodePlayer } from "./episode_player.ts";
import { type LoadedTexts, loadTexts, textsNow } from "./player_texts.ts";
import { parseTime } from "../../text/clock_times.ts";
import { accentOf } from "../../text/player_options.ts";
import { timeInHash } from "./time.ts";

/** The minified player.css: scripts/build_browser.ts defines it. */
declare const PLAYER_CSS: string;

/** A policy for styles does not forbid constructed ones. */
const sheet = new CSSStyleSheet();
sheet.replaceSync(PLAYER_CSS);

export class CastbasePlayer extends HTMLElement {
  static readonly observedAttributes = ["episode", "podcast", "latest", "api-url", "lang", "accent"];

  #frame = create("div", { class: "frame" });
  #accent = new CSSStyleSheet();
  /** As high as the page says: without height unless the element has a CSS height, or the attribute `height`. */
  #gauge = create("div", { class: "gauge" });
  #assigned: Media | null | undefined;
  #media: Media | undefined;
  #player: EpisodePlayer | undefined;
  #opened = new AbortController();
  #playing = new AbortController();
  #loading: Promise<void> | undefined;
  #hasStarted = false;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [sheet, this.#accent];
    root.append(this.#gauge, create("div", { class: "box" }, this.#frame));
    // The player fits into the height. The gauge's height does not depend on the player's
    new ResizeObserver(() => this.#frame.classList.toggle("fits", this.#gauge.offsetHeight > 0)).observe(this.#gauge);
  }

  connectedCallback() {
    if (Object.hasOwn(this, "data")) { // assigned before the script ran
      const { data } = this;
      delete (this as { data?: unknown }).data;
      this.data = data;
    }
    this.reload();
  }

  disconnectedCallback() {
    this.#close();
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null) {
    if (name === "accent") {
      const accent = accentOf(after), onAccent = "--castbase-on-accent:initial"; // black or white
      this.#accent.replaceSync(accent ? `:host{--castbase-accent:${accent};${onAccent}}` : "");
    } else if (before !== after && this.#frame.firstChild) this.reload();
  }

  /** Episode and podcast as in /v1. Assigned data saves the requests. */
  get data(): Media | null {
    return this.#media ?? null;
  }
  set data(media: Media | null) {
    this.#assigned = media;
    if (this.#frame.firstChild) this.reload();
  }

  get currentTime(): number {
    return this.#player?.position() ?? 0;
  }
  set currentTime(seconds: number) {
    this.seek(seconds);
  }

  get paused(): boolean {
    return this.#audio.paused;
  }

  get playbackRate(): number {
    return this.#audio.playbackRate;
  }
  set playbackRate(rate: number) {
    this.#audio.defaultPlaybackRate = this.#audio.playbackRate = rate; // also after another attempt to load
  }

  get volume(): number {
    return this.#audio.volume;
  }
  set volume(volume: number) {
    this.#audio.volume = volume;
  }

  get muted(): boolean {
    return this.#audio.muted;
  }
  set muted(isMuted: boolean) {
    this.#audio.muted = isMuted;
  }

  get duration(): number {
    return this.#player?.duration() ?? 0;
  }

  /** Waits for the episode. Rejects if there is none, the browser forbids it, or the audio cannot be loaded. */
  async play(): Promise<void> {
    if (!this.#player) await this.#loading;
    if (!this.#player) throw new Error("No episode");
    await this.#player.play();
  }

  pause() {
    this.#audio.pause();
  }

  seek(seconds: number) {
    this.#player?.seek(seconds);
  }

  /** Without an episode, one that has only default values. */
  get #audio(): HTMLAudioElement {
    return this.#player?.audio ?? create("audio");
  }

  /** Reads the data again. */
  reload(): Promise<void> {
    return this.#loading = this.#load();
  }

  async #load(): Promise<void> {
    this.#close();
    if (!this.isConnected) return;
    const { signal } = this.#opened = new AbortController();
    const tag = this.closest<HTMLElement>("[lang]")?.lang;
    let { texts, language }: LoadedTexts = textsNow(tag ?? "");
    const show = (part: string, ...children: Node[]) => {
      const attributes = { part, lang: language, "aria-label": texts.player, "aria-busy": String(part !== "player") };
      this.#frame.replaceChildren(create("section", attributes, ...children));
    };
    show(
      "player loading",
      create(
        "div",
        { part: "main" },
        ...["artwork", "heading", "timeline", "controls"].map((part) => create("div", { part })),
      ),
      create("span", { class: "hidden", role: "status" }, texts.loading),
    );
    if (document.readyState === "loading") { // children may be missing
      await new Promise((resolve) => document.addEventListener("DOMContentLoaded", resolve, { signal }));
    }
    const base = (this.getAttribute("api-url") ?? scriptBase ?? "").replace(/\/+$/, "");
    if (!base) console.warn(`<${this.localName}> does not know its server: set api-url`); // a copy of the script
    let media = [this.#assigned, inlineMedia(this)].find((media) =>
      media?.podcast && media.episode && this.#isWanted(media)
    );
    try {
      const loading = media
        ? Promise.resolve(media)
        : loadMedia(base, this.getAttribute("episode"), this.getAttribute("podcast"), signal);
      loading.catch(() => {}); // is awaited below, after the texts
      ({ texts, language } = await loadTexts(base, tag ?? (await loading).podcast.language ?? "", signal));
      media = await loading;
    } catch (error) {
      if (signal.aborted) return;
      const isMissing = isNotFound(error as Error), message = isMissing ? texts.notFound : texts.notLoaded;
      const retry = async () => {
        await this.reload();
        this.shadowRoot!.querySelector<HTMLElement>(".play-button, .retry-button")?.focus();
      };
      show("player", problem(message, texts.retry, retry));
      return this.#emit("error", { reason: isMissing ? "not-found" : "network", message });
    }
    if (signal.aborted) return;
    // A page's #t= is for its first player, and for the first episode there
    const isFirst = document.querySelector(this.localName) === this;
    const start = (isFirst && !this.#hasStarted ? timeInHash() : undefined) ?? parseTime(this.getAttribute("start"));
    this.#hasStarted = true;
    const emit = (name: string, detail?: object) => this.#emit(name, detail);
    const open = (media: Media, start?: number) => {
      this.#closeEpisode();
      this.#media = media;
      this.#playing = new AbortController();
      const context = { base, texts, language, signal: this.#playing.signal, emit };
      this.#player = createEpisodePlayer({ ...context, media, show: podcast, start });
      this.#frame.replaceChildren(this.#player.section);
      this.#emit("ready");
    };
    const isShow = !["episode", "latest"].some((name) => this.hasAttribute(name)) && this.hasAttribute("podcast");
    const podcast: Show | undefined = isShow
      ? {
        signal,
        choose: (episode) => {
          if (episode.id !== this.#media!.episode.id) {
            open({ ...media!, episode });
            podcast!.list!.restore();
          }
          this.play().catch(() => {}); // the player shows what went wrong
        },
      }
      : undefined;
    if (isFirst) {
      addEventListener("hashchange", () => {
        const seconds = timeInHash();
        if (seconds !== undefined) this.#player!.playFrom(seconds);
      }, { signal });
    }
    this.#frame.dir = language === "ar" ? "rtl" : ""; // else that of the page
    open(media, start);
  }

  #isWanted({ podcast, episode }: Media) {
    const isSame = (name: string, value: string) => (this.getAttribute(name) ?? value) === value;
    return isSame("episode", episode.id) && isSame("podcast", podcast.slug);
  }

  #close() {
    this.#opened.abort();
    this.#closeEpisode();
  }

  #closeEpisode() {
    if (!this.paused) {
      this.pause();
      this.#emit("pause"); // the event of the audio would be too late
    }
    this.#playing.abort();
    this.#player?.close();
    this.#player = this.#media = undefined;
  }

  #emit(name: string, detail: object = {}) {
    const { currentTime, duration, playbackRate, volume, muted } = this, episodeId = this.#media?.episode.id;
    const state = { episodeId, currentTime, duration, playbackRate, volume, muted };
    const init = { bubbles: true, composed: true, detail: { ...state, ...detail } };
    this.dispatchEvent(new CustomEvent(`castbase-${name}`, init));
  }
}
