/** The tabs below the controls, and their panels. What the panels contain is in a second script. */
import type { Context, PanelName, Playback } from "./context.ts";
import { hasOwnChapters, isNotFound } from "./data.ts";
import { button, create, problem, setAttribute, setName, webUrl } from "./dom.ts";
import { icon } from "./icons.ts";
import { adoptStyles, loadPanels, panelsScript } from "./panels_script.ts";

interface Panel {
  tab: HTMLButtonElement;
  panel: HTMLElement;
  /** Called at each opening. */
  show(): void;
}

export function createTabs(context: Context, playback: Playback, close: () => void) {
  const { base, texts, show, media: { podcast, episode } } = context;
  const tabs = create("div", { part: "tabs" }), extras = create("div", { part: "panels" }, tabs);
  const panels = new Map<string, Panel>();
  extras.addEventListener("pointerover", () => loadPanels(base).catch(() => {}), { once: true });

  if (show) {
    add("episodes");
    openWhenSeen("episodes", !show.list);
  }
  if (hasOwnChapters(episode)) {
    add("chapters");
    playback.chapters().then(({ length }) => {
      const isTall = getComputedStyle(tabs).getPropertyValue("--tall");
      if (!length) remove("chapters");
      else if (isTall && length > 3 && !tabs.querySelector("[aria-expanded=true]")) openWhenSeen("chapters", true);
    }, (error) => isNotFound(error) && remove("chapters"));
  }
  if (episode.transcripts?.length) add("transcript");
  if (episode.credits?.length) add("credits");
  if (webUrl(podcast.feedUrl) || podcast.funding?.length || podcast.directoryLinks?.length) add("subscribe");
  add("share");
  tabs.append(setName(button("close-button", close, icon("close")), texts.close));

  function add(name: PanelName) {
    const panel = create("div", {
      part: `panel panel-${name}`,
      id: name,
      role: "group",
      "aria-label": texts[name],
      hidden: true,
    });
    const click = () => {
      toggle(name);
      tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    };
    const tab = button("tab", click, texts[name]);
    setAttribute(tab, "aria-controls", name);
    setAttribute(tab, "aria-expanded", "false");
    let isFilled = false, onShow: (() => void) | void;
    const fill = () => {
      panel.replaceChildren();
      adoptStyles(panel, panelsScript!.css);
      onShow = panelsScript!.panels[name](panel, context, playback);
      onShow?.();
    };
    const show = () => {
      if (isFilled) return onShow?.();
      isFilled = true;
      if (panelsScript) return fill();
      panel.replaceChildren(create("p", { role: "status" }, texts.loading));
      loadPanels(base).then(fill, () => {
        isFilled = false;
        panel.replaceChildren(problem(texts.notLoaded, texts.retry, () => {
          panel.tabIndex = -1;
          panel.focus(); // the button is removed, and the player's keys need the focus inside
          show();
        }));
      });
    };
    panels.set(name, { tab, panel, show });
    tabs.append(tab);
    extras.append(panel);
  }

  /** Opens a panel. What it contains is loaded when it is seen. */
  function openWhenSeen(name: PanelName, isShownLater: boolean) {
    const { panel, show } = panels.get(name)!;
    toggle(name, isShownLater);
    const observer = new IntersectionObserver(([{ isIntersecting }]) => {
      if (!isIntersecting) return;
      observer.disconnect();
      show();
    });
    observer.observe(panel);
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
  function toggle(name: string, isShownLater = false) {
    const { panel: { hidden: isOpening } } = panels.get(name)!;
    for (const [each, { tab, panel, show }] of panels) {
      const isOpen = each === name && isOpening;
      panel.hidden = !isOpen;
      setAttribute(tab, "aria-expanded", String(isOpen));
      tab.part.toggle("current", isOpen);
      if (isOpen && !isShownLater) show();
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
