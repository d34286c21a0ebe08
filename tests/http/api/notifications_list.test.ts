// GET /api/notifications: a page of the caller's inbox, with filters that combine.
import assert from "node:assert/strict";
import { ListNotificationsResponse } from "../../../types/notifications.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { assertError, assertKeys } from "../harness.ts";
import { archived, BASE, minutesAgo, newInbox, notify, read } from "./notifications.ts";

const request = () => Promise.resolve({ path: BASE });
assertAccessMatrix(`GET ${BASE}`, request, { anon: 401 });

Deno.test("GET /api/notifications returns all fields of a notification", async () => {
  const { user, get } = await newInbox("fields");
  const empty = await get();
  assert.deepEqual([empty.status, empty.body], [200, {
    success: true,
    data: { notifications: [], cursor: null, hasMore: false },
  }]);
  const id = await notify(user, "Ada wrote", {
    type: "chat.mention",
    priority: "immediate",
    body: 'Hello "you" 😀',
    link: "/episodes/1",
    group_key: "episode:1:chat",
    scheduled_for: new Date("2026-01-01T00:00:00.5Z"),
    created_at: new Date("2026-01-01T00:00:00.25Z"),
  });
  const { status, body } = await get();
  assert.equal(status, 200);
  ListNotificationsResponse.parse(body);
  assertKeys(body, "success", "data");
  assertKeys(body.data, "notifications", "cursor", "hasMore");
  assert.deepEqual(body.data.notifications, [{
    id,
    type: "chat.mention",
    category: "collaboration",
    priority: "immediate",
    title: "Ada wrote",
    body: 'Hello "you" 😀',
    link: "/episodes/1",
    group_key: "episode:1:chat",
    scheduled_for: "2026-01-01T00:00:00.500Z",
    read_at: null,
    archived_at: null,
    created_at: "2026-01-01T00:00:00.250Z",
    metadata: {},
  }]);
});

Deno.test("GET /api/notifications returns 400 for unknown values of each parameter", async () => {
  const { get } = await newInbox("invalid");
  for (
    const [query, details] of [
      ["category=news", /^category: /],
      ["category=", /^category: /],
      ["category=team&category=team", /^category: /],
      ["priority=high", /^priority: /],
      ["archivedOnly=1", /^archivedOnly: must be true or false/],
      ["unreadOnly=", /^unreadOnly: must be true or false/],
      ...["0", "101", "-1", "2.5", "ten", "", "1e1"].map((limit) =>
        [`limit=${limit}`, /^limit: must be an integer from 1 to 100/] as const
      ),
    ] as const
  ) {
    assertError(await get(`?${query}`), 400, { details });
  }
  for (const cursor of ["x", "", "bm8gY3Vyc29y", "%00"]) assertError(await get(`?cursor=${cursor}`), 400);
});

Deno.test("GET /api/notifications passes filters, limit and cursor", async () => {
  const { user, get, titles } = await newInbox("filters");
  await notify(user, "unread", { category: "team", created_at: minutesAgo(1) });
  await notify(user, "urgent", { category: "team", priority: "immediate", created_at: minutesAgo(2) });
  await notify(user, "read", { ...read(), category: "team", priority: "immediate", created_at: minutesAgo(3) });
  await notify(user, "archived", { ...archived(), category: "team", created_at: minutesAgo(5) });
  for (
    const [query, expected] of [
      ["?unreadOnly=false&archivedOnly=false", ["unread", "urgent", "read"]],
      ["?category=team&priority=immediate&unreadOnly=true", ["urgent"]],
      ["?archivedOnly=true", ["archived"]],
      ["?category=booking", []],
    ] as const
  ) assert.deepEqual(await titles(query), expected, query);
  const { body: { data } } = await get("?limit=2");
  assert.deepEqual([data.notifications.length, data.hasMore], [2, true]);
  assert.deepEqual(await titles(`?limit=2&cursor=${data.cursor}`), ["read"]);
});
