// Every route that takes JSON rejects unknown fields, and every route without fields rejects any field.
import assert from "node:assert/strict";
import { z } from "zod";
import { NoFields } from "../../types/envelope.ts";
import { routes } from "./declared_routes.ts";
import { assertError, callRpc, person, sendRequest, sql } from "./harness.ts";

const id = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"; // of nothing
const audio = { podcastId: id, episodeId: id, contentType: "audio/mpeg", filename: "a.mp3", fileSize: 9 };
const token = { accessToken: "none" };

/** A body that each route accepts. */
const bodies: Record<string, object> = {
  "POST /api/media/audio/presigned-url": audio,
  "POST /api/media/audio/direct-upload": audio,
  "POST /api/media/audio/direct-upload/complete": { uploadId: id },
  "POST /api/media/transcript/presigned-url": { ...audio, contentType: "text/vtt" },
  "POST /api/media/presigned-url": { podcastId: id, imageType: "cover", contentType: "image/png", filename: "a.png" },
  "POST /api/media/import-artwork": { url: "https://host.test/a.png", podcastId: id },
  "POST /api/media/move-artwork": { sourcePath: "none", podcastId: id, imageType: "cover" },
  "POST /api/episodes/{id}/people": { sourceType: "external", name: "Zoe" },
  "PUT /api/episodes/{id}/people/{personId}": { name: "Zoe" },
  "PUT /api/episodes/{id}/people/{personId}/credit": {},
  "PUT /api/episodes/{id}/credits/reorder": { creditIds: [] },
  "PUT /api/podcast-guests/{id}": { displayName: "Gil" },
  "POST /api/guests": { episodeId: id, email: "gil@people.test", displayName: "Gil" },
  "POST /api/guests/accept": token,
  "POST /api/guests/decline": token,
  "POST /api/guests/episode": token,
  "POST /api/guests/messages/list": token,
  "POST /api/guests/messages": { ...token, body: "Hello" },
  "POST /api/notifications/events/chat": { episodeId: id, messageId: id },
  "POST /api/notifications/guest-read": { ...token, episodeId: id },
  "POST /api/billing/checkout": { planCode: "none" },
  "POST /api/booking-links": { podcast_id: id, name: "Talk", timezone: "UTC" },
  "PUT /api/booking-links/{id}": { name: "Talk" },
  "POST /api/bookings": {
    bookingLinkId: id,
    startTime: "2026-01-01T00:00:00Z",
    guestName: "Gil",
    guestEmail: "g@people.test",
  },
  "POST /api/bookings/guest": token,
  "POST /api/bookings/guest/verify": token,
  "POST /api/bookings/guest/cancel": token,
  "POST /api/bookings/guest/reschedule": { ...token, startTime: "2030-01-01T00:00:00Z" },
  "POST /api/bookings/{id}/confirm": {},
  "POST /api/bookings/{id}/decline": {},
  "POST /api/bookings/{id}/cancel": {},
  "POST /api/bookings/{id}/reschedule": { startTime: "2030-01-01T00:00:00Z" },
  "PUT /api/bookings/{id}/location": { location: null },
  "POST /api/calendars/connections": { provider: "google" },
  "POST /api/calendars/connections/finish": { state: "none", code: "none" },
  "POST /api/calendars/urls": { provider: "ics", url: "https://127.0.0.1/a.ics" },
  "PUT /api/calendars/selection": { selectedIds: [] },
  "POST /api/automations/templates": { podcast_id: id, name: "Thanks", subject: "Hi", body_text: "Hi" },
  "PUT /api/automations/templates/{id}": { name: "Thanks" },
  "POST /api/automations/templates/preview": { subject: "Hi", sample_data: { guest_first_name: "Gil" } },
  "POST /api/automations/rules": {
    podcast_id: id,
    name: "Thanks",
    trigger_type: "booking.confirmed",
    actions: [{ action_type: "send_webhook", action_config: { url: "https://host.test/" } }],
  },
  "PUT /api/automations/rules/{id}": { name: "Thanks" },
  "POST /api/automations/rules/{id}/toggle": {},
  "POST /api/automations/rules/{id}/dry-run": {},
  "POST /api/automations/rules/{id}/retry-failed": {},
  "POST /api/automations/executions/{id}/retry": {},
  "POST /api/automations/actions/{id}/test": {},
  "POST /api/automations/actions/{id}/rotate-secret": { secret: "none" },
  "POST /api/automations/addresses": { podcast_id: id, email: "g@people.test" },
  "POST /api/automations/addresses/confirm": token,
  "POST /api/imports/podcast": { podcast_id: id, feed_url: "https://host.test/feed.xml" },
  "POST /api/imports/{id}/verify-ownership": { code: "123456" },
  "POST /api/imports/{id}/confirm": {},
  "POST /api/podcast-lifecycle/{podcastId}/delete": { confirm_name: "None" },
  "PUT /api/podcast-lifecycle/{podcastId}/feed-redirect": { redirect_url: null },
  "PUT /api/podcast-lifecycle/{podcastId}/deleted-redirect": { redirect_url: null },
  "PUT /api/podcast-lifecycle/{podcastId}/deletion-redirect": { redirect_url: null },
  "POST /api/notifications/read-group": { groupKey: "none", link: null },
  "POST /api/notifications/archive-group": { groupKey: "none", link: null },
  "POST /api/notifications/email-status/confirm": { code: "123456" },
  "POST /api/notifications/push/click": { deliveryId: id, notificationId: id },
  "POST /api/notifications/mutes": { scope: "podcast", podcastId: id },
  "POST /api/notifications/push-subscriptions": {
    subscription: {
      endpoint: "https://host.test/push",
      keys: { p256dh: "A".repeat(87), auth: "A".repeat(22) },
    },
  },
  "POST /worker": { queue: "none" },
};

/** A query that a route requires. */
const queries: Record<string, string> = {
  "DELETE /api/notifications/push-subscriptions": "?endpoint=https://host.test/push",
};

const caller = await person("strict-bodies");
await callRpc(caller, "create_podcast", { title: "Keeps the account" }); // DELETE /api/account is 409

const [{ secret }] =
  await sql`select decrypted_secret as secret from vault.decrypted_secrets where name = 'worker_secret'`;

for (const { method, path, json } of routes) {
  if (!json) continue;
  const route = `${method} ${path}`;
  const send = (body: string) =>
    sendRequest({
      method,
      path: path.replace("{imageType}", "cover").replaceAll(/\{\w+\}/g, id) + (queries[route] ?? ""),
      as: path === "/worker" ? { token: secret } : caller,
      body,
      headers: { "content-type": "application/json" },
    });

  Deno.test(`${route} returns 400 for an unknown field and names it`, async () => {
    const body = json === NoFields ? {} : bodies[route];
    assert.ok(body, "this test has a body for every route");
    const response = await send(JSON.stringify(body));
    // the body was accepted
    const isAccepted = response.status < 300 || [401, 403, 404, 409].includes(response.status) ||
      [
        "BLOCKED_URL",
        "CALENDAR_UNREADABLE",
        "EXPIRED",
        "INVALID_AUTHORIZATION",
        "INVALID_PLAN",
        "MISSING_SETTING",
        "INVALID_URL",
      ]
        .includes(response.body.code);
    assert.ok(isAccepted, `${response.status}: ${response.text}`);
    for (const name of ["surprise", "__proto__", "constructor"]) {
      const unknown = JSON.stringify({ ...body, x: 0 }).replace('"x"', `"${name}"`);
      assertError(await send(unknown), 400, { error: "Invalid request", details: `Unrecognized key: "${name}"` });
    }
  });
}

Deno.test("every object in a request schema is strict, at every depth", () => {
  const loose: string[] = [];
  for (const { method, path, json } of routes) {
    if (!json) continue;
    const schemas: [place: string, schema: unknown][] = [[`${method} ${path}`, z.toJSONSchema(json, { io: "input" })]];
    for (const [place, schema] of schemas) {
      if (typeof schema !== "object" || schema === null) continue;
      const { type, additionalProperties } = schema as Record<string, unknown>;
      if (type === "object" && additionalProperties === undefined) loose.push(place);
      for (const [name, part] of Object.entries(schema)) schemas.push([`${place} ${name}`, part]);
    }
  }
  assert.deepEqual(loose, []);
});

Deno.test("a route without fields accepts no body or an empty object, and rejects invalid JSON", async () => {
  const cancel = (body?: BodyInit, type?: string) =>
    sendRequest({
      method: "POST",
      path: `/api/imports/${id}/cancel`,
      as: "owner",
      body,
      headers: type ? { "content-type": type } : {},
    });
  assertError(await cancel(), 404);
  assertError(await cancel("{}", "application/json; charset=utf-8"), 404);
  assertError(await cancel("[]", "application/json"), 400);
  assertError(await cancel("{}", "text/plain"), 400, { error: "Content-Type must be application/json" });
});

Deno.test("an error of a missing body, and of a missing, malformed or short value says what is required", async () => {
  const notify = (json?: object) => sendRequest({ method: "POST", path: "/api/notifications/events/chat", json });
  const chat = { messageId: "none", accessToken: "short" };
  for (
    const [json, details] of [
      [undefined, "A JSON body is required"],
      [chat, "episodeId: is required"],
      [{ ...chat, episodeId: "abc" }, "episodeId: must be a UUID"],
      [{ ...chat, episodeId: id }, "accessToken: must have at least 10 characters"],
    ] as const
  ) assertError(await notify(json), 400, { details });
});

Deno.test("a route ignores unknown query parameters, also those that Postgres cannot store", async () => {
  assertError(
    await sendRequest({
      method: "GET",
      path: `/api/podcast-guests?podcastId=${id}&forceFunctionRegion=any&other=%00`,
      as: "owner",
    }),
    404,
  );
  assertError(await sendRequest({ method: "GET", path: "/public/v1/podcasts/none/episodes?utm_source=x" }), 404);
});
