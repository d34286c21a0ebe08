/** Sanitizes the show notes of a podcast's episodes that changed or were sanitized by an older allow-list. */
import { serviceSql } from "../database/db.ts";
import { SHOW_NOTES_VERSION } from "./version.ts";

interface StaleShowNotes {
  episode_id: string;
  source: string;
  is_html: boolean;
  digest: string;
}

interface SanitizeOptions {
  /** The caller renders the feed next: include only its episodes, and enqueue no other rendering. */
  forFeed: boolean;
  mayContinue: () => Promise<boolean> | boolean;
}

/**
 * Stores batches of a megabyte until none is left or `mayContinue` returns false. Returns whether all notes are
 * sanitized. Concurrent workers only repeat each other's work.
 */
export async function sanitizePodcastShowNotes(
  podcastId: string,
  { forFeed, mayContinue }: SanitizeOptions,
): Promise<boolean> {
  for (;;) {
    const stale = await serviceSql<StaleShowNotes[]>`
      select episode_id, source, is_html, digest
      from private.list_stale_show_notes(${podcastId}, ${SHOW_NOTES_VERSION}, ${forFeed})`;
    if (stale.length === 0) return true;
    // Loaded on demand: it takes 40 ms and 5 MB, which other jobs save
    const { textToHtml, sanitizeShowNotes } = await import("./sanitize.ts");
    const notes = stale.map(({ episode_id, source, is_html, digest }) => ({
      episode_id,
      html: is_html ? sanitizeShowNotes(source) : textToHtml(source),
      digest,
    }));
    const json = JSON.stringify(notes);
    if (forFeed) await serviceSql`select private.store_feed_show_notes(${SHOW_NOTES_VERSION}, ${json}::text::jsonb)`;
    else await serviceSql`select private.store_show_notes(${SHOW_NOTES_VERSION}, ${json}::text::jsonb)`;
    if (!await mayContinue()) return false;
  }
}
