/** Sanitizes the show notes of a podcast's episodes that changed or were sanitized by an older allow-list. */
import { service } from "../database/service.ts";
import { JobLostError, requireTime, type RunContext } from "../runtime/job_run.ts";
import { SHOW_NOTES_VERSION } from "./version.ts";

interface SanitizeOptions {
  /** The caller renders the feed next: include only its episodes, and enqueue no other rendering. */
  forFeed: boolean;
}

/** Stores batches of a megabyte until none is left. Concurrent workers only repeat each other's work. */
export async function sanitizePodcastShowNotes(
  podcastId: string,
  run: RunContext,
  { forFeed }: SanitizeOptions,
): Promise<void> {
  const version = SHOW_NOTES_VERSION;
  for (;;) {
    const stale = await service("list_stale_show_notes", { podcastId, version, publishedOnly: forFeed });
    if (stale.length === 0) return;
    // Loaded on demand: it takes 40 ms and 5 MB, which other jobs save
    const { textToHtml, sanitizeShowNotes } = await import("./sanitize.ts");
    const notes = stale.map(({ episode_id, source, is_html, digest }) => ({
      episode_id,
      html: is_html ? sanitizeShowNotes(source) : textToHtml(source),
      digest,
    }));
    await service(forFeed ? "store_feed_show_notes" : "store_show_notes", { version, notes });
    if (!await run.extend()) throw new JobLostError();
    requireTime(run);
  }
}
