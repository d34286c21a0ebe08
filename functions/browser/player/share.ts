/** Link and embed code of an episode, from a time on if wanted. */
import type { Context, Playback } from "./context.ts";
import { button, create } from "./dom.ts";
import { fill } from "../../text/languages/texts.ts";
import { toClock } from "../../text/clock_times.ts";

export function fillShare(
  panel: HTMLElement,
  { base, texts, media: { podcast, episode } }: Context,
  playback: Playback,
) {
  const { title, embedUrl } = episode, page = episode.listenUrl ?? embedUrl ?? location.href.split("#")[0];
  const checkbox = create("input", { type: "checkbox", change: update }), label = create("span");
  const url = addField(texts.link, "share-link"), code = addField(texts.embed, "share-embed");
  panel.prepend(create("label", { part: "share-time" }, checkbox, label));
  if ("share" in navigator) {
    // a frame may lack the permission
    panel.append(button("share-button", share, `${texts.share} …`));
  }
  let seconds: number;
  return refresh;

  async function share() {
    try {
      await navigator.share({ title, url: url.input.value });
    } catch (error) {
      if ((error as Error).name !== "AbortError") url.copy(); // a frame may lack the permission
    }
  }

  function refresh() {
    seconds = Math.floor(playback.position());
    label.textContent = fill(texts.startAt, toClock(seconds));
    update();
  }

  function update() {
    const hash = checkbox.checked ? `#t=${seconds}` : "";
    url.input.value = page + hash;
    code.input.value = embedUrl
      ? `<iframe src="${escape(embedUrl + hash)}" title="${escape(`${title} · ${podcast.title}`)}" width="100%" ` +
        `height="180" style="border:0" loading="lazy" allow="autoplay; clipboard-write; web-share" ` +
        `sandbox="allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox"></iframe>`
      : `<script src="${escape(base)}/player/v1.js" async></script><castbase-player episode="${escape(episode.id)}"` +
        `${hash && ` start="${seconds}"`}></castbase-player>`;
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

const escape = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

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
