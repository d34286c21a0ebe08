/** Rosters and credits over the wire. The database checks values. */
import { z } from "zod";
import {
  atLeastOneOf,
  HttpUrl,
  Id,
  idParam,
  requiredWith,
  successEnvelope,
  Timestamp,
  visibleText,
} from "./envelope.ts";

/** Roles of the feed (`sql/50_people/tables/10_episode_credits.sql`). */
export const CreditRoleLabel = z.enum(["Host", "Co-host", "Producer", "Guest", "Editor", "Composer"]);

const Name = visibleText(200);
const RoleLabel = visibleText(100);
const Url = HttpUrl.nullable().describe("http or https");

/** The paths /api/episodes/{id}/people and …/{personId}. */
export const EpisodePathParams = z.object({ id: idParam("episode") });
export const PersonPathParams = EpisodePathParams.extend({ personId: idParam("person on the roster") });

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
  userId: Id.nullable().describe("Only for team entries"),
  guestId: Id.nullable().describe("Only for guest entries: the id of the episode guest"),
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
  people: z.array(RosterEntry.extend({ credited: Credit.optional() })).describe(
    "Credited people first, in display order",
  ),
  candidates: z.strictObject({
    teamCandidates: z.array(z.strictObject({
      userId: Id,
      name: z.string(),
      role: z.enum(["owner", "admin", "member"]),
      avatarUrl: Url,
    })).describe("Members not on the roster"),
    guestCandidates: z.array(z.strictObject({
      guestId: Id,
      name: z.string(),
      email: z.string(),
      status: z.enum(["invited", "active", "declined"]),
    })).describe("Guests of the episode not on the roster"),
  }),
}));

/** POST /api/episodes/{id}/people */
export const AddPersonRequest = z.strictObject({
  sourceType: RosterEntry.shape.sourceType,
  name: Name,
  userId: Id.nullish().describe("Required for team"),
  guestId: Id.nullish().describe("Required for guest"),
  roleLabel: RoleLabel.optional().describe(
    "External entries only; must be a credit role label",
  ),
  avatarUrl: Url.optional(),
  externalUrl: Url.optional(),
}).meta({ ...requiredWith("sourceType", ["team"], "userId"), else: requiredWith("sourceType", ["guest"], "guestId") });
export const AddPersonResponse = successEnvelope(RosterEntry).extend({
  alreadyExisted: z.literal(true).optional().describe("Returned with 200 when the person already exists"),
  warning: z.string().optional().describe("Credit creation failed"),
});

/** PUT /api/episodes/{id}/people/{personId}: at least one field. Absent means unchanged, null means cleared. */
export const UpdatePersonRequest = atLeastOneOf(z.strictObject({
  name: Name.optional(),
  roleLabel: RoleLabel.optional().describe("Any text"),
  avatarUrl: Url.optional(),
  externalUrl: Url.optional(),
  isActive: z.boolean().optional().describe("false removes the credit"),
}));
export const UpdatePersonResponse = successEnvelope(RosterEntry);

/** DELETE /api/episodes/{id}/people/{personId} */
export const RemovePersonResponse = successEnvelope(z.strictObject({ id: Id, name: z.string() }));

/** PUT /api/episodes/{id}/people/{personId}/credit: absent fields come from the roster entry; a chosen label is kept. */
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
  creditIds: z.array(Id).describe("All credits of the episode, without duplicates"),
});
export const ReorderCreditsResponse = successEnvelope(z.strictObject({ episodeId: Id, order: z.array(Id) }));
