/** Sanitizes the show notes of a podcast's episodes that changed, or that an older allow-list sanitized. */
import { service } from "../database/db.ts";
import { SHOW_NOTES_VERSION } from "./version.ts";

interface Stale {
  episode_id: string;
  source: string;
  is_html: boolean;
  digest: string;
}

interface Manner {
  /** The caller renders the feed next: of what it lists, without a message that asks for another rendering. */
  forFeed: boolean;
  mayContinue: () => Promise<boolean> | boolean;
}

/**
 * Works in batches of a megabyte, each stored at once, until nothing is left or `mayContinue` returns false; returns
 * whether everything was sanitized. Two workers at once only repeat each other's work.
 */
export async function sanitizePodcast(
  podcastId: string,
  { forFeed, mayContinue }: Manner,
): Promise<boolean> {
  for (;;) {
    const stale = await service<Stale[]>`
      select episode_id, source, is_html, digest
      from private.list_stale_show_notes(${podcastId}, ${SHOW_NOTES_VERSION}, ${forFeed})`;
    if (stale.length === 0) return true;
    // Loading it takes 40 ms and 5 MB, which isolates that only move audio or send emails do without
    const { paragraphs, sanitizeShowNotes } = await import("./sanitize.ts");
    const notes = stale.map(({ episode_id, source, is_html, digest }) => ({
      episode_id,
      html: is_html ? sanitizeShowNotes(source) : paragraphs(source),
      digest,
    }));
    await service`select private.store_show_notes(${SHOW_NOTES_VERSION}, ${
      JSON.stringify(notes)
    }::text::jsonb, ${forFeed})`;
    if (!await mayContinue()) return false;
  }
}
