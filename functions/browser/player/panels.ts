/** The panels below the controls, each with a button that opens it. */
import type { Context, Playback } from "./context.ts";
import {
  type Chapter,
  type Credit,
  hasOwnChapters,
  hasTimes,
  isNotFound,
  loadChapters,
  loadLines,
  type TranscriptFile,
} from "./data.ts";
import { button, create, link, picture, problem, setAttribute, setName } from "./dom.ts";
import { icon } from "./icons.ts";
import { fillShare } from "./share.ts";
import { subscribeLinks } from "./subscribe.ts";
import { createSyncedList, type SyncedList } from "./synced_list.ts";
import type { PlayerTexts } from "./player_texts.ts";

type PanelName = "chapters" | "transcript" | "credits" | "subscribe" | "share";

interface Panel {
  tab: HTMLButtonElement;
  panel: HTMLElement;
  /** Called at each opening. */
  show(): void;
}

export function createPanels(
  context: Context,
  playback: Playback,
  onChapters: (chapters: Chapter[]) => void,
  close: () => void,
) {
  const { base, texts, signal, media: { podcast, episode } } = context, { transcripts, credits } = episode;
  const tabs = create("div", { part: "tabs" }), extras = create("div", { part: "panels" }, tabs);
  const panels = new Map<string, Panel>();

  if (hasOwnChapters(episode)) {
    const read = () => loadChapters(base, episode, signal).then((found) => (onChapters(found), found));
    const first = read();
    add("chapters", (panel) =>
      fillList(panel, texts, async () => {
        const chapters = await first.catch(read); // after a failure, each attempt reads again
        const lines = chapters.map(({ startTime, title, url }) => ({ startTime, text: title, url }));
        return createSyncedList(panel, lines, "chapter", podcast.language, context, playback);
      }).show);
    first.then(({ length }) => length || remove("chapters"), (error) => isNotFound(error) && remove("chapters"));
  }
  if (transcripts?.length) add("transcript", (panel) => fillTranscripts(panel, transcripts, context, playback));
  if (credits?.length) {
    const item = ({ name, roleLabel, avatarUrl, externalUrl }: Credit) => {
      const role = create("small", {}, texts[roleLabel as keyof PlayerTexts] ?? roleLabel);
      const person = create("span", {}, link(externalUrl, name), role);
      return create("li", { part: "credit" }, picture(avatarUrl, name, "avatar"), person);
    };
    add("credits", (panel) => panel.append(create("ul", { role: "list" }, ...credits.map(item))));
  }
  const subscribe = subscribeLinks(podcast, texts);
  if (subscribe.length) add("subscribe", (panel) => panel.append(...subscribe));
  add("share", (panel) => fillShare(panel, context, playback));
  tabs.append(setName(button("close-button", close, icon("close")), texts.close));

  /** `fill` runs at the first opening and returns a callback for all of them. */
  function add(name: PanelName, fill: (panel: HTMLElement) => (() => void) | void) {
    const panel = create("div", {
      part: `panel panel-${name}`,
      id: name,
      role: "group",
      "aria-label": texts[name],
      hidden: true,
    });
    const tab = button("tab", () => toggle(name), texts[name]);
    setAttribute(tab, "aria-controls", name);
    setAttribute(tab, "aria-expanded", "false");
    let onShow: (() => void) | undefined;
    const show = () => (onShow ??= fill(panel) ?? (() => {}))();
    panels.set(name, { tab, panel, show });
    tabs.append(tab);
    extras.append(panel);
  }

  /** The next panel takes the focus. */
  function remove(name: PanelName) {
    const { tab, panel } = panels.get(name)!, hadFocus = tab.matches(":focus");
    tab.remove();
    panel.remove();
    panels.delete(name);
    if (hadFocus) openFirst();
  }

  /** Opens a panel and closes the others, or closes all. */
  function toggle(name: string) {
    const { panel: { hidden: isOpening } } = panels.get(name)!;
    for (const [each, { tab, panel, show }] of panels) {
      const isOpen = each === name && isOpening;
      panel.hidden = !isOpen;
      setAttribute(tab, "aria-expanded", String(isOpen));
      tab.part.toggle("current", isOpen);
      if (isOpen) {
        show();
        tab.scrollIntoView({ block: "nearest", inline: "nearest" });
      }
    }
  }

  /** Opens the first panel, unless one is open, and moves the focus there. */
  function openFirst() {
    const isOpen = ({ panel }: Panel) => !panel.hidden;
    if (![...panels.values()].some(isOpen)) toggle(panels.keys().next().value!);
    [...panels.values()].find(isOpen)!.tab.focus();
  }

  return {
    extras,
    /** Opens or closes a panel, or opens it in any case. Returns whether there is one. */
    toggle(name: PanelName, isOpening: boolean): boolean {
      const panel = panels.get(name)?.panel;
      if (panel && (panel.hidden || !isOpening)) toggle(name);
      return Boolean(panel);
    },
    openFirst,
  };
}

/** The transcript in the reader's language first. A choice is shown if there are several. */
function fillTranscripts(panel: HTMLElement, files: TranscriptFile[], context: Context, playback: Playback) {
  const { base, texts, signal, media: { podcast } } = context;
  const timed = files.filter(hasTimes);
  const tagOf = ({ language }: TranscriptFile) => language ?? podcast.language ?? "en";
  const nameOf = (file: TranscriptFile) => {
    try {
      return new Intl.DisplayNames(context.language, { type: "language" }).of(tagOf(file))!;
    } catch {
      return tagOf(file); // not a language tag
    }
  };
  if (!timed.length) {
    const links = files.map((file) => link(file.url, `${texts.transcript}: ${nameOf(file)}`, "transcript-link"));
    return panel.append(...links);
  }
  const choice = create(
    "select",
    { "aria-label": texts.transcript, change: () => list.fill() },
    ...timed.map((file) => create("option", {}, nameOf(file))),
  );
  const content = create("div");
  panel.append(...timed.length > 1 ? [choice] : [], content); // the choice keeps the focus
  choice.selectedIndex = Math.max(0, timed.findIndex((file) => tagOf(file).startsWith(context.language)));
  const list = fillList(content, texts, async () => {
    const file = timed[choice.selectedIndex], lines = await loadLines(base, file, signal);
    if (file === timed[choice.selectedIndex]) {
      return createSyncedList(panel, lines, "line", tagOf(file), context, playback);
    }
  });
  return list.show;
}

/**
 * Fills a place in a panel with a list that has to be loaded. After a failure the listener can try again. `load` returns
 * nothing if the list is no longer wanted.
 */
function fillList(place: HTMLElement, texts: PlayerTexts, load: () => Promise<SyncedList | undefined>) {
  let list: SyncedList | undefined;
  fill();
  return { fill, show: () => list?.show() };

  async function fill() {
    list?.close();
    place.replaceChildren(create("p", { role: "status" }, texts.loading));
    try {
      const loaded = await load();
      if (!loaded) return;
      list = loaded;
      place.replaceChildren(...list.elements);
      list.show();
    } catch {
      place.replaceChildren(problem(texts.notLoaded, texts.retry, retry));
    }
  }

  function retry() {
    place.tabIndex = -1;
    place.focus(); // the button is removed, and the player's keys need the focus inside
    fill();
  }
}
