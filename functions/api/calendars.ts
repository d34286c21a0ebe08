/** /api/calendars: the caller's connected calendars. The rules are in sql/60_bookings. */
import { NoFields } from "../../types/envelope.ts";
import {
  AddCalendarUrlRequest,
  BeginConnectionRequest,
  BeginConnectionResponse,
  CalendarConnectionResponse,
  CallbackQuery,
  ConnectionPathParams,
  FinishConnectionRequest,
  ListCalendarsResponse,
  RemoveConnectionResponse,
  SelectCalendarsRequest,
  SelectCalendarsResponse,
} from "../../types/calendars.ts";
import { authenticatedRouter, publicRouter } from "../app/app.ts";
import { describeRoute } from "../app/describe_route.ts";
import { UNCACHEABLE } from "../runtime/api_error.ts";
import { operation } from "../app/operation.ts";
import { reply } from "../app/reply.ts";
import { valid } from "../app/validation.ts";
import type { StoredConnection } from "../calendars/accounts/connect_account.ts";
import { authorizationUrl, configuredProviders, requireClient } from "../calendars/accounts/oauth.ts";
import { getSetting } from "../database/db.ts";

/** The readers of providers take megabytes; most isolates connect no account. */
const loadAccounts = () => import("../calendars/accounts/connect_account.ts");

const accountRoutes = authenticatedRouter()
  .get(
    "/",
    describeRoute({
      operationId: "listCalendars",
      summary: "List the caller's connected calendars",
      response: ListCalendarsResponse,
      errors: [403],
    }),
    async (c) => {
      const { status, text } = await c.var.db.call("list_calendars", {});
      const providers = [...configuredProviders, "caldav", "ics"];
      return reply({ status, text: JSON.stringify({ ...JSON.parse(text), providers }) });
    },
  )
  .post(
    "/connections",
    describeRoute({
      operationId: "beginCalendarConnection",
      summary: "Get the page of Google or Microsoft on which the caller grants access to calendars",
      response: BeginConnectionResponse,
      errors: [403, 429, 500],
    }),
    valid("json", BeginConnectionRequest),
    async (c) => {
      const { provider } = c.req.valid("json");
      requireClient(provider); // before the call counts
      const { status, text } = await c.var.db.call("begin_calendar_connection", { provider });
      const { expiresAt, ...request } = JSON.parse(text);
      const authorizeUrl = authorizationUrl(provider, request);
      return reply({ status, text: JSON.stringify({ authorizeUrl, state: request.state, expiresAt }) });
    },
  )
  .post(
    "/connections/finish",
    describeRoute({
      operationId: "finishCalendarConnection",
      summary: "Finish the connection of an account: 201, or 200 if the account was connected before",
      response: CalendarConnectionResponse,
      status: [200, 201],
      errors: [403, 409, 422, 500],
    }),
    valid("json", FinishConnectionRequest),
    async (c) => {
      const { state, code } = c.req.valid("json");
      const { finishConnection } = await loadAccounts();
      return replyWithConnection(await finishConnection(c.var.userId, state, code));
    },
  )
  .delete(
    "/connections/:id",
    describeRoute({
      operationId: "removeCalendarConnection",
      summary: "Remove a connection with its calendars, and end its grant at Google",
      response: RemoveConnectionResponse,
      errors: [403, 404],
    }),
    valid("param", ConnectionPathParams),
    valid("json", NoFields),
    async (c) => {
      const { id: connectionId } = c.req.valid("param"), { withRevocation } = await loadAccounts();
      return reply(
        await withRevocation(
          c.var.userId,
          connectionId,
          () => c.var.db.call("remove_calendar_connection", { connectionId }),
        ),
      );
    },
  )
  .post(
    "/urls",
    describeRoute({
      operationId: "addCalendarUrl",
      summary: "Connect a calendar by its CalDAV or ICS URL: 201, or 200 if the URL was connected before",
      response: CalendarConnectionResponse,
      status: [200, 201],
      errors: [403, 409, 422, 429],
    }),
    valid("json", AddCalendarUrlRequest),
    async (c) => {
      const { addCalendarUrl } = await import("../calendars/accounts/connect_url.ts");
      return replyWithConnection(await addCalendarUrl(c.var.userId, c.req.valid("json")));
    },
  )
  .route(
    "/",
    operation("PUT", "/selection", "select_calendars", {
      summary: "Choose the calendars that block bookings, and the one that receives sessions",
      json: SelectCalendarsRequest,
      response: SelectCalendarsResponse,
      errors: [403, 404, 422],
    }),
  );

// The account's routes come last, because their router requires a login
export const calendars = publicRouter()
  .get(
    "/callback",
    describeRoute({
      operationId: "redirectCalendarCallback",
      summary: "Redirect a browser that comes from a provider to the front end, with state and code in the fragment",
      status: 302,
      errors: [400, 500, 503],
    }),
    valid("query", CallbackQuery),
    async (c) => {
      const { state, code, error } = c.req.valid("query");
      const result = new URLSearchParams({ ...state && { state }, ...code && { code }, ...error && { error } });
      const target = new URL(await getSetting("calendar_connected_url"));
      target.hash = result.toString(); // servers and their logs do not see a fragment
      return c.body(null, 302, {
        location: target.href,
        "cache-control": UNCACHEABLE,
        "referrer-policy": "no-referrer",
      });
    },
  )
  .route("/", accountRoutes);

const replyWithConnection = ({ isNew, connection }: StoredConnection) =>
  reply({ status: isNew ? 201 : 200, text: JSON.stringify({ connection }) });
