// /api/notifications: the verbs of the inbox.
import assert from "node:assert/strict";
import { assertAccessMatrix } from "../access_matrix.ts";
import { assertError, sql } from "../harness.ts";
import { archived, BASE, newInbox, notDue, notify, read } from "./notifications.ts";

const group = { groupKey: "episode:1:chat", link: null };
const anywhere = crypto.randomUUID();
const routes: [route: string, path: string, json?: unknown][] = [
  ["GET unread-count", "/unread-count"],
  ["GET counts", "/counts"],
  ["POST read-all", "/read-all"],
  ["POST read-group", "/read-group", group],
  ["POST archive-group", "/archive-group", group],
  ["POST unarchive-all", "/unarchive-all"],
  ...["read", "unread", "archive", "unarchive"].map((verb): [string, string] => [
    `POST :id/${verb}`,
    `/${anywhere}/${verb}`,
  ]),
  ["DELETE :id", `/${anywhere}`],
];
for (const [route, path, json] of routes) {
  const request = () => Promise.resolve({ path: BASE + path, json });
  const name = route.replace(" ", ` ${BASE}/`);
  assertAccessMatrix(name, request, { anon: 401 });
}

Deno.test("GET /api/notifications/unread-count and /counts count the caller's notifications", async () => {
  const { user, get } = await newInbox("counts");
  const noneOf = { episode: 0, collaboration: 0, team: 0, booking: 0, system: 0 };
  assert.deepEqual((await get("/unread-count")).body, { success: true, data: { unreadCount: 0 } });
  assert.deepEqual((await get("/counts")).body, {
    success: true,
    data: { inbox: 0, unread: 0, archived: 0, needsAttention: 0, byCategory: noneOf },
  });
  await notify(user, "unread", { category: "team", priority: "immediate" });
  await notify(user, "read", { ...read(), category: "booking" });
  await notify(user, "archived", { ...archived(), category: "team" });
  await notify(user, "later", { ...notDue(), category: "system", priority: "immediate" });
  const { status, body } = await get("/counts");
  assert.deepEqual([status, body], [200, {
    success: true,
    data: { inbox: 2, unread: 1, archived: 1, needsAttention: 2, byCategory: { ...noneOf, team: 1, booking: 1 } },
  }]);
  assert.deepEqual((await get("/unread-count")).body, { success: true, data: { unreadCount: 1 } });
});

Deno.test("POST /api/notifications/read-all takes an optional category, and ignores the platform's parameters", async () => {
  const { user, post, state } = await newInbox("read-all");
  const team = await notify(user, "team", { category: "team" }), system = await notify(user, "system");
  for (
    const [query, details] of [
      ...["system", "news", ""].map((category) => [`category=${category}`, /^category: /] as const),
      ["categories=team", /categories/],
    ] as const
  ) assertError(await post(`/read-all?${query}`), 400, { details });
  assertError(await post("/read-all", { category: "team" }), 400);
  const regional = await post("/read-all?category=team&forceFunctionRegion=eu-central-1");
  assert.deepEqual([regional.status, regional.body], [200, { success: true, data: { markedCount: 1 } }]);
  assert.deepEqual(await Promise.all([team, system].map(state)), ["read", "unread"]);
  assert.deepEqual((await post("/read-all")).body.data, { markedCount: 1 });
});

Deno.test("POST /api/notifications/read-group and …/archive-group take a group with its link or null", async () => {
  for (
    const [path, member, to] of [["read-group", "markedCount", "read"], ["archive-group", "archivedCount", "archived"]]
  ) {
    const { user, post, state } = await newInbox(path);
    const linked = await notify(user, "linked", { group_key: "g", link: "/a" });
    const unlinked = await notify(user, "unlinked", { group_key: "g" });
    const first = await post(`/${path}`, { groupKey: "g", link: "/a" });
    assert.deepEqual([first.status, first.body], [200, { success: true, data: { [member]: 1 } }]);
    assert.deepEqual(await Promise.all([linked, unlinked].map(state)), [to, "unread"]);
    assert.deepEqual((await post(`/${path}`, { groupKey: "g", link: null })).body.data, { [member]: 1 });
    for (
      const [json, details] of [
        [{ groupKey: "g" }, /^link: /],
        [{ groupKey: "g", link: 5 }, /^link: /],
        [{ link: null }, /^groupKey: /],
        [{ groupKey: "", link: null }, /^groupKey: /],
        [{ groupKey: "x".repeat(201), link: null }, /^groupKey: /],
      ] as const
    ) assertError(await post(`/${path}`, json), 400, { details });
    assert.equal((await post(`/${path}`, { groupKey: "😀".repeat(200), link: null })).status, 200);
  }
});

Deno.test("verbs of many notifications repeat their call, in a transaction each, and return the sum", async () => {
  const { user, post } = await newInbox("many"), group = { groupKey: "g", link: null };
  const setMaximum = (value: string | null) =>
    sql`update private.settings set value = ${value} where key = 'max_notifications_per_call'`;
  await setMaximum("3");
  try {
    for (
      const [path, member, json, columns] of [
        ["/read-all?category=team", "markedCount", undefined, { category: "team" }],
        ["/read-group", "markedCount", group, { group_key: "g" }],
        ["/archive-group", "archivedCount", group, { group_key: "g" }],
        ["/unarchive-all", "restoredCount", undefined, archived()],
      ] as const
    ) {
      await sql`delete from public.notifications where user_id = ${user.id}`;
      await Promise.all(Array.from({ length: 7 }, () => notify(user, "N", columns)));
      const { status, body } = await post(path, json);
      assert.deepEqual([status, body], [200, { success: true, data: { [member]: 7 } }], path);
      const times = await sql`
        select count(*)::int as n from public.notifications where user_id = ${user.id}
        group by updated_at order by updated_at`;
      assert.deepEqual(times.map(({ n }) => n), [3, 3, 1], path);
    }
  } finally {
    await setMaximum(null);
  }
});

Deno.test("POST /api/notifications/unarchive-all returns how many it restored", async () => {
  const { user, post, state } = await newInbox("unarchive-all"), one = await notify(user, "one", archived());
  const { status, body } = await post("/unarchive-all");
  assert.deepEqual([status, body, await state(one)], [200, { success: true, data: { restoredCount: 1 } }, "read"]);
});

Deno.test("the verbs of a notification return success, 404 for an unknown id and 400 for a malformed one", async () => {
  const { user, post, delete: remove, state } = await newInbox("verbs"), id = await notify(user, "N");
  const verbs = { read: "read", unread: "unread", archive: "archived", unarchive: "read", delete: "archived" };
  for (const [verb, after] of Object.entries(verbs)) {
    const send = (id: string, json?: object) => verb === "delete" ? remove(`/${id}`) : post(`/${id}/${verb}`, json);
    const { status, body } = await send(id);
    assert.deepEqual([status, body, await state(id)], [200, { success: true }, after], verb);
    assertError(await send(crypto.randomUUID()), 404, { error: "Notification not found" });
    assertError(await send("nope"), 400, { details: /^id: / });
    if (verb !== "delete") assertError(await send(id, { at: "2026-01-01" }), 400);
  }
});
