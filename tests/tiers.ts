// Which test files the commands run: test:quick, npm test and test:faults.
import { repository } from "../local/host/project.ts";
import { join } from "node:path";

/** The first command that runs a file. `npm test` runs those of test:quick too. */
export type Tier = "quick" | "full" | "faults";

/**
 * Tests that kill processes at random, depend on timing, move hundreds of megabytes, repeat others or need programs that
 * few have: only in test:faults.
 */
export const FAULT_TESTS = [
  "tests/browser/other_engines.test.ts",
  "tests/faults/automations_killed.test.ts",
  "tests/faults/billing_killed.test.ts",
  "tests/faults/bookings_killed.test.ts",
  "tests/faults/caldav_servers.test.ts",
  "tests/faults/caldav_costs.test.ts",
  "tests/faults/calendar_costs.test.ts",
  "tests/faults/client_generators.test.ts",
  "tests/faults/cut_calendars.test.ts",
  "tests/faults/hostile_calendars.test.ts",
  "tests/faults/import.test.ts",
  "tests/faults/import_large.test.ts",
  "tests/faults/killed_backends.test.ts",
  "tests/faults/killed_functions.test.ts",
  "tests/faults/lost_backends.test.ts",
  "tests/faults/media_killed.test.ts",
  "tests/faults/media_large.test.ts",
  "tests/faults/notifications_killed.test.ts",
  "tests/faults/notification_histories.test.ts",
  "tests/faults/notification_plans.test.ts",
  "tests/faults/older_platform.test.ts",
  "tests/faults/pgbouncer.test.ts",
  "tests/faults/podcast_deletions.test.ts",
  "tests/faults/prometheus.test.ts",
  "tests/faults/slow_calendars.test.ts",
  "tests/worker/shutdown_timeout.test.ts",
  "tests/local/pg_prove.test.ts",
  "tests/release/rehearsal.test.ts",
  "tests/local/storage/large.test.ts",
];

/** Folders that test:quick leaves out. Their files need seconds: stacks of their own, Chromium, many megabytes. */
export const FULL_FOLDERS = [
  "tests/billing",
  "tests/browser",
  "tests/calendars",
  "tests/faults",
  "tests/feed_pings",
  "tests/front_end",
  "tests/http/tables",
  "tests/leaks",
  "tests/local",
  "tests/parity",
  "tests/races",
  "tests/release",
  "tests/round_trip",
  "tests/scripts",
  "tests/worker",
];

/**
 * Beginnings of further files that test:quick leaves out: random and hostile input, media, imports, providers, details
 * of a route beyond its success, errors and access. http/openapi.test.ts and http/strict_bodies.test.ts call their
 * routes in test:quick.
 */
export const FULL_FILES = [
  "tests/automations/post_webhook",
  "tests/database/available_slots",
  "tests/database/empty_result",
  "tests/database/statement_limits",
  "tests/database/pool",
  "tests/database/public_reads",
  "tests/database/quiet_hours",
  "tests/docs/readme",
  "tests/docs/state_machines",
  "tests/episode_numbers/corpus",
  "tests/episode_numbers/long_titles",
  "tests/feed_reader/accounting",
  "tests/feed_reader/bounds",
  "tests/feed_reader/fuzz",
  "tests/feed_reader/long_feed",
  "tests/feed_report/accepted_values",
  "tests/feed_writer/credits",
  "tests/feed_writer/feed_pages",
  "tests/feed_writer/findings",
  "tests/feed_writer/lost_connection",
  "tests/feed_writer/random",
  "tests/feed_writer/render_feed",
  "tests/feed_writer/show_notes",
  "tests/feed_writer/worker",
  "tests/feed_writer/xml",
  "tests/http/api/artwork_",
  "tests/http/api/audio_probe",
  "tests/http/api/audio_replacement",
  "tests/http/api/audio_upload_round_trips",
  "tests/http/api/automation_emails",
  "tests/http/api/availability_calendars",
  "tests/http/api/billing",
  "tests/http/api/calendar_connections",
  "tests/http/api/chapter_",
  "tests/http/api/chat_",
  "tests/http/api/direct_upload",
  "tests/http/api/guest_invitation_email",
  "tests/http/api/image_",
  "tests/http/api/imports_",
  "tests/http/api/locked_rows",
  "tests/http/api/lost_connection",
  "tests/http/api/notification_emails",
  "tests/http/api/stalled_bodies",
  "tests/http/cdn_purge",
  "tests/http/feed_pings",
  "tests/http/hostile_",
  "tests/http/mentioned_recipients",
  "tests/http/public/cache_headers",
  "tests/http/public/imported_conformance",
  "tests/http/public/page_contents",
  "tests/http/public/podcast_moves",
  "tests/http/public/podcast_states",
  "tests/http/public/show_notes",
  "tests/http/public/stale_copies",
  "tests/http/sign_up_takeover",
  "tests/imports/episode_artwork",
  "tests/mail/calendar_order",
  "tests/media/audio_probe/hostile_files",
  "tests/media/image_header",
  "tests/media/transcripts/sloppy_files",
  "tests/media/transcripts/srt",
  "tests/media/transcripts/vtt",
  "tests/text/blank_text_database",
  "tests/text/plain_text_database",
  "tests/text/uri_database",
];

/** They mostly wait, or take longest. They start first, so that the others fill the cores meanwhile. */
export const LONG_TESTS = [
  "tests/worker/import_resume.test.ts",
  "tests/worker/import_item.test.ts",
  "tests/worker/import_files.test.ts",
  "tests/http/hostile_headers.test.ts",
  "tests/leaks/leaks.test.ts",
  "tests/feed_writer/render_feed.test.ts",
  "tests/feed_reader/bounds.test.ts",
  "tests/feed_reader/accounting.test.ts",
  "tests/worker/long_files.test.ts",
  "tests/database/quiet_hours.test.ts",
  "tests/database/available_slots.test.ts",
  "tests/http/api/image_download.test.ts",
  "tests/http/api/calendar_connections.test.ts",
  "tests/http/public/feeds.test.ts",
  "tests/front_end/app.test.ts",
];

const isRace = (file: string) => file.startsWith("tests/races/");
const hasSamples = (file: string) =>
  file.endsWith(".test.ts") && Deno.readTextFileSync(join(repository, file)).includes('/scale.ts"');

/** The tier of a test file, by its path from the repository's root. A race with samples needs luck to meet. */
export function tierOf(file: string): Tier {
  if (FAULT_TESTS.includes(file) || isRace(file) && hasSamples(file)) return "faults";
  const isFull = FULL_FOLDERS.some((folder) => file.startsWith(`${folder}/`)) ||
    FULL_FILES.some((beginning) => file.startsWith(beginning));
  return isFull ? "full" : "quick";
}

/** Whether a command runs a file. */
export function isIn(command: Tier, file: string): boolean {
  const tier = tierOf(file);
  if (command === "faults") return tier === "faults" || isRace(file) || hasSamples(file); // the samples at full length
  return tier === "quick" || tier === command;
}

export const isTest = (file: string) => /\.test\.(?:ts|sql)$/.test(file);

/** Whether a path is one of these files, or below one of these folders. */
export const isBelow = (file: string, paths: string[]) =>
  paths.some((path) => path === "" || file === path || file.startsWith(`${path}/`));

/** The same files, the longest first. */
export function longestFirst(files: string[]): string[] {
  const rank = (file: string) => (LONG_TESTS.indexOf(file) + 1) || Infinity;
  return files.map((file) => ({ file, at: rank(file) })).sort((a, b) => a.at === b.at ? 0 : a.at - b.at)
    .map(({ file }) => file);
}
