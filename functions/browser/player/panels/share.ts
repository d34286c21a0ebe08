/** The panel with addresses of the episode, from a time on if wanted, or of the show: link, embed code and file. */
import type { Context, Playback } from "../context.ts";
import { button, create, link, webUrl } from "../dom.ts";
import { fill } from "../../../text/languages/texts.ts";
import { toClock } from "../../../text/clock_times.ts";
import { escapeHtml, PLAYER_HEIGHT, playerFrame, SHOW_HEIGHT } from "../../../text/player_frame.ts";
import { playerQuery } from "../../../text/player_options.ts";
import { storedFile } from "../../../text/stored_file.ts";

/** Audio in the storage of a service like ours. */
const STORED = /^[^?#]*\/storage\/v1\/object\/public\//;
const THEMES = ["auto", "light", "dark"] as const;

export function fillShare(panel: HTMLElement, context: Context, playback: Playback) {
  const { base, texts, media: { podcast, episode } } = context, { title, embedUrl } = episode;
  const page = episode.listenUrl ?? embedUrl ?? location.href.split("#")[0], audioUrl = webUrl(episode.audioUrl);
  const checkbox = create("input", { type: "checkbox", change: update }), label = create("span");
  const startChoice = create("label", { part: "share-time" }, checkbox, label);
  const whatChoice = createChoice(texts.share, [texts.shareEpisode, texts.shareShow]);
  const themeChoice = createChoice(texts.theme, THEMES.map((theme) => texts[theme]));
  panel.append(create("div", { part: "share-choices" }, whatChoice, themeChoice, startChoice));
  const url = addField(texts.link, "share-link"), code = addField(texts.embed, "share-embed");
  panel.append(create(
    "div",
    { part: "share-actions" },
    audioUrl && link(downloadOf(audioUrl), texts.download, "download-link"),
    "share" in navigator && button("share-button", share, `${texts.share} …`), // a frame may lack the permission
  ));
  let seconds: number;
  return refresh;

  async function share() {
    try {
      await navigator.share({ title: whatChoice.selectedIndex ? podcast.title : title, url: url.input.value });
    } catch (error) {
      if ((error as Error).name !== "AbortError") url.copy();
    }
  }

  /** Opens in a window, because a frame may not save. Audio of other hosts plays there. */
  function downloadOf(url: string): string {
    return STORED.test(url) ? storedFile(url, `${podcast.title} - ${title}`).url : url;
  }

  function refresh() {
    seconds = Math.floor(playback.position());
    label.textContent = fill(texts.startAt, toClock(seconds));
    update();
  }

  function update() {
    const isShow = whatChoice.selectedIndex > 0, t = checkbox.checked && !isShow ? seconds : undefined;
    const theme = ([undefined, "light", "dark"] as const)[themeChoice.selectedIndex];
    startChoice.hidden = isShow;
    url.input.value = isShow ? podcast.listenUrl ?? podcast.link ?? page : page + (t ? `#t=${t}` : "");
    code.input.value = embedUrl ? frameOf(embedUrl) : elementOf();

    function frameOf(embedUrl: string) {
      const path = isShow ? `show/${encodeURIComponent(podcast.slug)}` : `ep/${episode.id}`;
      const name = isShow ? podcast.title : `${title} · ${podcast.title}`;
      const size = { width: "100%", height: isShow ? SHOW_HEIGHT : PLAYER_HEIGHT };
      return playerFrame(embedUrl.replace(/ep\/[^/]+$/, path) + playerQuery({ theme, t }), name, size);
    }

    function elementOf() {
      const what = isShow ? { podcast: podcast.slug } : { episode: episode.id };
      const attributes = Object.entries({ ...what, theme, start: t }).filter(([, value]) => value)
        .map(([name, value]) => ` ${name}="${escapeHtml(String(value))}"`);
      return `<script src="${escapeHtml(base)}/player/v1.js" async></script>` +
        `<castbase-player${attributes.join("")}></castbase-player>`;
    }
  }

  function createChoice(name: string, choices: string[]) {
    const options = choices.map((choice) => create("option", {}, choice));
    return create("select", { part: "share-choice", "aria-label": name, change: update }, ...options);
  }

  function addField(name: string, part: string) {
    const input = create("input", { part, readonly: true, dir: "ltr", focus: () => input.select() });
    const copyButton = button("copy-button", copy, texts.copy);
    copyButton.ariaLabel = `${texts.copy}: ${name}`;
    panel.append(create("div", { part: "field" }, create("label", {}, name, input), copyButton));
    return { input, copy };

    async function copy() {
      if (!await copyText(input)) return; // the text is selected
      copyButton.textContent = texts.copied;
      playback.announce(`${name}: ${texts.copied}`);
      setTimeout(() => copyButton.textContent = texts.copy, 3000);
    }
  }
}

/** Frames without the permission for the clipboard can copy a selection. */
async function copyText(input: HTMLInputElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(input.value);
    return true;
  } catch {
    input.select();
    return document.execCommand("copy");
  }
}
