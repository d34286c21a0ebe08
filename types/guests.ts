/** Podcast guests, invitations and the guests' chat over the wire. */
import { z } from "zod";
import { atLeastOneOf, cursorParam, EmailStatus, Id, idParam, pageOf, successEnvelope, Timestamp } from "./envelope.ts";
import { ImageCopies } from "./public.ts";

const DisplayName = z.string().meta({ minLength: 1, maxLength: 200 }); // the database counts characters, JavaScript UTF-16 units
const LongText = z.string().nullable().meta({ maxLength: 2000 });
const GuestStatus = z.enum(["invited", "active", "declined", "removed"]);

/** What became of the last email; a later part of the life of the same email replaces an earlier one. */
const emailState = {
  emailStatus: EmailStatus.nullable().describe("null: no email yet"),
  emailDueAt: Timestamp.nullable().describe("When an email that waits is sent"),
};

/** A guest of a podcast. */
const Guest = z.strictObject({
  id: Id,
  displayName: z.string(),
  email: z.string().describe("Lower case, unique per podcast"),
  userId: Id.nullable().describe("Confirmed user with this email"),
  avatarUrl: z.url().nullable().describe("From the user's profile"),
});

/** GET /api/podcast-guests */
export const ListPodcastGuestsQuery = z.object({
  podcastId: idParam("podcast"),
  q: z.string().meta({ maxLength: 455 }).optional().describe(
    "Case-insensitive substring of display name or email",
  ),
  limit: z.string().regex(/^-?\d+(\.\d+)?$/, "must be a number")
    .transform((text) => Math.max(-1, Math.min(Number(text), 1e9))).optional() // JSON has no infinity
    .meta({ type: "number", pattern: undefined, default: 20 }).describe("Clamped to 1-50"),
});
export const ListPodcastGuestsResponse = successEnvelope(z.array(Guest.extend({
  episodeCount: z.int().describe("Number of episodes the guest was invited to"),
  createdAt: Timestamp,
})));

/** GET /api/podcast-guests/{id} */
export const PodcastGuestPathParams = z.object({ id: idParam("podcast guest") });
export const PodcastGuestResponse = successEnvelope(Guest.extend({
  notes: z.string().nullable().describe("null for members without the admin role"),
  bio: z.string().nullable().describe("null for members without the admin role"),
  privateNotesVisible: z.boolean().describe("Whether the caller can see notes and bio"),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  episodes: z.array(z.strictObject({
    episodeGuestId: Id,
    episodeId: Id,
    episodeTitle: z.string(),
    episodeSlug: z.string(),
    status: GuestStatus,
    invitedAt: Timestamp,
    lastAccessedAt: Timestamp.nullable(),
    ...emailState,
  })).describe("Newest invitation first"),
}));

/** PUT /api/podcast-guests/{id}: at least one field. Absent means unchanged, null means cleared. */
export const UpdatePodcastGuestRequest = atLeastOneOf(z.strictObject({
  displayName: DisplayName.optional(),
  notes: LongText.optional().describe("Requires the admin role"),
  bio: LongText.optional().describe("Requires the admin role"),
}));
export const UpdatePodcastGuestResponse = successEnvelope(
  Guest.omit({ avatarUrl: true }).extend({
    notes: z.string().nullable(),
    bio: z.string().nullable(),
    updatedAt: Timestamp,
  }),
);

/** POST /api/guests: a known email keeps its record and its name. */
export const InviteGuestRequest = z.strictObject({
  episodeId: Id,
  email: z.string().meta({ format: "email", maxLength: 254 }),
  displayName: DisplayName,
  message: LongText.optional().describe("Personal message included in the email"),
});

/** A guest of an episode. */
const Invitation = z.strictObject({
  episodeGuest: z.strictObject({
    id: Id,
    episodeId: Id,
    podcastGuestId: Id,
    status: GuestStatus,
    invitedAt: Timestamp.describe("When last invited"),
    lastAccessedAt: Timestamp.nullable().describe("When the token was last used, to the minute"),
  }),
  guest: Guest,
});
export const GuestInvitationResponse = successEnvelope(Invitation);

/** POST /api/guests. It does not tell whether the address has an account. */
export const SentGuestInvitationResponse = successEnvelope(z.strictObject({
  episodeGuest: Invitation.shape.episodeGuest.extend(emailState),
  guest: Guest.omit({ userId: true, avatarUrl: true }),
}));

/** DELETE /api/guests/{episodeGuestId} */
export const EpisodeGuestPathParams = z.object({ episodeGuestId: idParam("episode guest") });
export const RemoveEpisodeGuestResponse = SentGuestInvitationResponse.extend({
  warning: z.string().optional().describe("Names the credit that was kept"),
});

/** POST /api/guests/accept, …/decline, …/episode: the token of the email, in the body because URLs are logged. */
export const GuestTokenRequest = z.strictObject({ accessToken: z.string() });

/**
 * Public details of the invited episode, and what the holder of the token may know about the guest: the address that
 * the token was emailed to, and whether it has an account, so that a page can offer to create one.
 */
export const GuestEpisodeResponse = successEnvelope(Invitation.extend({
  episode: z.strictObject({
    id: Id,
    slug: z.string(),
    title: z.string(),
    description: z.string(),
    status: z.enum(["draft", "scheduled", "published", "archived"]),
    scheduledAt: Timestamp.nullable(),
    publishedAt: Timestamp.nullable().describe("null unless published"),
    audioUrl: z.url().nullable().describe("null unless published"),
    coverImageUrl: z.string().nullable(),
    coverCopies: ImageCopies,
  }),
  podcast: z.strictObject({
    id: Id,
    slug: z.string(),
    title: z.string(),
    language: z.string().describe("BCP 47"),
    coverImageUrl: z.string().nullable(),
    coverCopies: ImageCopies,
  }),
}));

/** A message as guests see it: without emails and ids of people. */
const GuestMessage = z.strictObject({
  id: Id,
  body: z.string().nullable().describe("null if deleted"),
  createdAt: Timestamp,
  deletedAt: Timestamp.nullable(),
  isMine: z.boolean(),
  sender: z.strictObject({
    type: z.enum(["member", "guest"]),
    name: z.string().nullable(),
    avatarUrl: z.url().nullable(),
  }),
});

/** POST /api/guests/messages/list */
export const ListGuestMessagesRequest = GuestTokenRequest.extend({
  cursor: cursorParam,
  limit: z.int().min(1).max(100).default(50).describe("Defaults to 50"),
});

/** POST /api/guests/messages */
export const PostGuestMessageRequest = GuestTokenRequest.extend({ body: z.string().describe("1 to 4000 characters") });

export const ListGuestMessagesResponse = pageOf(GuestMessage);
export const GuestMessageResponse = successEnvelope(GuestMessage);
