/** The link that saves an episode's audio, in a file with the names of the show and the episode. */
import { html } from "hono/html";
import type { Html } from "../../app/html_page.ts";
import type { Episode, Page } from "./page.ts";

const MAX_NAME_CHARS = 120;

export function downloadLink({ podcast, settings, texts, language }: Page, episode: Episode): Html | undefined {
  const { audioUrl, audioFileSizeBytes: bytes } = episode;
  if (!audioUrl) return;
  const { media_url, former_media_urls } = settings;
  const isOwn = [media_url, ...former_media_urls.split(",")].some((base) => base && audioUrl.startsWith(`${base}/`));
  const file = isOwn ? storedFile(audioUrl, `${podcast.title} - ${episode.title}`) : undefined;
  return html`<p class="chips" lang="${language}"><a href="${file?.url ?? audioUrl}"${
    file ? html` download="${file.name}"` : html` rel="noopener"`
  }>${texts.download}${bytes && html` <span class="count"><bdi>${megabytes(bytes, language)}</bdi></span>`}</a></p>`;
}

/** Storage saves a file under the name in `download`; browsers obey the attribute only for files of the page's origin. */
function storedFile(audioUrl: string, title: string): { url: string; name: string } {
  const url = new URL(audioUrl), [extension = ""] = /\.\w+$/.exec(url.pathname) ?? [];
  const name = fileName(title) + extension;
  url.searchParams.set("download", name);
  return { url: url.href, name };
}

/** Without the characters that file systems refuse. */
export const fileName = (title: string): string =>
  [...title.replace(/[\p{C}\p{Z}\\/:*?"<>|]+/gu, " ").trim()].slice(0, MAX_NAME_CHARS).join("").replace(
    /^\.+|[\s.]+$/g,
    "",
  );

const megabytes = (bytes: number, language: string) =>
  Math.max(0.1, bytes / 1e6).toLocaleString(language, {
    style: "unit",
    unit: "megabyte",
    maximumFractionDigits: bytes < 10e6 ? 1 : 0,
  });
