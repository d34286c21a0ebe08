/** The panels below the controls, each with a button that opens it. */
import { type Context, iconButton, type Playback } from "./context.ts";
import { type Chapter, hasTimes, loadLines, type TranscriptFile } from "./data.ts";
import { create, link, picture, setAttribute, webUrl } from "./dom.ts";
import { fillShare } from "./share.ts";
import { subscribeLinks } from "./subscribe.ts";
import { fillSyncedList } from "./synced_list.ts";
import type { Texts } from "./texts.ts";

type PanelName = "chapters" | "transcript" | "credits" | "subscribe" | "share";

/** Returns a callback for later openings. */
type Fill = (panel: HTMLElement) => void | (() => void);

export function createPanels(context: Context, playback: Playback, chapters: Promise<Chapter[]> | undefined) {
  const { texts, media: { podcast, episode } } = context;
  const tabs = create("div", { class: "tabs", part: "tabs", role: "group" });
  const extras = create("div", { class: "extras", part: "extras" }, tabs);
  const panels = new Map<string, { tab: HTMLButtonElement; panel: HTMLElement; show: () => void }>();

  if (chapters) {
    add("chapters", (panel) => {
      let show = () => {};
      chapters.then((found) => {
        const lines = found.map(({ startTime, title, url }) => ({ startTime, text: title, url }));
        show = fillSyncedList(panel, panel, lines, { part: "chapter", language: podcast.language }, context, playback);
        show();
      }, () => {});
      return () => show();
    });
    chapters.then((found) => found.length || remove("chapters"), () => remove("chapters"));
  }
  const transcripts = episode.transcripts ?? [];
  if (transcripts.length) add("transcript", (panel) => fillTranscripts(panel, transcripts, context, playback));
  if (episode.credits?.length) add("credits", fillCredits);
  if (webUrl(podcast.feedUrl) || podcast.funding?.length) {
    add("subscribe", (panel) => panel.append(...subscribeLinks(podcast, texts)));
  }
  add("share", (panel) => fillShare(panel, context, playback));
  tabs.append(iconButton("close", texts.close, "close-button", () => extras.dispatchEvent(new Event("close"))));

  function add(name: PanelName, fill: Fill) {
    const id = `panel-${name}`, label = texts[name];
    const panel = create("div", {
      class: `panel ${name}`,
      part: `panel panel-${name}`,
      id,
      role: "group",
      hidden: true,
    });
    setAttribute(panel, "aria-label", label);
    let reopen: (() => void) | void, isFilled = false;
    const tab = create(
      "button",
      { type: "button", part: "tab", "aria-expanded": "false", "aria-controls": id, click: () => toggle(name) },
      label,
    );
    panels.set(name, {
      tab,
      panel,
      show: () => {
        if (isFilled) return reopen?.();
        isFilled = true;
        reopen = fill(panel);
      },
    });
    tabs.append(tab);
    extras.append(panel);
  }

  function remove(name: PanelName) {
    panels.get(name)!.tab.remove();
    panels.get(name)!.panel.remove();
    panels.delete(name);
  }

  /** Opens a panel and closes the others. */
  function toggle(name: string, isOpen = panels.get(name)?.panel.hidden ?? false) {
    for (const [each, { tab, panel, show }] of panels) {
      const isThis = each === name && isOpen;
      panel.hidden = !isThis;
      tab.setAttribute("aria-expanded", String(isThis));
      tab.part.toggle("current", isThis);
      if (isThis) show();
    }
  }

  function fillCredits(panel: HTMLElement) {
    const people = episode.credits!.map(({ name, roleLabel, avatarUrl, externalUrl }) => {
      const url = webUrl(externalUrl);
      return create(
        "li",
        { part: "credit" },
        picture(avatarUrl, name, { class: "avatar" }),
        create(
          "span",
          {},
          url ? link(url, { dir: "auto" }, name) : create("span", { dir: "auto" }, name),
          create("small", {}, texts[roleLabel as keyof Texts] ?? roleLabel),
        ),
      );
    });
    panel.append(create("ul", { class: "people", role: "list" }, ...people));
  }

  return {
    extras,
    toggle,
    has: (name: string) => panels.has(name),
    /** Opens the first panel, unless one is open. */
    openFirst() {
      const opened = [...panels.values()].find(({ panel }) => !panel.hidden);
      if (!opened) toggle([...panels.keys()][0]);
      (opened?.tab ?? panels.values().next().value!.tab).focus();
    },
  };
}

/** The transcript in the reader's language first. A choice is shown if there are several. */
function fillTranscripts(panel: HTMLElement, all: TranscriptFile[], context: Context, playback: Playback) {
  const { base, texts, signal, media: { podcast } } = context;
  const timed = all.filter(hasTimes), body = create("div", { class: "transcript-lines" });
  const languageOf = ({ language }: TranscriptFile) => language ?? podcast.language ?? "";
  let show = () => {}, chosen: TranscriptFile;
  if (!timed.length) return panel.append(...all.filter(({ url }) => webUrl(url)).map(openLink));
  const isPreferred = (file: TranscriptFile) => languageOf(file).slice(0, 2) === context.language;
  const choice = create(
    "select",
    { "aria-label": texts.language, change: () => load(timed[choice.selectedIndex]) },
    ...timed.map((file) => create("option", {}, nameOfLanguage(languageOf(file), context.language))),
  );
  choice.selectedIndex = Math.max(0, timed.findIndex(isPreferred));
  load(timed[choice.selectedIndex]);
  return () => show();

  async function load(file: TranscriptFile) {
    chosen = file;
    panel.replaceChildren(create("p", { role: "status" }, texts.loading));
    try {
      const lines = await loadLines(base, file, signal);
      if (chosen !== file) return;
      show = fillSyncedList(body, panel, lines, { part: "line", language: languageOf(file) }, context, playback);
      panel.replaceChildren(...timed.length > 1 ? [choice] : [], body);
      show();
    } catch {
      if (signal.aborted || chosen !== file) return;
      const retry = create(
        "button",
        { type: "button", part: "button retry-button", click: () => load(file) },
        texts.retry,
      );
      panel.replaceChildren(create("p", { role: "alert" }, texts.noPart), retry);
    }
  }

  function openLink(file: TranscriptFile) {
    const language = all.length > 1 ? ` (${nameOfLanguage(languageOf(file), context.language)})` : "";
    return create("p", {}, link(file.url, {}, texts.openTranscript, language));
  }
}

function nameOfLanguage(tag: string, language: string): string {
  try {
    return new Intl.DisplayNames(language, { type: "language" }).of(tag) ?? tag;
  } catch {
    return tag; // not a language tag
  }
}
