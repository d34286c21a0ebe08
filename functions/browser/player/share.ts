/** Link and embed code of an episode, from a time on if wanted. */
import type { Context, Playback } from "./context.ts";
import { button, create } from "./dom.ts";
import { fill } from "../../text/listening_texts.ts";
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
  if (navigator.share) {
    panel.append(
      button("share-button", () => navigator.share({ title, url: url.value }).catch(() => {}), `${texts.share} …`),
    );
  }
  let seconds: number;
  return refresh;

  function refresh() {
    seconds = Math.floor(playback.position());
    label.textContent = fill(texts.startAt, toClock(seconds));
    update();
  }

  function update() {
    const hash = checkbox.checked ? `#t=${seconds}` : "";
    url.value = page + hash;
    code.value = embedUrl
      ? `<iframe src="${escape(embedUrl + hash)}" title="${escape(`${title} · ${podcast.title}`)}" width="100%" ` +
        `height="180" style="border:0" loading="lazy" allow="autoplay; clipboard-write; web-share" ` +
        `sandbox="allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox"></iframe>`
      : `<script src="${escape(base)}/player/v1.js" async></script><castbase-player episode="${escape(episode.id)}"` +
        `${hash && ` start="${seconds}"`}></castbase-player>`;
  }

  function addField(name: string, part: string): HTMLInputElement {
    const input = create("input", { part, readonly: true, dir: "ltr", focus: () => input.select() });
    const copy = button("copy-button", async () => {
      await copyText(input);
      copy.textContent = texts.copied;
      playback.announce(`${name}: ${texts.copied}`);
      setTimeout(() => copy.textContent = texts.copy, 3000);
    }, texts.copy);
    copy.ariaLabel = `${texts.copy}: ${name}`;
    panel.append(create("div", { part: "field" }, create("label", {}, name, input), copy));
    return input;
  }
}

const escape = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** Frames without the permission for the clipboard can copy a selection. */
async function copyText(input: HTMLInputElement) {
  try {
    await navigator.clipboard.writeText(input.value);
  } catch {
    input.select();
    document.execCommand("copy");
  }
}
