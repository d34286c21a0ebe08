/** Sanitizes the show notes of a podcast's episodes that changed, or that an older allow-list sanitized. */
import { serviceSql } from "../database/db.ts";
import { SHOW_NOTES_VERSION } from "./version.ts";

interface StaleShowNotes {
  episode_id: string;
  source: string;
  is_html: boolean;
  digest: string;
}

interface SanitizeOptions {
  /** The caller renders the feed next: of what it lists, without a message that asks for another rendering. */
  forFeed: boolean;
  mayContinue: () => Promise<boolean> | boolean;
}

/**
 * Works in batches of a megabyte, each stored at once, until nothing is left or `mayContinue` returns false; returns
 * whether everything was sanitized. Two workers at once only repeat each other's work.
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
    // Loading it takes 40 ms and 5 MB, which isolates that only move audio or send emails do without
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
