/** A list that has to be loaded. */
import { create, problem } from "../dom.ts";
import type { PlayerTexts } from "../player_texts.ts";
import type { SyncedList } from "./synced_list.ts";

/**
 * Fills a place in a panel with a list. After a failure the listener can try again. `load` returns nothing if the list
 * is no longer wanted.
 */
export function fillList(place: HTMLElement, texts: PlayerTexts, load: () => Promise<SyncedList | undefined>) {
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
