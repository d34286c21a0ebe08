/** The panel with a podcast's episodes, the newest first. The listener chooses one, which then plays. */
import { toClock } from "../../../text/clock_times.ts";
import type { Context, Show } from "../context.ts";
import { canShow, type Episode, getJson } from "../data.ts";
import { button, create, problem, setAttribute } from "../dom.ts";
import { createTabStop } from "./focus.ts";

/** The list is made once, and moves to the player of each episode that is chosen. */
export function fillEpisodes(panel: HTMLElement, context: Context) {
  const show = context.show!, list = show.list ??= createEpisodeList(context, show);
  panel.append(list.element);
  list.mark(context.media.episode.id);
}

function createEpisodeList({ base, texts, language, media: { podcast, ...media } }: Context, show: Show) {
  const items = create("ol", { role: "list", lang: podcast.language }), foot = create("div", { part: "list-end" });
  const element = create("div", {}, items, foot), buttons: HTMLButtonElement[] = [], ids: string[] = [];
  const setTabStop = createTabStop(items, buttons);
  let current = "", top = 0;
  load();
  return {
    element,
    mark(id: string) {
      current = id;
      for (const [i, button] of buttons.entries()) markItem(button, ids[i]);
    },
    /** Where the list was, and its focus; in a small player the list is hidden, and the play button gets the focus. */
    restore() {
      element.parentElement!.scrollTop = top;
      const button = buttons[ids.indexOf(current)];
      button.focus({ preventScroll: true });
      if (!button.matches(":focus")) {
        (element.getRootNode() as ShadowRoot).querySelector<HTMLElement>(".play-button")!.focus();
      }
    },
  };

  /** Loads the next episodes. The list and the audio stay as they are. */
  async function load(cursor?: string, isMore = false) {
    foot.replaceChildren(create("p", { role: "status" }, texts.loading));
    if (isMore) focusOn(foot);
    try {
      const query = cursor ? `?${new URLSearchParams({ cursor })}` : "";
      const url = `${base}/v1/podcasts/${encodeURIComponent(podcast.slug)}/episodes${query}`;
      const { data, pagination: { nextCursor } } = await getJson(url, show.signal);
      const start = buttons.length, hadFocus = foot.matches(":focus");
      for (const episode of data as Episode[]) add(episode);
      if (!start && buttons.length) setTabStop(Math.max(0, ids.indexOf(current)));
      foot.replaceChildren(
        ...nextCursor ? [button("more-episodes", () => load(nextCursor, true), texts.moreEpisodes)] : [],
      );
      if (hadFocus) buttons[start]?.focus();
    } catch {
      if (show.signal.aborted) return;
      foot.replaceChildren(problem(texts.notLoaded, texts.retry, () => load(cursor, true)));
    }
  }

  function add(episode: Episode) {
    if (ids.includes(episode.id)) return; // published between two pages
    const { id, title, publishedAt, durationSeconds } = episode;
    const facts = [
      publishedAt && new Date(publishedAt).toLocaleDateString(language, { dateStyle: "medium", timeZone: "UTC" }),
      durationSeconds && toClock(durationSeconds),
    ];
    const item = create(
      "button",
      { type: "button", part: "episode", tabindex: -1, click: () => choose(episode) },
      create("span", { dir: "auto" }, title),
      create("small", { lang: language }, facts.filter(Boolean).join(" · ")),
    );
    ids.push(id);
    buttons.push(item);
    items.append(create("li", {}, item));
    markItem(item, id);
  }

  function markItem(item: HTMLElement, id: string) {
    setAttribute(item, "aria-current", id === current && "true");
    item.part.toggle("current", id === current);
  }

  function choose(episode: Episode) {
    top = element.parentElement!.scrollTop;
    setTabStop(ids.indexOf(episode.id));
    const own = <T extends string | null | undefined>(url: T) => canShow(media, url) ? url : null;
    show.choose({
      ...episode,
      coverImageUrl: own(episode.coverImageUrl),
      credits: episode.credits?.map((credit) => ({ ...credit, avatarUrl: own(credit.avatarUrl) })),
    });
  }
}

/** The button is removed, and the player's keys need the focus inside. */
function focusOn(place: HTMLElement) {
  place.tabIndex = -1;
  place.focus();
}
