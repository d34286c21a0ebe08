/** Rosters and credits over the wire (contract: Episode people resources, Episode people). The database decides on values. */
import { z } from "zod";
import { HttpUrl, Id, successEnvelope, Timestamp, visibleText } from "./envelope.ts";

/** Whom feeds know (`sql/50_people/10_episode_credits.sql`). */
export const CreditRoleLabel = z.enum(["Host", "Co-host", "Producer", "Guest", "Editor", "Composer"]);

const Name = visibleText(200);
const RoleLabel = visibleText(100);
const Url = HttpUrl.nullable().describe("http or https");

/** The paths: /api/episodes/{id}/people, and …/{personId}. */
export const EpisodePathParams = z.object({ id: Id });
export const PersonPathParams = z.object({ id: Id, personId: Id });

const Credit = z.strictObject({
  id: Id,
  name: z.string(),
  roleLabel: CreditRoleLabel,
  avatarUrl: Url,
  externalUrl: Url,
  displayOrder: z.int().min(0).describe("From 0, without gaps"),
}).meta({ id: "Credit" });

/** A roster entry. */
const RosterEntry = z.strictObject({
  id: Id,
  episodeId: Id,
  sourceType: z.enum(["team", "guest", "external"]),
  userId: Id.nullable().describe("Of a team entry"),
  guestId: Id.nullable().describe("Of a guest entry: the episode guest"),
  name: z.string(),
  roleLabel: z.string(),
  avatarUrl: Url,
  externalUrl: Url,
  isActive: z.boolean(),
  creditId: Id.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}).meta({ id: "RosterEntry" });

/** GET /api/episodes/{id}/people */
export const ListPeopleResponse = successEnvelope(z.strictObject({
  people: z.array(RosterEntry.extend({ credited: Credit.optional() })).describe("The credited first, in their order"),
  candidates: z.strictObject({
    teamCandidates: z.array(z.strictObject({
      userId: Id,
      name: z.string(),
      role: z.enum(["owner", "admin", "member"]),
      avatarUrl: Url,
    })).describe("Members who are not on the roster"),
    guestCandidates: z.array(z.strictObject({
      guestId: Id,
      name: z.string(),
      email: z.string(),
      status: z.enum(["invited", "active", "declined"]),
    })).describe("Guests of the episode who are not on the roster"),
  }),
}));

/** POST /api/episodes/{id}/people */
export const AddPersonRequest = z.strictObject({
  sourceType: RosterEntry.shape.sourceType,
  name: Name,
  userId: Id.nullish().describe("Required for team"),
  guestId: Id.nullish().describe("Required for guest"),
  roleLabel: RoleLabel.optional().describe(
    "For externals, and of the credits' set; others get theirs by what they are",
  ),
  avatarUrl: Url.optional(),
  externalUrl: Url.optional(),
});
export const AddPersonResponse = successEnvelope(RosterEntry).extend({
  alreadyExisted: z.literal(true).optional().describe("With 200: this user or guest was there already"),
  warning: z.string().optional().describe("On the roster, but not credited"),
});

/** PUT /api/episodes/{id}/people/{personId}: at least one. Absent is unchanged, null clears. */
export const UpdatePersonRequest = z.strictObject({
  name: Name.optional(),
  roleLabel: RoleLabel.optional().describe("Free on the roster"),
  avatarUrl: Url.optional(),
  externalUrl: Url.optional(),
  isActive: z.boolean().optional().describe("false ends the credit"),
});
export const UpdatePersonResponse = successEnvelope(RosterEntry);

/** DELETE /api/episodes/{id}/people/{personId} */
export const RemovePersonResponse = successEnvelope(z.strictObject({ id: Id, name: z.string() }));

/** PUT /api/episodes/{id}/people/{personId}/credit: what is absent is the roster entry's; a label that was chosen stays. */
export const SetCreditRequest = z.strictObject({
  name: Name.optional(),
  roleLabel: z.string().meta({ enum: CreditRoleLabel.options }).optional(),
  avatarUrl: Url.optional(),
  externalUrl: Url.optional(),
}).default({});
export const SetCreditResponse = successEnvelope(z.strictObject({ personId: Id, credit: Credit }));

/** DELETE /api/episodes/{id}/people/{personId}/credit */
export const RemoveCreditResponse = successEnvelope(z.strictObject({ personId: Id, name: z.string() }));

/** PUT /api/episodes/{id}/credits/reorder */
export const ReorderCreditsRequest = z.strictObject({
  creditIds: z.array(Id).describe("Every credit of the episode, once"),
});
export const ReorderCreditsResponse = successEnvelope(z.strictObject({ episodeId: Id, order: z.array(Id) }));
