/** Connected calendars over the wire. */
import { z } from "zod";
import { Id, idParam, requiring, successEnvelope, Timestamp } from "./envelope.ts";

const ConnectedCalendar = z.strictObject({
  id: Id,
  name: z.string(),
  isPrimary: z.boolean(),
  isWritable: z.boolean(),
  isSelected: z.boolean().describe("Its busy times block bookings"),
  receivesEvents: z.boolean().describe("Sessions are written into it; at most one calendar of a user"),
  lastError: z.string().nullable().describe("Why its busy times are out of date"),
  eventsError: z.string().nullable().describe("Why sessions cannot be written into it, until it is chosen again"),
  warnings: z.array(z.strictObject({
    text: z.string(),
    count: z.int().describe("How many events it concerns"),
  })).describe("What the last reading had to leave out or guess"),
  fetchedAt: Timestamp.nullable().describe("When its busy times were last read"),
});

const CalendarConnection = z.strictObject({
  id: Id,
  provider: z.enum(["google", "microsoft", "caldav", "ics"]),
  accountName: z.string().describe("The address of the account, or the host of the URL"),
  status: z.enum(["pending", "active", "failing", "revoked"]).describe(
    "While a new calendar is pending, at most two minutes, its user offers no slots. A revoked one must be connected again",
  ),
  lastError: z.string().nullable().describe("Why the connection is not active"),
  createdAt: Timestamp,
  calendars: z.array(ConnectedCalendar),
}).meta({ id: "CalendarConnection" });

const connections = z.array(CalendarConnection);

/** GET /api/calendars */
export const ListCalendarsResponse = successEnvelope(z.strictObject({
  connections,
  providers: z.array(z.enum(["google", "microsoft", "caldav", "ics"])).describe("What can be connected"),
}));

/** POST /api/calendars/connections */
export const BeginConnectionRequest = z.strictObject({ provider: z.enum(["google", "microsoft"]) });
export const BeginConnectionResponse = successEnvelope(z.strictObject({
  authorizeUrl: z.url().describe("The provider's page on which the user grants access; open it in the browser"),
  state: z.string().describe("The provider returns it; finish the connection only with this state"),
  expiresAt: Timestamp,
}));

/** POST /api/calendars/connections/finish: state and code of the fragment of calendar_connected_url. */
export const FinishConnectionRequest = z.strictObject({
  state: z.string().min(1).max(200),
  code: z.string().min(1).max(4096),
});
export const CalendarConnectionResponse = successEnvelope(z.strictObject({ connection: CalendarConnection }));

/** DELETE /api/calendars/connections/{id} */
export const ConnectionPathParams = z.object({ id: idParam("calendar connection") });
export const RemoveConnectionResponse = successEnvelope(z.strictObject({ id: Id }));

/** POST /api/calendars/urls */
export const AddCalendarUrlRequest = z.strictObject({
  provider: z.enum(["caldav", "ics"]),
  url: z.string().min(1).max(2048).meta({ format: "uri" }).describe(
    "https or webcal. It may have a login, as in https://name:password@host/, which is stored apart",
  ),
  username: z.string().min(1).max(255).optional(),
  password: z.string().min(1).max(1024).optional().describe(
    "CalDAV requires both, ICS may have both or a username alone. They count before those in the URL",
  ),
}).meta({
  if: { properties: { provider: { const: "caldav" } } },
  then: {
    anyOf: [requiring("username", "password"), { properties: { url: { pattern: "^\\w+://[^/?#]+:[^/?#]*@" } } }],
  },
  else: { dependentRequired: { password: ["username"] } },
});

/** PUT /api/calendars/selection */
export const SelectCalendarsRequest = z.strictObject({
  selectedIds: z.array(Id).max(1000).describe("Exactly these calendars block bookings"),
  receivingId: Id.nullable().default(null).describe("The calendar that receives sessions; null for none"),
});
export const SelectCalendarsResponse = successEnvelope(z.strictObject({ connections }));

/** GET /api/calendars/callback: of a provider's redirect, which may have further parameters. */
export const CallbackQuery = z.object({
  state: z.string().max(200).optional().describe("As the connection began"),
  code: z.string().max(4096).optional().describe("For …/connections/finish"),
  error: z.string().max(200).optional().describe("Why the provider granted no access"),
});
