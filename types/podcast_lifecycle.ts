/** Pause and deletion of podcasts over the wire, in snake_case as the columns. */
import { z } from "zod";
import { idParam, successEnvelope, Timestamp } from "./envelope.ts";

/** The paths /api/podcast-lifecycle/{podcastId}. */
export const PodcastLifecyclePathParams = z.object({ podcastId: idParam("podcast") });

const RedirectStart = Timestamp.nullable()
  .describe("When the feed begins to redirect, or began; null without a redirect");

const RedirectCheck = z.strictObject({
  checked_at: Timestamp,
  code: z.string().nullable().describe("Why the check failed; null if it did not"),
  message: z.string().nullable(),
  is_same_podcast: z.boolean().nullable()
    .describe("Whether the feed has the podcast's podcast:guid; null if it has none or could not be read"),
  matching_episodes: z.int().nullable().describe("Public episodes whose GUID the feed has"),
  episodes: z.int().nullable().describe("Public episodes"),
}).meta({ id: "RedirectCheck", description: "What the last check of a redirect's target found" });

const PodcastLifecycle = z.strictObject({
  status: z.enum(["active", "paused", "pending_deletion"]),
  hosting_type: z.enum(["native", "external"]),
  paused_at: Timestamp.nullable(),
  pause_expires_at: Timestamp.nullable(),
  last_pause_ended_at: Timestamp.nullable(),
  can_pause: z.boolean().describe("The podcast is active, its owner has a paid plan, and the last pause is long ago"),
  is_paid_plan: z.boolean(),
  next_pause_available_at: Timestamp.nullable().describe("Null unless it is in the future"),
  deletion_requested_at: Timestamp.nullable(),
  deletion_redirect_url: z.string().nullable(),
  deletion_scheduled_at: Timestamp.nullable(),
  feed_redirect_url: z.string().nullable().describe("Where the feed redirects while the podcast stays"),
  redirect_starts_at: RedirectStart,
  redirect_check: RedirectCheck.nullable(),
}).meta({ id: "PodcastLifecycle" });
export const PodcastLifecycleResponse = successEnvelope(PodcastLifecycle);

export const PausePodcastResponse = successEnvelope(z.strictObject({
  status: z.literal("paused"),
  paused_at: Timestamp,
  pause_expires_at: Timestamp,
}));
export const UnpausePodcastResponse = successEnvelope(z.strictObject({ status: z.literal("active") }));

/** The database checks the URL, because its rules depend on settings. */
const RedirectUrl = z.string().nullable().meta({
  format: "uri",
  maxLength: 2048,
  description:
    "Where the feed redirects: http or https, without user name or password; of this service only the feed " +
    "of another podcast of the owner",
});

export const DeletePodcastRequest = z.strictObject({
  confirm_name: z.string().describe(
    "The podcast's title; letter case, white space, and the kind of quotes and dashes do not matter",
  ),
  redirect_url: RedirectUrl.default(null),
  redirect_days: z.number().meta({ type: "integer", minimum: 0, maximum: 90 }).default(90) // the database checks it
    .describe("Whole days until the podcast is deleted; 0 deletes it soon and without a redirect"),
});
export const DeletePodcastResponse = successEnvelope(z.union([
  z.strictObject({
    status: z.literal("pending_deletion"),
    deletion_requested_at: Timestamp,
    deletion_scheduled_at: Timestamp,
    deletion_redirect_url: z.string().nullable(),
    is_redirect_carried_over: z.literal(true).optional()
      .describe("deletion_redirect_url is the redirect that the feed had before"),
  }),
  z.strictObject({
    status: z.literal("deleted"),
    deletion_requested_at: Timestamp,
    deletion_scheduled_at: z.null(),
    deletion_redirect_url: z.null(),
    immediate: z.literal(true),
  }).describe("An external podcast"),
]));

export const UpdateDeletionRedirectRequest = z.strictObject({ redirect_url: RedirectUrl });
export const SetRedirectRequest = z.strictObject({ redirect_url: RedirectUrl });
export const UpdateDeletedPodcastRedirectResponse = successEnvelope(z.strictObject({
  deleted_at: Timestamp,
  correctable_until: Timestamp,
  redirect_url: z.string().nullable(),
  redirect_starts_at: RedirectStart,
  redirect_check: RedirectCheck.nullable(),
}));
