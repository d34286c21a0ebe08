// /api/notifications: the verbs of the inbox.
import assert from "node:assert/strict";
import { assertAccessMatrix } from "../access_matrix.ts";
import { assertError, sendRequest } from "../harness.ts";
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

Deno.test("POST /api/notifications/read-all marks due notifications, of one of four categories if given", async () => {
  const { user, post, state } = await newInbox("read-all");
  const team = await notify(user, "team", { category: "team" });
  const episode = await notify(user, "episode", { category: "episode" });
  const system = await notify(user, "system", { category: "system" });
  const later = await notify(user, "later", { ...notDue(), category: "team" });
  for (const category of ["booking", "collaboration"]) {
    assert.deepEqual((await post(`/read-all?category=${category}`)).body, { success: true, data: { markedCount: 0 } });
  }
  for (const category of ["team", "episode"]) {
    assert.deepEqual((await post(`/read-all?category=${category}`)).body.data, { markedCount: 1 });
  }
  assert.deepEqual(await Promise.all([team, episode, system].map(state)), ["read", "read", "unread"]);
  const { status, body } = await post("/read-all");
  assert.deepEqual([status, body], [200, { success: true, data: { markedCount: 1 } }]);
  assert.deepEqual(await Promise.all([system, later].map(state)), ["read", "unread"]);
  for (const category of ["system", "news", ""]) {
    assertError(await post(`/read-all?category=${category}`), 400, { details: /^category: / });
  }
  assertError(await post("/read-all", { category: "team" }), 400);
});

Deno.test("POST /api/notifications/read-all rejects a misspelt parameter, and ignores the platform's", async () => {
  const { user, post, state } = await newInbox("read-all-query");
  const unread = await notify(user, "unread", { category: "team" });
  assertError(await post("/read-all?categories=booking"), 400, { details: /categories/ });
  assert.equal(await state(unread), "unread");
  const regional = await post("/read-all?category=team&forceFunctionRegion=eu-central-1");
  assert.deepEqual([regional.status, regional.body.data], [200, { markedCount: 1 }]);
});

for (
  const [path, member, to] of [["read-group", "markedCount", "read"], ["archive-group", "archivedCount", "archived"]]
) {
  Deno.test(`POST /api/notifications/${path} changes due unread notifications of the group and link`, async () => {
    const { user, post, state } = await newInbox(path);
    const linked = await notify(user, "linked", { group_key: "g", link: "/a" });
    const unlinked = await notify(user, "unlinked", { group_key: "g" });
    const later = await notify(user, "later", { ...notDue(), group_key: "g", link: "/a" });
    const readOne = await notify(user, "read", { ...read(), group_key: "g", link: "/a" });
    const first = await post(`/${path}`, { groupKey: "g", link: "/a" });
    assert.deepEqual([first.status, first.body], [200, { success: true, data: { [member]: 1 } }]);
    assert.deepEqual(await Promise.all([linked, unlinked, later, readOne].map(state)), [
      to,
      "unread",
      "unread",
      "read",
    ]);
    assert.deepEqual((await post(`/${path}`, { groupKey: "g", link: null })).body.data, { [member]: 1 });
    assert.equal(await state(unlinked), to);
    const none = await post(`/${path}`, { groupKey: "ä".repeat(200), link: "/a" });
    assert.deepEqual([none.status, none.body], [200, { success: true, data: { [member]: 0 } }]);
  });

  Deno.test(`POST /api/notifications/${path} requires a groupKey of 1 to 200 characters and a link`, async () => {
    const { post } = await newInbox(`${path}-invalid`);
    for (
      const [json, details] of [
        [{ groupKey: "g" }, /^link: /],
        [{ groupKey: "g", link: 5 }, /^link: /],
        [{ link: null }, /^groupKey: /],
        [{ groupKey: null, link: null }, /^groupKey: /],
        [{ groupKey: "", link: null }, /^groupKey: /],
        [{ groupKey: "x".repeat(201), link: null }, /^groupKey: /],
        [{ groupKey: "g", link: null, category: "team" }, /category/],
        [undefined, /./],
      ] as const
    ) {
      assertError(await post(`/${path}`, json), 400, { details });
    }
    assert.equal((await post(`/${path}`, { groupKey: "😀".repeat(200), link: null })).status, 200);
  });
}

Deno.test("POST /api/notifications/unarchive-all restores archived notifications and keeps read_at", async () => {
  const { user, post, state } = await newInbox("unarchive-all");
  const one = await notify(user, "one", archived()), two = await notify(user, "two", { ...archived(), ...notDue() });
  const unread = await notify(user, "unread");
  const { status, body } = await post("/unarchive-all");
  assert.deepEqual([status, body], [200, { success: true, data: { restoredCount: 2 } }]);
  assert.deepEqual(await Promise.all([one, two, unread].map(state)), ["read", "read", "unread"]);
  assert.deepEqual((await post("/unarchive-all")).body.data, { restoredCount: 0 });
});

Deno.test("the verbs of a notification return success, and 404 where the state forbids them", async () => {
  const { user, post, delete: remove, state } = await newInbox("verbs");
  const states = { unread: {}, read: read(), archived: archived(), later: notDue() };
  const NO = undefined;
  for (
    const [verb, after] of Object.entries({
      read: { unread: "read", read: "read", archived: NO, later: NO },
      unread: { unread: NO, read: "unread", archived: NO, later: NO },
      archive: { unread: "archived", read: "archived", archived: "archived", later: "archived" },
      unarchive: { unread: NO, read: NO, archived: "read", later: NO },
      delete: { unread: "archived", read: "archived", archived: "archived", later: "archived" },
    })
  ) {
    for (const [name, columns] of Object.entries(states)) {
      const id = await notify(user, name, columns), before = await state(id);
      const response = verb === "delete" ? await remove(`/${id}`) : await post(`/${id}/${verb}`);
      const expected = after[name as keyof typeof after];
      if (expected) assert.deepEqual([response.status, response.body], [200, { success: true }], `${verb} ${name}`);
      else assertError(response, 404, { error: "Notification not found" });
      assert.equal(await state(id), expected ?? before, `${verb} ${name}`);
    }
  }
});

Deno.test("the verbs of a notification return 404 for others' and unknown ids, 400 for malformed ones", async () => {
  const { post, delete: remove } = await newInbox("verbs-mine"), other = await newInbox("verbs-others");
  const theirs = await notify(other.user, "theirs"), archivedOne = await notify(other.user, "archived", archived());
  for (const id of [theirs, archivedOne, crypto.randomUUID()]) {
    for (const verb of ["read", "unread", "archive", "unarchive"]) assertError(await post(`/${id}/${verb}`), 404);
    assertError(await remove(`/${id}`), 404);
  }
  assert.deepEqual(await Promise.all([theirs, archivedOne].map(other.state)), ["unread", "archived"]);
  for (const verb of ["read", "unread", "archive", "unarchive"]) {
    assertError(await post(`/nope/${verb}`), 400, { details: /^id: / });
    assertError(await post(`/${theirs}/${verb}`, { at: "2026-01-01" }), 400);
  }
  assertError(await remove("/nope"), 400, { details: /^id: / });
});

Deno.test("the verbs of many notifications change no rows of others", async () => {
  const mine = await newInbox("many-mine"), other = await newInbox("many-others");
  const grouped = { group_key: "g", link: "/a" };
  const ids = [await notify(other.user, "unread", grouped), await notify(other.user, "archived", archived())];
  for (const path of ["/read-all", "/unarchive-all"]) assert.equal((await mine.post(path)).status, 200);
  for (const path of ["/read-group", "/archive-group"]) {
    assert.equal((await mine.post(path, { groupKey: "g", link: "/a" })).status, 200);
  }
  assert.deepEqual(await Promise.all(ids.map(other.state)), ["unread", "archived"]);
  const { body } = await sendRequest({ method: "GET", path: `${BASE}/counts`, as: { token: other.user.token } });
  assert.deepEqual([body.data.unread, body.data.archived], [1, 1]);
});
