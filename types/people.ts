/** Rosters and credits over the wire (contract: Episode people resources, Episode people). The database decides on values. */
import { z } from "zod";
import { enveloped, HttpUrl, Id, Timestamp, visibleText } from "./envelope.ts";

/** Whom feeds know (`sql/50_people/10_episode_credits.sql`). */
export const CreditRole = z.enum(["Host", "Co-host", "Producer", "Guest", "Editor", "Composer"]);

const Name = visibleText(200);
const RoleLabel = visibleText(100);
const Url = HttpUrl.nullable().describe("http or https");

/** The paths: /api/episodes/{id}/people, and …/{personId}. */
export const EpisodeId = z.object({ id: Id });
export const PersonId = z.object({ id: Id, personId: Id });

const Credit = z.strictObject({
  id: Id,
  name: z.string(),
  roleLabel: CreditRole,
  avatarUrl: Url,
  externalUrl: Url,
  displayOrder: z.int().min(0).describe("From 0, without gaps"),
}).meta({ id: "Credit" });

/** A roster entry. */
const Person = z.strictObject({
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
}).meta({ id: "Person" });

/** GET /api/episodes/{id}/people */
export const People = enveloped(z.strictObject({
  people: z.array(Person.extend({ credited: Credit.optional() })).describe("The credited first, in their order"),
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
export const NewPerson = z.strictObject({
  sourceType: Person.shape.sourceType,
  name: Name,
  userId: Id.nullish().describe("Required for team"),
  guestId: Id.nullish().describe("Required for guest"),
  roleLabel: RoleLabel.optional().describe(
    "For externals, and of the credits' set; others get theirs by what they are",
  ),
  avatarUrl: Url.optional(),
  externalUrl: Url.optional(),
});
export const PersonAdded = enveloped(Person).extend({
  alreadyExisted: z.literal(true).optional().describe("With 200: this user or guest was there already"),
  warning: z.string().optional().describe("On the roster, but not credited"),
});

/** PUT /api/episodes/{id}/people/{personId}: at least one. Absent is unchanged, null clears. */
export const PersonChanges = z.strictObject({
  name: Name.optional(),
  roleLabel: RoleLabel.optional().describe("Free on the roster"),
  avatarUrl: Url.optional(),
  externalUrl: Url.optional(),
  isActive: z.boolean().optional().describe("false ends the credit"),
});
export const PersonChanged = enveloped(Person);

/** DELETE /api/episodes/{id}/people/{personId} */
export const PersonRemoved = enveloped(z.strictObject({ id: Id, name: z.string() }));

/** PUT /api/episodes/{id}/people/{personId}/credit: what is absent is the roster entry's; a label that was chosen stays. */
export const CreditChanges = z.strictObject({
  name: Name.optional(),
  roleLabel: z.string().meta({ enum: CreditRole.options }).optional(),
  avatarUrl: Url.optional(),
  externalUrl: Url.optional(),
}).default({});
export const PersonCredited = enveloped(z.strictObject({ personId: Id, credit: Credit }));

/** DELETE /api/episodes/{id}/people/{personId}/credit */
export const PersonUncredited = enveloped(z.strictObject({ personId: Id, name: z.string() }));

/** PUT /api/episodes/{id}/credits/reorder */
export const NewOrder = z.strictObject({ creditIds: z.array(Id).describe("Every credit of the episode, once") });
export const Reordered = enveloped(z.strictObject({ episodeId: Id, order: z.array(Id) }));
