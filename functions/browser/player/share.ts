/** Link and embed code of an episode, from a time on if wanted. */
import type { Context, Playback } from "./context.ts";
import { create } from "./dom.ts";
import { fill } from "./texts.ts";
import { toClock } from "./time.ts";

export function fillShare(
  panel: HTMLElement,
  { base, texts, media: { podcast, episode } }: Context,
  playback: Playback,
) {
  const page = episode.listenUrl ?? episode.embedUrl ?? location.href.split("#")[0];
  let seconds = 0;
  const checkbox = create("input", { type: "checkbox", part: "share-time", change: update });
  const label = create("span");
  const urlField = field(texts.link, "share-link"), codeField = field(texts.embed, "share-embed");
  const rows = [urlField, codeField].map(({ name, input }) => {
    const copy = async () => {
      await copyText(input);
      button.textContent = texts.copied;
      playback.announce(`${name}: ${texts.copied}`);
      setTimeout(() => button.textContent = texts.copy, 3000);
    };
    const button = create("button", { type: "button", part: "button copy-button", click: copy }, texts.copy);
    button.setAttribute("aria-label", `${texts.copy}: ${name}`);
    return create("div", { class: "field" }, create("label", {}, name, input), button);
  });
  panel.append(create("label", { class: "check" }, checkbox, label), ...rows);
  if (navigator.share) {
    const share = () => navigator.share({ title: episode.title, url: urlField.input.value }).catch(() => {});
    panel.append(create("button", { type: "button", part: "button share-via", click: share }, texts.shareVia));
  }
  refresh();
  return refresh;

  function refresh() {
    seconds = Math.floor(playback.position);
    label.textContent = fill(texts.startAt, toClock(seconds));
    update();
  }

  function update() {
    const hash = checkbox.checked && seconds ? `#t=${seconds}` : "";
    urlField.input.value = page + hash;
    codeField.input.value = episode.embedUrl
      ? `<iframe src="${escape(episode.embedUrl + hash)}" title="${escape(`${episode.title} · ${podcast.title}`)}" ` +
        `width="100%" height="180" style="border:0" loading="lazy" allow="autoplay; clipboard-write; web-share" ` +
        `sandbox="allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox"></iframe>`
      : `<script src="${base}/player/v1.js" async></script>\n<castbase-player episode="${escape(episode.id)}"${
        hash && ` start="${seconds}"`
      }></castbase-player>`;
  }
}

function field(name: string, part: string) {
  const select = () => input.select();
  const input = create("input", { type: "text", readonly: true, part, spellcheck: "false", dir: "ltr", focus: select });
  return { name, input };
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
