// /api/calendars without providers: access, the callback, and calendars by URL. calendar_connections.test.ts has the rest.
import assert from "node:assert/strict";
import { LOGIN, startCaldavPeer } from "../../calendars/caldav/caldav_peer.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { fetchDocumented } from "../documented_responses.ts";
import { assertError, newPerson, sendRequest, sql, stackInfo } from "../harness.ts";
import { allow, redirect, source } from "./artwork.ts";

const id = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"; // of nothing
const requests = {
  "GET /api/calendars": { path: "/api/calendars" },
  "POST /api/calendars/connections": { path: "/api/calendars/connections", json: { provider: "google" } },
  "POST /api/calendars/connections/finish": {
    path: "/api/calendars/connections/finish",
    json: { state: "none", code: "none" },
  },
  "DELETE /api/calendars/connections/:id": { path: `/api/calendars/connections/${id}` },
  "POST /api/calendars/urls": { path: "/api/calendars/urls", json: { provider: "ics", url: "https://127.0.0.1/" } },
  "PUT /api/calendars/selection": { path: "/api/calendars/selection", json: { selectedIds: [] } },
};
for (const [route, request] of Object.entries(requests)) {
  assertAccessMatrix(route, () => Promise.resolve(request), {
    anon: 401,
    ...route === "POST /api/calendars/connections" && { anonymous: 500 }, // for everyone while no provider is set
  });
}

Deno.test("POST /api/calendars/connections returns 500 that names the variable of a provider that is not set", async () => {
  for (const [provider, name] of [["google", "Google"], ["microsoft", "Microsoft"]]) {
    const response = await sendRequest({
      method: "POST",
      path: "/api/calendars/connections",
      as: await newPerson("unset"),
      json: { provider },
    });
    assertError(response, 500, {
      error: `${provider.toUpperCase()}_CLIENT_ID is not set; ${name} calendars cannot be connected`,
      code: "MISSING_SETTING",
    });
  }
  const { body } = await sendRequest({ method: "GET", path: "/api/calendars", as: await newPerson("unset") });
  assert.deepEqual(body, { success: true, data: { connections: [], providers: ["caldav", "ics"] } });
});

Deno.test("GET /api/calendars/callback redirects to the front end with state, code and error in the fragment", async () => {
  const callback = async (query: string) => {
    const response = await fetchDocumented(`${stackInfo.functionsUrl}/api/calendars/callback${query}`, {
      redirect: "manual",
    });
    await response.body?.cancel();
    return response;
  };
  const page = `${stackInfo.url}/calendars/connected`;
  for (
    const [query, fragment] of [
      ["?state=abc&code=4%2F0x&scope=a+b&authuser=0", "#state=abc&code=4%2F0x"],
      ["?error=access_denied&error_description=No&state=abc", "#state=abc&error=access_denied"],
      [
        "?state=abc&code=https%3A%2F%2Fevil.test%2F%23a%26code%3Db",
        "#state=abc&code=https%3A%2F%2Fevil.test%2F%23a%26code%3Db",
      ],
      ["?code=%0D%0ASet-Cookie%3A%20a", "#code=%0D%0ASet-Cookie%3A+a"],
      ["", ""],
    ]
  ) {
    const { status, headers } = await callback(query);
    assert.deepEqual([status, headers.get("location")], [302, page + fragment]);
    assert.deepEqual([headers.get("cache-control"), headers.get("referrer-policy")], [
      "private, no-store",
      "no-referrer",
    ]);
    assert.equal(headers.get("set-cookie"), null);
  }
  assert.equal((await callback(`?code=${"x".repeat(5000)}`)).status, 400);
  assert.equal((await callback("?state=a&state=b")).status, 400);
});

Deno.test("POST /api/calendars/urls connects ICS and CalDAV URLs, and shows their host only", async () => {
  const ics = ["BEGIN:VCALENDAR", "VERSION:2.0", "X-WR-CALNAME:Shifts", "END:VCALENDAR", ""].join("\r\n");
  await using peer = startCaldavPeer({
    calendars: [{ id: "work", name: "Work", events: [] }, { id: "home", name: "Home", events: [] }],
    files: { "/SECRET.ics": ics, "/page.html": "<html></html>" },
  });
  await allow(peer.host);
  const ada = await newPerson("ada"), url = `http://${peer.host}/SECRET.ics`;
  const add = (json: object) => sendRequest({ method: "POST", path: "/api/calendars/urls", as: ada, json });

  const added = await add({ provider: "ics", url });
  assert.equal(added.status, 201, added.text);
  const { provider, accountName, status, calendars: [calendar, ...others] } = added.body.data.connection;
  assert.deepEqual(
    [provider, accountName, status, calendar.name, calendar.isSelected, calendar.isWritable, others],
    ["ics", peer.host, "active", "Shifts", true, false, []],
  );
  assert.ok(calendar.fetchedAt, "the reading that checks the URL is stored");
  assert.deepEqual(calendar.warnings, []);
  const again = await add({ provider: "ics", url });
  assert.deepEqual([again.status, again.body.data.connection.id], [200, added.body.data.connection.id]);

  const account = await add({ provider: "caldav", url: `http://${peer.host}/`, ...LOGIN });
  assert.equal(account.status, 201, account.text);
  const found = account.body.data.connection.calendars as { name: string; isSelected: boolean; isWritable: boolean }[];
  assert.deepEqual(found.map(({ name, isSelected, isWritable }) => [name, isSelected, isWritable]), [
    ["Home", true, false],
    ["Work", true, false],
  ]);
  const listed = await sendRequest({ method: "GET", path: "/api/calendars", as: ada });
  for (const { text } of [added, again, account, listed]) {
    assert.ok(!text.includes("SECRET") && !text.includes(LOGIN.password), text);
  }

  const unreadable = { code: "CALENDAR_UNREADABLE" };
  assertError(await add({ provider: "ics", url: `http://${peer.host}/page.html` }), 422, unreadable);
  assertError(await add({ provider: "ics", url: `http://${peer.host}/none.ics` }), 422, unreadable);
  assertError(
    await add({ provider: "caldav", url: `http://${peer.host}/`, ...LOGIN, password: "wrong" }),
    422,
    unreadable,
  );
  for (const host of ["127.0.0.1", "10.0.0.1", "169.254.169.254", "[::1]", "localhost"]) {
    assertError(await add({ provider: "ics", url: `https://${host}/a.ics` }), 400, { code: "BLOCKED_URL" });
  }
  await using away = await source(redirect("http://10.0.0.1/a.ics"));
  assertError(await add({ provider: "ics", url: away.url }), 400, { code: "BLOCKED_URL" });
  const invalid = { code: "INVALID_URL" };
  for (const other of ["http://cal.example/a.ics", "http://user:pass@cal.example/", "ftp://cal.example/"]) {
    assertError(await add({ provider: "ics", url: other }), 400, invalid);
  }
  assertError(await add({ provider: "caldav", url: `http://${peer.host}/` }), 400);
  assertError(await add({ provider: "ics", url, password: "x" }), 400);
  assert.equal((await sendRequest({ method: "GET", path: "/api/calendars", as: ada })).body.data.connections.length, 2);

  const authorization = (username: string, password: string) => `Basic ${btoa(`${username}:${password}`)}`;
  const logins = new Map([["/locked.ics", authorization("ana", "s:1")], ["/token.ics", authorization("TOKEN", "")]]);
  peer.faults.respond = ({ path, headers }) => {
    const login = logins.get(path);
    if (login) return headers.get("authorization") === login ? new Response(ics) : new Response("", { status: 401 });
  };
  const locked = `http://${peer.host}/locked.ics`;
  assertError(await add({ provider: "ics", url: locked }), 422, unreadable);
  const inUrl = await add({ provider: "ics", url: `http://ana:s%3A1@${peer.host}/locked.ics` });
  assert.equal(inUrl.status, 201, inUrl.text);
  assert.equal(inUrl.body.data.connection.accountName, peer.host);
  assert.ok(!inUrl.text.includes("s%3A1") && !inUrl.text.includes("s:1"), inUrl.text);
  const withToken = await add({ provider: "ics", url: `http://TOKEN@${peer.host}/token.ics` });
  assert.equal(withToken.status, 201, withToken.text);
  assert.ok(!withToken.text.includes("TOKEN"), withToken.text);
  const given = { provider: "ics", username: "ana", password: "s:1" };
  for (const other of [locked, `http://old:wrong@${peer.host}/locked.ics`]) { // explicit fields count
    const { status, body } = await add({ ...given, url: other });
    assert.deepEqual([status, body.data.connection.id], [200, inUrl.body.data.connection.id]);
  }
  await sql`update private.rate_limits set request_count = 30 where key = 'calendar_urls:' || ${ada.id}::text`;
  assertError(await add({ provider: "ics", url }), 429, { code: "RATE_LIMITED", rate_limit_reset_at: /Z$/ });
});
