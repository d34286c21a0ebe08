/** Every job of the worker. */
import type { Job } from "../job.ts";
import { collectStorage } from "./collect_storage.ts";
import { importItem } from "./import_item.ts";
import { readImportFeed } from "./read_import_feed.ts";
import { renderFeed } from "./render_feed.ts";
import { sanitizeShowNotes } from "./sanitize_show_notes.ts";
import { sendGuestInvitation } from "./send_guest_invitation.ts";
import { sendOwnershipCode } from "./send_ownership_code.ts";
import { sendPodcastInvitation } from "./send_podcast_invitation.ts";

export const jobs = [
  renderFeed,
  sanitizeShowNotes,
  collectStorage,
  sendGuestInvitation,
  sendPodcastInvitation,
  sendOwnershipCode,
  readImportFeed,
  importItem,
] as Job[];
