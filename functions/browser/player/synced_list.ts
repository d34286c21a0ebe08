/** A list of lines with times that follows the playback: chapters and transcripts. */
import type { Context, Playback } from "./context.ts";
import { create, link, setAttribute, webUrl } from "./dom.ts";
import { icon } from "./icons.ts";
import { fill } from "./texts.ts";
import { toClock } from "./time.ts";

interface TimedLine {
  startTime: number;
  text: string;
  speaker?: string;
  url?: string;
}

const prefersReducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Fills a box in a panel, which scrolls. Only one line is in the tab order; arrow keys move between lines. */
export function fillSyncedList(
  box: HTMLElement,
  panel: HTMLElement,
  lines: TimedLine[],
  { part, language }: { part: string; language?: string | null },
  { texts }: Context,
  playback: Playback,
) {
  let current = -1, isFollowing = true;
  const buttons: HTMLButtonElement[] = [];
  const items = lines.map(({ startTime, text, speaker, url }, i) => {
    const isSameSpeaker = speaker === lines[i - 1]?.speaker, target = webUrl(url);
    const button = create(
      "button",
      { type: "button", part, tabindex: i ? -1 : 0, click: () => (follow(true), playback.playFrom(startTime)) },
      create("time", {}, toClock(startTime)),
      create("span", { dir: "auto" }, speaker && !isSameSpeaker && create("b", {}, speaker), text),
    );
    buttons.push(button);
    const label = fill(texts.openLink, text);
    return create("li", {}, button, target && link(target, { "aria-label": label, title: label }, icon("open")));
  });
  const list = create(
    "ol",
    { class: "lines", role: "list", lang: language, keydown: moveFocus as EventListener },
    ...items,
  );
  const followButton = create(
    "button",
    { type: "button", class: "follow", part: "follow", hidden: true, click: () => follow(true) },
    texts.follow,
  );
  box.replaceChildren(list, followButton);
  for (const event of ["wheel", "touchmove"]) panel.addEventListener(event, () => follow(false), { passive: true });
  playback.onPosition(update);

  function moveFocus(event: KeyboardEvent) {
    const from = buttons.indexOf(event.target as HTMLButtonElement);
    const to = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (from < 0 || to === undefined || !buttons[to]) return;
    event.preventDefault();
    event.stopPropagation();
    follow(false);
    setTabStop(to);
    buttons[to].focus();
  }

  function setTabStop(index: number) {
    for (const button of buttons) if (button.tabIndex === 0) button.tabIndex = -1;
    if (buttons[index]) buttons[index].tabIndex = 0;
  }

  function follow(value: boolean) {
    isFollowing = value;
    followButton.hidden = value;
    if (value) scrollToCurrent();
  }

  function scrollToCurrent() {
    const top = (buttons[Math.max(current, 0)]?.offsetTop ?? 0) - panel.clientHeight / 3;
    panel.scrollTo({ top, behavior: prefersReducedMotion() ? "auto" : "smooth" });
  }

  function update(seconds: number) {
    const index = lines.findLastIndex(({ startTime }) => startTime <= seconds + 0.05);
    if (index === current) return;
    for (const i of [current, index]) {
      if (!buttons[i]) continue;
      setAttribute(buttons[i], "aria-current", i === index && "true");
      buttons[i].part.toggle("current", i === index);
    }
    current = index;
    if (!list.matches(":focus-within")) setTabStop(Math.max(index, 0));
    if (isFollowing) scrollToCurrent();
  }

  /** For a panel that was hidden meanwhile. */
  return () => isFollowing && scrollToCurrent();
}
