/** Guest records, invitations and the guests' chat over the wire (contract: Podcast guest resource, Podcast guests; DESIGN.md, Guests). */
import { z } from "zod";
import { Id, pageOf, successEnvelope, Timestamp } from "./envelope.ts";

const DisplayName = z.string().meta({ minLength: 1, maxLength: 200 }); // the database counts characters, JavaScript halves of them
const LongText = z.string().nullable().meta({ maxLength: 2000 });
const GuestStatus = z.enum(["invited", "active", "declined", "removed"]);

/** Who a guest is. */
const Guest = z.strictObject({
  id: Id,
  displayName: z.string(),
  email: z.string().describe("In lower case; unique per podcast"),
  userId: Id.nullable().describe("The confirmed user of that address"),
  avatarUrl: z.url().nullable().describe("From that user's profile"),
});

/** GET /api/podcast-guests */
export const ListPodcastGuestsQuery = z.object({
  podcastId: Id,
  q: z.string().meta({ maxLength: 455 }).optional().describe(
    "Part of a display name or an e-mail address, in whatever case",
  ),
  limit: z.string().regex(/^-?\d+(\.\d+)?$/, "must be a number")
    .transform((text) => Math.max(-1, Math.min(Number(text), 1e9))).optional() // JSON has no infinity
    .meta({ type: "number", pattern: undefined, default: 20 }).describe("Clamped to 1-50"),
});
export const ListPodcastGuestsResponse = successEnvelope(z.array(Guest.extend({
  episodeCount: z.int().describe("Episodes of every invitation, whatever became of it"),
  createdAt: Timestamp,
})));

/** GET /api/podcast-guests/{id} */
export const PodcastGuestPathParams = z.object({ id: Id });
export const PodcastGuestResponse = successEnvelope(Guest.extend({
  notes: z.string().nullable().describe("null to plain members"),
  bio: z.string().nullable().describe("null to plain members"),
  privateNotesVisible: z.boolean().describe("Whether notes and bio are shown to the caller"),
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
  })).describe("Newest invitation first"),
}));

/** PUT /api/podcast-guests/{id}: at least one. Absent is unchanged, null clears. */
export const UpdatePodcastGuestRequest = z.strictObject({
  displayName: DisplayName.optional(),
  notes: LongText.optional().describe("For admins and the owner only"),
  bio: LongText.optional().describe("For admins and the owner only"),
});
export const UpdatePodcastGuestResponse = successEnvelope(
  Guest.omit({ avatarUrl: true }).extend({
    notes: z.string().nullable(),
    bio: z.string().nullable(),
    updatedAt: Timestamp,
  }),
);

/** POST /api/guests: a known address keeps its record, and the name in it. */
export const InviteGuestRequest = z.strictObject({
  episodeId: Id,
  email: z.string().meta({ format: "email", maxLength: 254 }),
  displayName: DisplayName,
  message: LongText.optional().describe("The host's words in the mail"),
});

/** A guest of an episode. */
const Invitation = z.strictObject({
  episodeGuest: z.strictObject({
    id: Id,
    episodeId: Id,
    podcastGuestId: Id,
    status: GuestStatus,
    invitedAt: Timestamp.describe("When they were invited last, after they had declined or were removed"),
    lastAccessedAt: Timestamp.nullable().describe("When their token was used last, to the minute"),
  }),
  guest: Guest,
});
export const InvitationResponse = successEnvelope(Invitation);

/** DELETE /api/guests/{episodeGuestId} */
export const EpisodeGuestPathParams = z.object({ episodeGuestId: Id });
export const RemoveEpisodeGuestResponse = InvitationResponse.extend({
  warning: z.string().optional().describe("Names the credit that stays"),
});

/** POST /api/guests/accept, …/decline, …/episode: the token that came with the mail. A body, for addresses are logged. */
export const GuestTokenRequest = z.strictObject({ accessToken: z.string() });

/** The public side of the episode that a token opens. */
export const GuestEpisodeResponse = successEnvelope(Invitation.extend({
  episode: z.strictObject({
    id: Id,
    slug: z.string(),
    title: z.string(),
    description: z.string(),
    status: z.enum(["draft", "scheduled", "published", "archived"]),
    scheduledAt: Timestamp.nullable(),
    publishedAt: Timestamp.nullable().describe("null unless it is published now"),
    audioUrl: z.url().nullable().describe("null unless it is published now"),
    coverImageUrl: z.string().nullable(),
  }),
  podcast: z.strictObject({ id: Id, slug: z.string(), title: z.string(), coverImageUrl: z.string().nullable() }),
}));

/** A message as a guest sees it: no addresses, no ids of people. */
const GuestMessage = z.strictObject({
  id: Id,
  body: z.string().nullable().describe("null once the sender has deleted it"),
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
  cursor: z.string().min(1).optional().describe("nextCursor of the page before"),
  limit: z.int().min(1).max(100).default(50).describe("50 when absent"),
});

/** POST /api/guests/messages */
export const PostGuestMessageRequest = GuestTokenRequest.extend({ body: z.string().describe("1 to 4000 characters") });

export const ListGuestMessagesResponse = pageOf(GuestMessage);
export const GuestMessageResponse = successEnvelope(GuestMessage);
