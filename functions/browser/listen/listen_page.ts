/**
 * The script of listen pages. On an episode's page, times seek the player, and the chapter and the line that play are
 * marked. On a podcast's page, play buttons play at the bottom of the page. Without the script, both are links.
 */
import type { CastbasePlayer } from "../player/element.ts";
import type { Media } from "../player/data.ts";
import { tileClass } from "../../text/initials.ts";
import { indexAt } from "../player/time.ts";

type PlayerEvent = CustomEvent<{ episodeId?: string; currentTime: number }>;

const isPlayerDefined = () => customElements.get("castbase-player") !== undefined;
/** A click that opens another tab or window is the browser's. */
const isPlainClick = ({ button, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent) =>
  button === 0 && !ctrlKey && !metaKey && !shiftKey && !altKey;
const on = (name: string, listener: (event: PlayerEvent) => void) =>
  document.addEventListener(`castbase-${name}`, listener as EventListener);
const ignore = () => {}; // the player shows what went wrong

/** Calls back for clicks on elements with an attribute, once the player can obey. */
function onClick(attribute: string, act: (value: string, target: Element) => void) {
  document.addEventListener("click", (event) => {
    const target = (event.target as Element).closest(`[${attribute}]`);
    if (!target || !isPlayerDefined() || !isPlainClick(event)) return;
    event.preventDefault();
    act(target.getAttribute(attribute)!, target);
  });
}

function followPlayback(player: CastbasePlayer) {
  onClick("data-seek", (seconds) => {
    player.seek(Number(seconds));
    player.play().catch(ignore);
  });
  const followButton = document.querySelector<HTMLElement>(".follow");
  for (const list of document.querySelectorAll(".chapters, .transcript")) {
    const scroll = list.matches(".transcript") && followButton ? createFollower(followButton) : ignore;
    const items = [...list.querySelectorAll<HTMLElement>("[data-start]")];
    const starts = items.map(({ dataset }) => ({ startTime: Number(dataset.start) }));
    let current: HTMLElement | undefined;
    on("timeupdate", ({ detail: { currentTime } }) => {
      const next = items[indexAt(starts, currentTime)];
      if (next === current) return;
      current?.removeAttribute("aria-current");
      next?.setAttribute("aria-current", "true");
      current = next;
      scroll(next);
    });
  }
}

/** Scrolls the page to the line that plays once the reader asked for it, until the reader scrolls away from that line. */
function createFollower(button: HTMLElement) {
  let isFollowing = false, current: HTMLElement | undefined;
  button.addEventListener("click", () => {
    follow(true);
    current?.querySelector("a")?.focus({ preventScroll: true }); // the button is hidden
  });
  return (next: HTMLElement | undefined) => {
    const { top = 0, bottom = 0 } = current?.getBoundingClientRect() ?? {};
    current = next;
    follow(isFollowing && bottom > 0 && top < innerHeight);
  };

  function follow(value: boolean) {
    isFollowing = value;
    button.hidden = value || !current;
    if (!value || !current) return;
    const { top, bottom } = current.getBoundingClientRect();
    const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
    if (top < 0 || bottom > innerHeight) current.scrollIntoView({ block: "center", behavior });
  }
}

/** Returns the function that adds episodes with their play buttons. */
function playInDock(dock: HTMLElement) {
  const media = new Map<string, Media>(), buttons: HTMLElement[] = [];
  const { playWord, pauseWord } = document.body.dataset;
  const words = new Map<HTMLElement, string>();
  let player: CastbasePlayer | undefined;

  function add(source: Document, root: ParentNode) {
    const { podcast, episodes } = JSON.parse(source.getElementById("playable")!.textContent!);
    for (const episode of episodes as Media["episode"][]) media.set(episode.id!, { podcast, episode });
    for (const button of root.querySelectorAll<HTMLElement>("[data-play]")) {
      buttons.push(button);
      words.set(button, button.querySelector("span")?.textContent ?? "");
      button.setAttribute("role", "button");
      button.addEventListener("keydown", (event) => {
        if (event.key !== " ") return;
        event.preventDefault();
        button.click();
      });
    }
  }
  add(document, document);
  onClick("data-play", (id, button) => {
    if (player?.data?.episode.id === id) return player.paused ? void player.play().catch(ignore) : player.pause();
    player?.remove();
    player = document.createElement("castbase-player") as CastbasePlayer;
    player.lang = dock.lang;
    const { podcast, episode } = media.get(id)!;
    if (!episode.coverImageUrl && !podcast.coverImageUrl) player.className = tileClass(podcast.title);
    player.addEventListener("castbase-ready", () => player!.play().catch(ignore), { once: true });
    player.data = { podcast, episode };
    dock.hidden = false;
    dock.append(player);
    button.scrollIntoView({ block: "nearest" }); // the dock may have appeared above it
  });

  function show(playingId?: string) {
    for (const button of buttons) {
      const { play: id } = button.dataset, isPlaying = id === playingId, span = button.querySelector("span");
      button.toggleAttribute("data-playing", isPlaying);
      if (span) span.textContent = isPlaying ? pauseWord! : words.get(button)!;
      else button.ariaLabel = `${isPlaying ? pauseWord : playWord}: ${media.get(id!)!.episode.title}`;
    }
  }
  on("play", ({ detail }) => show(detail.episodeId));
  on("pause", () => show());
  return add;
}

/** "More episodes" appends those of the next page. After two failures it is a link again. */
function appendMore(link: HTMLAnchorElement, add: (source: Document, root: ParentNode) => void) {
  const list = document.querySelector(".episodes")!;
  const status = document.querySelector<HTMLElement>("[data-loaded]")!;
  let isLoading = false, failures = 0;

  async function append() {
    const response = await fetch(link.href, { headers: { accept: "text/html" } });
    if (!response.ok) throw new Error(`${response.status}`);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const items = [...page.querySelectorAll(".episodes > li")], next = page.querySelector("[data-more]");
    const added = document.createDocumentFragment();
    added.append(...items);
    add(page, added);
    list.append(added);
    items[0].querySelector<HTMLElement>("h3 a")!.focus(); // the reader continues where the old list ended
    status.textContent = status.dataset.loaded!.replace("{0}", String(items.length));
    if (next) link.setAttribute("href", next.getAttribute("href")!);
    else link.remove();
  }

  async function onMore(event: MouseEvent) {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    if (isLoading) return;
    isLoading = true;
    link.ariaBusy = "true";
    try {
      await append();
      failures = 0;
    } catch {
      if (++failures > 1) link.removeEventListener("click", onMore);
      status.textContent = status.dataset.failed!;
    }
    link.ariaBusy = null;
    isLoading = false;
  }
  link.addEventListener("click", onMore);
}

const player = document.querySelector<CastbasePlayer>("castbase-player");
const dock = document.querySelector<HTMLElement>(".dock");
if (player) followPlayback(player);
const add = dock ? playInDock(dock) : ignore;
const moreLink = document.querySelector<HTMLAnchorElement>("[data-more]");
if (moreLink) appendMore(moreLink, add);
