/**
 * The script of players in frames: the embedding page controls the player by messages, as player.js defines them
 * (https://github.com/embedly/player.js/blob/master/SPEC.rst). Any page may, because any may embed it: messages tell
 * what the player shows. Of its listener that is the position, at which playback ended the last time. What is malformed
 * is ignored.
 */
import type { CastbasePlayer } from "../player/element.ts";

type Detail = Record<string, unknown> & { currentTime: number; duration: number };

interface Message {
  method: string;
  value?: unknown;
  listener?: string | number;
}

const CONTEXT = "player.js", VERSION = "0.0.11";
const MAX_MESSAGE_CHARS = 1000, MAX_LISTENERS = 200;

/** Codes of errors, by the specification. */
const UNDEFINED_ERROR = -1, UNSUPPORTED_METHOD = 2;

/** Events of the element, by their names without `castbase-`; the page can also ask for them with it. */
const EVENTS = ["ready", "play", "pause", "timeupdate", "seeked", "ended", "ratechange", "volumechange"];
EVENTS.push("chapterchange", "error");
/** What the specification's events tell, if it is not nothing. */
const VALUES: Record<string, (detail: Detail) => unknown> = {
  timeupdate: ({ currentTime, duration }) => ({ seconds: currentTime, duration }),
  error: ({ message }) => ({ code: UNDEFINED_ERROR, msg: message }),
};

/** Rejections that need no report: paused before it played, and audio that fails, which has an event. */
const REJECTIONS = ["AbortError", "NotSupportedError"];

const player = document.querySelector<CastbasePlayer>("castbase-player")!;
const listeners: { event: string; listener?: string | number; origin: string }[] = [];
let isReady = false, errors = 0;

const METHODS: Record<string, (value: unknown) => unknown> = {
  play: () => void play(),
  pause: () => player.pause(),
  getPaused: () => player.paused,
  mute: () => void (player.muted = true),
  unmute: () => void (player.muted = false),
  getMuted: () => player.muted,
  setVolume: (value) => isNumber(value) && void (player.volume = Math.min(100, Math.max(0, value)) / 100),
  getVolume: () => Math.round(100 * player.volume),
  getDuration: () => player.duration,
  setCurrentTime: (value) => isNumber(value) && player.seek(value),
  getCurrentTime: () => player.currentTime,
};
const isNumber = (value: unknown): value is number => Number.isFinite(value);

const supported = {
  src: location.href,
  events: [...EVENTS.filter((name) => !/change$/.test(name)), "progress", ...EVENTS.map((name) => `castbase-${name}`)],
  methods: [...Object.keys(METHODS), "addEventListener", "removeEventListener"],
};

if (parent !== self) {
  addEventListener("message", receive);
  for (const name of EVENTS) {
    player.addEventListener(`castbase-${name}`, (event) => {
      const { detail } = event as CustomEvent<Detail>;
      if (name === "error") errors++;
      if (name === "ready") becomeReady();
      else if (supported.events.includes(name)) emit(name, VALUES[name]?.(detail));
      emit(event.type, detail);
    });
  }
}

/** Reports what the element rejects without an event, as a browser that forbids playback. */
async function play() {
  const before = errors;
  try {
    await player.play();
  } catch (error) {
    const { name, message } = error as Error;
    if (errors === before && !REJECTIONS.includes(name)) emit("error", { code: UNDEFINED_ERROR, msg: message });
  }
}

/** Announces the player once, also to a page that asked for nothing. */
function becomeReady() {
  if (isReady) return;
  isReady = true;
  // Captured, because events of the audio do not bubble
  player.shadowRoot!.addEventListener("progress", ({ target }) => {
    const { buffered } = target as HTMLMediaElement, { length } = buffered;
    emit("progress", { seconds: length && buffered.end(length - 1), duration: player.duration });
  }, true);
  if (!emit("ready", supported)) send({ event: "ready", value: supported }, "*");
}

/** Sends an event to those who asked for it. Returns whether there are any. */
function emit(event: string, value?: unknown): boolean {
  const asking = listeners.filter((each) => each.event === event);
  for (const { listener, origin } of asking) send({ event, value, listener }, origin);
  return asking.length > 0;
}

function send(message: { event: string; value?: unknown; listener?: string | number }, origin: string) {
  parent.postMessage(JSON.stringify({ context: CONTEXT, version: VERSION, ...message }), origin);
}

async function receive({ source, origin, data }: MessageEvent) {
  const message = source === parent && parse(data);
  if (!message) return;
  const { method, value, listener } = message, target = origin === "null" ? "*" : origin;
  if (method === "addEventListener") return addListener(value, target, listener);
  if (method === "removeEventListener") return removeListener(value, listener);
  if (!Object.hasOwn(METHODS, method)) {
    return void emit("error", { code: UNSUPPORTED_METHOD, msg: "This method is not supported" });
  }
  await customElements.whenDefined(player.localName);
  const result = METHODS[method](value);
  if (method.startsWith("get")) send({ event: method, value: result, listener }, target);
}

function parse(data: unknown): Message | undefined {
  try {
    const message = typeof data === "string" && data.length <= MAX_MESSAGE_CHARS ? JSON.parse(data) : data;
    const { context, method, value, listener: name } = message, listener = name ?? undefined;
    const isId = ["undefined", "string", "number"].includes(typeof listener) && String(listener).length <= 100;
    if (context === CONTEXT && typeof method === "string" && isId) return { method, value, listener };
  } catch { /* not a message of ours */ }
}

function addListener(event: unknown, origin: string, listener?: string | number) {
  if (!supported.events.includes(event as string) || listeners.length >= MAX_LISTENERS) return;
  const isKnown = listeners.some((each) => each.event === event && each.listener === listener);
  if (!isKnown) listeners.push({ event: event as string, listener, origin });
  if (event === "ready" && isReady) send({ event, value: supported, listener }, origin);
}

/** Without its name, all listeners of the event. */
function removeListener(event: unknown, listener?: string | number) {
  const kept = listeners.filter((each) => each.event !== event || listener !== undefined && each.listener !== listener);
  listeners.splice(0, Infinity, ...kept);
}
