/** A list of lines with times that follows the playback: chapters and transcripts. */
import type { Context, Playback } from "../context.ts";
import { button, create, link, setAttribute, setName, webUrl } from "../dom.ts";
import { icon } from "../icons.ts";
import { toClock } from "../../../text/clock_times.ts";
import { indexAt } from "../time.ts";
import { createTabStop } from "./focus.ts";

interface TimedLine {
  startTime: number;
  text: string;
  speaker?: string | null;
  url?: string;
}

export interface SyncedList {
  elements: HTMLElement[];
  show(): void;
  close(): void;
}

/**
 * Creates the list for a panel, which scrolls. Only one line is in the tab order; arrow keys move between lines. `show`
 * scrolls to the current line, and `close` ends it.
 */
export function createSyncedList(
  panel: HTMLElement,
  lines: TimedLine[],
  part: string,
  lang: string | null | undefined,
  { texts }: Context,
  playback: Playback,
): SyncedList {
  let current = -1, isFollowing = true;
  const buttons = lines.map(({ startTime, text, speaker }, i) =>
    create(
      "button",
      {
        type: "button",
        part,
        tabindex: -1,
        click: () => {
          follow(true);
          playback.playFrom(startTime);
        },
      },
      create("small", {}, toClock(startTime)),
      create(
        "span",
        { dir: "auto" },
        speaker !== lines[i - 1]?.speaker && speaker && create("b", { dir: "auto" }, speaker),
        text,
      ),
    )
  );
  const items = lines.map(({ text, url }, i) =>
    create(
      "li",
      {},
      buttons[i],
      webUrl(url) && setName(link(url, icon("open"), "chapter-link"), `${texts.link}: ${text}`),
    )
  );
  const list = create("ol", { role: "list", lang }, ...items);
  const setTabStop = createTabStop(list, buttons, () => follow(false));
  if (buttons.length) setTabStop(0);
  const followButton = button("follow-button", () => follow(true), texts.follow);
  followButton.hidden = true;
  for (const event of ["wheel", "touchmove", "pointerdown", "keydown"]) {
    panel.addEventListener(event, stopFollowing, { passive: true });
  }
  return { elements: [list, followButton], show, close: playback.onPosition(update) };

  /** The listener scrolls: also by the scrollbar, which is the panel itself, and by keys. */
  function stopFollowing({ type, target, key }: Event & { key?: string }) {
    if (type === "pointerdown" ? target === panel : !key || /Page/.test(key)) {
      follow(panel.scrollHeight <= panel.clientHeight);
    }
  }

  function follow(value: boolean) {
    isFollowing = value;
    followButton.hidden = value;
    show();
  }

  function show() {
    if (!isFollowing || !buttons[current]) return;
    panel.scrollTop = buttons[current].offsetTop - panel.clientHeight / 3;
  }

  function update(seconds: number) {
    const index = indexAt(lines, seconds);
    if (index === current) return;
    for (const each of [buttons[current], buttons[index]]) {
      if (!each) continue;
      setAttribute(each, "aria-current", each === buttons[index] && "true");
      each.part.toggle("current", each === buttons[index]);
    }
    current = index;
    if (!list.matches(":focus-within")) setTabStop(Math.max(index, 0));
    show();
  }
}
