// GET /api/notifications: a page of the caller's inbox, with filters that combine.
import assert from "node:assert/strict";
import { ListNotificationsResponse } from "../../../types/notifications.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { assertError, assertKeys, sql } from "../harness.ts";
import { archived, BASE, minutesAgo, newInbox, notDue, notify, read } from "./notifications.ts";

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

Deno.test("GET /api/notifications filters by state, category and priority, and filters combine", async () => {
  const { user, titles } = await newInbox("filters"), other = await newInbox("others");
  await notify(user, "unread", { category: "team", created_at: minutesAgo(1) });
  await notify(user, "urgent", { category: "team", priority: "immediate", created_at: minutesAgo(2) });
  await notify(user, "read", { ...read(), category: "team", priority: "immediate", created_at: minutesAgo(3) });
  await notify(user, "booking", { category: "booking", priority: "low", created_at: minutesAgo(4) });
  await notify(user, "archived", { ...archived(), category: "team", created_at: minutesAgo(5) });
  await notify(user, "later", { ...notDue(), created_at: minutesAgo(6) });
  await notify(user, "archived later", { ...archived(), ...notDue(), created_at: minutesAgo(7) });
  await notify(other.user, "foreign");
  for (
    const [query, expected] of [
      ["", ["unread", "urgent", "read", "booking"]],
      ["?unreadOnly=true", ["unread", "urgent", "booking"]],
      ["?unreadOnly=false&archivedOnly=false", ["unread", "urgent", "read", "booking"]],
      ["?archivedOnly=true", ["archived", "archived later"]],
      ["?archivedOnly=true&unreadOnly=true", []],
      ["?category=team", ["unread", "urgent", "read"]],
      ["?category=episode", []],
      ["?priority=immediate", ["urgent", "read"]],
      ["?priority=low", ["booking"]],
      ["?category=team&priority=immediate&unreadOnly=true", ["urgent"]],
      ["?category=team&archivedOnly=true", ["archived"]],
      ["?category=collaboration&archivedOnly=true&priority=normal", ["archived later"]],
    ] as const
  ) {
    assert.deepEqual(await titles(query), expected, query);
  }
  assert.deepEqual(await other.titles(), ["foreign"]);
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

Deno.test("GET /api/notifications returns 25 rows by default and 1 to 100 with limit", async () => {
  const { user, get } = await newInbox("limits");
  await sql`
    insert into public.notifications (user_id, type, category, priority, title)
    select ${user.id}, 'chat.message', 'team', 'low', 'N' from generate_series(1, 101)`;
  const size = async (query: string) => (await get(query)).body.data.notifications.length;
  assert.deepEqual([await size(""), await size("?limit=1"), await size("?limit=100")], [25, 1, 100]);
});

Deno.test("the cursor of GET /api/notifications pages without gaps while notifications arrive", async () => {
  const { user, get } = await newInbox("pages");
  await sql`
    insert into public.notifications (user_id, type, category, priority, title, created_at)
    select ${user.id}, 'chat.message', 'team', 'low', n::text, date_trunc('minute', now()) - n / 3 * interval '1 hour'
    from generate_series(1, 10) n`;
  const expected = (await sql`
    select title from public.notifications where user_id = ${user.id} order by created_at desc, id desc`)
    .map(({ title }) => title);
  const seen: string[] = [];
  let cursor = "";
  do {
    const { status, body, text } = await get(`?limit=4&category=team${cursor && `&cursor=${cursor}`}`);
    assert.equal(status, 200, text);
    seen.push(...body.data.notifications.map(({ title }: { title: string }) => title));
    assert.equal(body.data.hasMore, body.data.cursor !== null);
    if (body.data.hasMore) assert.match(body.data.cursor, /^[\w-]+$/);
    cursor = body.data.cursor;
    await notify(user, "new", { category: "team" });
  } while (cursor);
  assert.deepEqual(seen, expected);
});
