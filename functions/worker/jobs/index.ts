/** Every job of the worker. */
import type { Job } from "../job.ts";
import { checkRedirectJob } from "./check_redirect.ts";
import { collectGarbageJob } from "./collect_garbage.ts";
import { copyImageJob, copyLargeImageJob } from "./copy_image.ts";
import { deletePodcastJob } from "./delete_podcast.ts";
import { importFileJob } from "./import_file.ts";
import { importItemJob } from "./import_item.ts";
import { indexPodcastEpisodesJob } from "./index_podcast_episodes.ts";
import { probeAudioJob } from "./probe_audio.ts";
import { purgeCdnJob } from "./purge_cdn.ts";
import { readCalendarsJob } from "./read_calendars.ts";
import { readImportFeedJob } from "./read_import_feed.ts";
import { renderFeedJob } from "./render_feed.ts";
import { runAutomationJob } from "./run_automation.ts";
import { sanitizeShowNotesJob } from "./sanitize_show_notes.ts";
import { sendEmailConfirmationJob } from "./send_email_confirmation.ts";
import { sendEmailDeliveryJob } from "./send_email_delivery.ts";
import { sendFeedPingsJob } from "./send_feed_pings.ts";
import { sendOwnershipCodeJob } from "./send_ownership_code.ts";
import { sendPushDeliveryJob } from "./send_push_delivery.ts";
import { sendWebhookJob } from "./send_webhook.ts";
import { syncBillingJob } from "./sync_billing.ts";
import { syncCalendarJob } from "./sync_calendar.ts";

export const jobs = [
  renderFeedJob,
  purgeCdnJob,
  sendFeedPingsJob,
  sanitizeShowNotesJob,
  indexPodcastEpisodesJob,
  collectGarbageJob,
  probeAudioJob,
  copyImageJob,
  copyLargeImageJob,
  sendOwnershipCodeJob,
  readImportFeedJob,
  importItemJob,
  importFileJob,
  deletePodcastJob,
  checkRedirectJob,
  syncBillingJob,
  sendEmailDeliveryJob,
  sendEmailConfirmationJob,
  sendPushDeliveryJob,
  readCalendarsJob,
  syncCalendarJob,
  runAutomationJob,
  sendWebhookJob,
] as Job[];
