/** The link that saves an episode's audio, in a file with the names of the show and the episode. */
import { html } from "hono/html";
import type { Html } from "../../app/html_page.ts";
import { storedFile } from "../../text/stored_file.ts";
import type { Episode, Page } from "./page.ts";

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

const megabytes = (bytes: number, language: string) =>
  Math.max(0.1, bytes / 1e6).toLocaleString(language, {
    style: "unit",
    unit: "megabyte",
    maximumFractionDigits: bytes < 10e6 ? 1 : 0,
  });
