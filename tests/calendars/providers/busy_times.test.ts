// Google's and Microsoft's calendars and busy times, and what their malformed and late responses mean.
import assert from "node:assert/strict";
import { UNREACHABLE_ENV, withEnvironment } from "../../environment.ts";
import { startHttpServer } from "../../http_server.ts";
import { startGooglePeer } from "./google_peer.ts";
import { startMicrosoftPeer } from "./microsoft_peer.ts";
import { type Fault, RETRY_AFTER_SECONDS } from "./provider_peer.ts";

const peers = { google: startGooglePeer(), microsoft: startMicrosoftPeer() };
addEventListener("unload", () => void Object.values(peers).map((peer) => peer[Symbol.asyncDispose]()));
const clients = await withEnvironment(
  { ...UNREACHABLE_ENV, ...peers.google.env, ...peers.microsoft.env },
  async () => ({
    google: await import("../../../functions/calendars/providers/google.ts"),
    microsoft: await import("../../../functions/calendars/providers/microsoft.ts"),
  }),
);
const { CalendarError, TokenRejectedError } = await import("../../../functions/calendars/calendar_error.ts");

const options = { sanitizeOps: false, sanitizeResources: false }; // the peers live as long as the file
const at = (text: string) => new Date(text);
const window = { start: at("2026-11-01T00:00:00Z"), end: at("2026-12-01T00:00:00Z") };

for (const provider of ["google", "microsoft"] as const) {
  const peer = peers[provider], { readAccount, readBusy } = clients[provider];
  const name = provider === "google" ? "Google" : "Microsoft";
  let users = 0;

  const addUser = (calendars: Parameters<typeof peer.addAccount>[1] = [{}]) => {
    const address = `user${++users}@${provider}.test`, account = peer.addAccount(address, calendars);
    const toRead = [...account.calendars.keys()].map((externalId, i) => ({ id: `ours-${i}`, externalId }));
    return { address, account, toRead, ...peer.issueTokens(address) };
  };

  Deno.test(`${name}: readAccount returns all pages of calendars, the primary one first`, options, async () => {
    const { address, accessToken } = addUser([
      { id: "z", name: "Work", isPrimary: false },
      { id: "shared", name: " ", isPrimary: false, isWritable: false },
      { name: "Mine", isPrimary: true, id: "mine@test" },
    ]);
    const account = await readAccount(accessToken);
    assert.deepEqual(account, {
      id: provider === "google" ? "mine@test" : `id-of-${address}`,
      address: provider === "google" ? "mine@test" : address,
      calendars: [
        { externalId: "mine@test", name: "Mine", isPrimary: true, isWritable: true },
        { externalId: "z", name: "Work", isPrimary: false, isWritable: true },
        { externalId: "shared", name: "shared", isPrimary: false, isWritable: false },
      ],
    });
  });

  Deno.test(`${name}: readAccount returns at most 100 calendars, the primary one first`, options, async () => {
    const { accessToken } = addUser(Array.from({ length: 130 }, (_, i) => ({ id: `c${i}`, isPrimary: i === 125 })));
    peer.state.pageSize = 60;
    const { calendars } = await readAccount(accessToken);
    peer.state.pageSize = 2;
    assert.deepEqual([calendars.length, calendars[0].externalId], [100, "c125"]);
  });

  Deno.test(`${name}: readBusy returns the busy times of each calendar within the window`, options, async () => {
    const busy = (day: string) => ({ start: at(`2026-11-${day}T10:00:00Z`), end: at(`2026-11-${day}T11:30:00Z`) });
    const { accessToken, toRead } = addUser([
      { busy: [busy("03"), { start: at("2027-01-01T00:00:00Z"), end: at("2027-01-02T00:00:00Z") }] },
      { busy: ["04", "05", "06", "07", "08"].map(busy) },
    ]);
    const found = await readBusy(accessToken, toRead, window);
    assert.deepEqual([...found].sort(), [["ours-0", [busy("03")]], [
      "ours-1",
      ["04", "05", "06", "07", "08"].map(busy),
    ]]);
  });

  Deno.test(`${name}: readBusy reads a window of a year`, options, async () => {
    const year = { start: at("2026-01-01T00:00:00Z"), end: at("2027-01-01T00:00:00Z") };
    const busy = ["2026-02-01", "2026-06-01", "2026-12-31"]
      .map((day) => ({ start: at(`${day}T10:00:00Z`), end: at(`${day}T11:00:00Z`) }));
    const { accessToken, toRead } = addUser([{ busy }]);
    const found = (await readBusy(accessToken, toRead, year)).get("ours-0");
    assert.deepEqual((found as typeof busy).sort((a, b) => a.start.getTime() - b.start.getTime()), busy);
  });

  Deno.test(`${name}: readBusy reports an unknown calendar beside the others`, options, async () => {
    const { accessToken, toRead } = addUser([{ busy: [] }]);
    const found = await readBusy(accessToken, [...toRead, { id: "lost", externalId: "lost" }], window);
    assert.deepEqual(found.get("ours-0"), []);
    assert.equal((found.get("lost") as { kind: string }).kind, "not_found");
  });

  Deno.test(`${name}: readBusy throws TokenRejectedError for an expired token`, options, async () => {
    const { accessToken, toRead } = addUser();
    peer.accessTokens.get(accessToken)!.isExpired = true;
    await assert.rejects(readBusy(accessToken, toRead, window), TokenRejectedError);
    await assert.rejects(readAccount(accessToken), TokenRejectedError);
  });

  const kinds: [Fault, string][] = [
    ["forbidden", "forbidden"],
    ["not_found", "not_found"],
    ["gone", "not_found"],
    ["rate_limited", "rate_limited"],
    ["server_error", "unavailable"],
    ["request_timeout", "unavailable"],
    ["slow", "unavailable"],
    ["truncated", "unavailable"],
    ["redirect", "malformed"],
    ["malformed", "malformed"],
    ["wrong_shape", "malformed"],
    ["huge", "malformed"],
  ];
  if (provider === "google") kinds.push(["rate_limited_403", "rate_limited"]);
  for (const [fault, kind] of kinds) {
    Deno.test(`${name}: a response with the fault ${fault} is an error of the kind ${kind}`, options, async () => {
      const { accessToken, toRead } = addUser();
      peer.setFault(({ headers }) => headers.get("authorization") === `Bearer ${accessToken}` ? fault : undefined);
      const found = (await readBusy(accessToken, toRead, window, AbortSignal.timeout(fault === "slow" ? 100 : 60_000)))
        .get("ours-0");
      peer.setFault(() => undefined);
      assert.ok(found instanceof CalendarError);
      const retryAfterSeconds = fault === "rate_limited" ? RETRY_AFTER_SECONDS : undefined;
      assert.deepEqual([found.kind, found.retryAfterSeconds], [kind, retryAfterSeconds]);
      assert.doesNotMatch(found.message, /access-|127\.0\.0\.1|http/);
      assert.match(found.message, new RegExp(name));
    });
  }
}

Deno.test("Google: readBusy reports a calendar that fails in one part of the window", options, async () => {
  const peer = peers.google, account = peer.addAccount("half@google.test"), [calendar] = account.calendars.values();
  const { accessToken } = peer.issueTokens("half@google.test");
  let requests = 0;
  peer.setFault(({ path }) => path.endsWith("/freeBusy") && ++requests === 2 ? "server_error" : undefined);
  const year = { start: at("2026-01-01T00:00:00Z"), end: at("2027-01-01T00:00:00Z") };
  const found = await clients.google.readBusy(accessToken, [{ id: "a", externalId: calendar.id }], year);
  peer.setFault(() => undefined);
  assert.ok(requests >= 2 && found.get("a") instanceof CalendarError);
});

Deno.test("Google: readBusy reads more calendars than one request may name", options, async () => {
  const peer = peers.google;
  peer.addAccount("many@google.test", Array.from({ length: 60 }, (_, i) => ({ id: `m${i}` })));
  const { accessToken } = peer.issueTokens("many@google.test");
  const calendars = Array.from({ length: 60 }, (_, i) => ({ id: `ours-${i}`, externalId: `m${i}` }));
  const found = await clients.google.readBusy(accessToken, calendars, window);
  assert.deepEqual([found.size, [...found.values()].every((busy) => Array.isArray(busy))], [60, true]);
});

Deno.test("Google: readBusy reports the error of a single calendar by its kind", options, async () => {
  const peer = peers.google;
  const reasons = { notFound: "not_found", forbidden: "forbidden", internalError: "unavailable" };
  peer.addAccount("errors@google.test", Object.keys(reasons).map((error) => ({ id: error, error })));
  const { accessToken } = peer.issueTokens("errors@google.test");
  const calendars = Object.keys(reasons).map((externalId) => ({ id: externalId, externalId }));
  const found = await clients.google.readBusy(accessToken, calendars, window);
  assert.deepEqual(
    Object.fromEntries([...found].map(([id, error]) => [id, (error as { kind: string }).kind])),
    reasons,
  );
});

Deno.test("Microsoft: readBusy ignores free, elsewhere and cancelled events", options, async () => {
  const peer = peers.microsoft;
  const states = [{ showAs: "free" }, { showAs: "workingElsewhere" }, { isCancelled: true }, { showAs: "tentative" }, {
    showAs: "oof",
  }];
  const busy = states.map((state, i) => ({
    ...state,
    start: at(`2026-11-1${i}T10:00:00Z`),
    end: at(`2026-11-1${i}T11:00:00Z`),
  }));
  peer.addAccount("states@microsoft.test", [{ busy }]);
  const { accessToken } = peer.issueTokens("states@microsoft.test");
  const found = await clients.microsoft.readBusy(
    accessToken,
    [{ id: "a", externalId: "states@microsoft.test" }],
    window,
  );
  assert.deepEqual(found.get("a"), busy.slice(3).map(({ start, end }) => ({ start, end })));
});

Deno.test(
  "Microsoft: readBusy reads an all-day event as days of the mailbox or the owner, of 23 and 25 hours too",
  options,
  async () => {
    const peer = peers.microsoft;
    const days = [["2026-03-28", "2026-03-30"], ["2026-10-25", "2026-10-26"]];
    const busy = days.map(([from, to]) => ({
      start: at(`${from}T00:00:00Z`),
      end: at(`${to}T00:00:00Z`),
      isAllDay: true,
    }));
    const account = peer.addAccount("days@microsoft.test", [{ busy }]);
    const { accessToken } = peer.issueTokens("days@microsoft.test");
    const year = { start: at("2026-01-01T00:00:00Z"), end: at("2027-01-01T00:00:00Z") };
    const read = async (timeZone?: string) =>
      (await clients.microsoft.readBusy(
        accessToken,
        [{ id: "a", externalId: "days@microsoft.test" }],
        year,
        undefined,
        timeZone,
      ))
        .get("a");
    const vienna = [
      { start: at("2026-03-27T23:00:00Z"), end: at("2026-03-29T22:00:00Z") },
      { start: at("2026-10-24T22:00:00Z"), end: at("2026-10-25T23:00:00Z") },
    ];
    const utc = busy.map(({ start, end }) => ({ start, end }));
    assert.deepEqual(await read("Europe/Vienna"), vienna, "of the profile: the mailbox's is not granted");
    assert.deepEqual(await read("Unknown/Zone"), utc);
    for (
      const [mailbox, profile, expected] of [
        ["W. Europe Standard Time", "Asia/Tokyo", vienna],
        ["Europe/Vienna", "Asia/Tokyo", vienna],
        ["UTC", "Europe/Vienna", utc],
        ["tzone://Microsoft/Custom", "Europe/Vienna", vienna],
        ["", "Europe/Vienna", vienna],
      ] as const
    ) {
      account.timeZone = mailbox;
      assert.deepEqual(await read(profile), expected, `mailbox ${mailbox}, profile ${profile}`);
    }
    peer.extraRoutes.push(({ account, path }) =>
      account.address === "days@microsoft.test" && path.endsWith("/timeZone")
        ? Response.json({ error: { code: "x" } }, { status: 503 })
        : undefined
    );
    assert.equal((await read("Europe/Vienna") as { kind: string }).kind, "unavailable"); // another zone would free hours
  },
);

Deno.test("Microsoft: readBusy reports a calendar with too many pages as malformed", options, async () => {
  const peer = peers.microsoft;
  const busy = Array.from({ length: 50 }, (_, i) => ({ start: at("2026-11-10T10:00:00Z"), end: new Date(1.8e12 + i) }));
  peer.addAccount("crowd@microsoft.test", [{ busy }]);
  const { accessToken } = peer.issueTokens("crowd@microsoft.test");
  const found = await clients.microsoft.readBusy(
    accessToken,
    [{ id: "a", externalId: "crowd@microsoft.test" }],
    window,
  );
  assert.equal((found.get("a") as { kind: string }).kind, "malformed");
});

Deno.test("Microsoft: the token is not sent to another host than Graph's", options, async () => {
  const peer = peers.microsoft;
  peer.addAccount("links@microsoft.test");
  const { accessToken } = peer.issueTokens("links@microsoft.test");
  let stolen = 0;
  await using thief = startHttpServer(() => {
    stolen++;
    return Response.json({ value: [] });
  });
  const next = `${thief.url}/v1.0/me/calendars/x/calendarView`;
  peer.extraRoutes.push(({ account, path }) =>
    account.address === "links@microsoft.test" && path.endsWith("/calendarView")
      ? Response.json({ value: [], "@odata.nextLink": next })
      : undefined
  );
  const found = await clients.microsoft.readBusy(
    accessToken,
    [{ id: "a", externalId: "links@microsoft.test" }],
    window,
  );
  assert.deepEqual([(found.get("a") as { kind: string }).kind, stolen], ["malformed", 0]);
});

Deno.test("Microsoft: a time that does not exist is malformed, and frees no hour", options, async () => {
  const peer = peers.microsoft, address = "month13@microsoft.test";
  peer.addAccount(address);
  const { accessToken } = peer.issueTokens(address);
  const [start, end] = ["2026-11-10T10:00:00", "2026-13-10T11:00:00"].map((dateTime) => ({
    dateTime,
    timeZone: "UTC",
  }));
  peer.extraRoutes.push(({ account, path }) =>
    account.address === address && path.endsWith("/calendarView")
      ? Response.json({ value: [{ start, end }] })
      : undefined
  );
  const found = await clients.microsoft.readBusy(accessToken, [{ id: "a", externalId: address }], window);
  assert.equal((found.get("a") as { kind: string }).kind, "malformed");
});
