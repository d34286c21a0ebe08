// Discovery and reading of CalDAV calendars against a peer in the dialects of four programs.
import { deepStrictEqual as deepEqual, match, ok, rejects, strictEqual as equal } from "node:assert";
import {
  CalendarCostError,
  CalendarError,
  type CalendarErrorKind,
} from "../../../functions/calendars/calendar_error.ts";
import { discoverCalendars, readCaldavBusy } from "../../../functions/calendars/caldav/caldav.ts";
import { isSameServer } from "../../../functions/calendars/caldav/client.ts";
import { startHttpServer } from "../../http_server.ts";
import { waitFor } from "../../wait_for.ts";
import { DIALECTS, LOGIN, startCaldavPeer } from "./caldav_peer.ts";

const WINDOW = { start: new Date("2026-03-20T00:00:00Z"), end: new Date("2026-04-10T00:00:00Z") };

const event = (...lines: string[]) =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VEVENT", ...lines, "END:VEVENT", "END:VCALENDAR", ""].join("\r\n");

const CALENDARS = [
  {
    id: "private",
    name: "Private & more",
    events: [
      event("UID:1", "SUMMARY:<a> ]] & \u{1f600}", "DTSTART:20260325T100000Z", "DURATION:PT1H"),
      event("UID:2", "DTSTART;TZID=Europe/Berlin:20260327T090000", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=3"),
      event("UID:3", "DTSTART:20260520T100000Z", "DURATION:PT1H"),
    ],
  },
  { id: "tasks", name: "Tasks", components: ["VTODO"] },
  { id: "work", name: "Work", components: ["VEVENT", "VTODO"], events: [] },
];
const BUSY = "03-25T10:00/03-25T11:00 03-27T08:00/03-27T09:00 03-28T08:00/03-28T09:00 03-29T07:00/03-29T08:00";

type Peer = ReturnType<typeof startCaldavPeer>;
const optionsFor = (...peers: { host: string }[]) => ({
  timeoutMs: 60_000, // a busy machine may take seconds for the largest responses
  maxCpuMs: 60_000,
  allowedHosts: peers.map(({ host }) => host),
  userAgent: "Test/1.0",
  timeZone: "Europe/Berlin",
});

const short = (date: Date) => date.toISOString().slice(5, 16);

async function busyOf(peer: Peer, url: string) {
  const busy = await readCaldavBusy(url, LOGIN, WINDOW, optionsFor(peer));
  return busy.map(({ start, end }) => `${short(start)}/${short(end)}`).join(" ");
}

const rejectsWith = (promise: Promise<unknown>, kind: CalendarErrorKind, message = /./) =>
  rejects(promise, (error) => {
    equal(error instanceof CalendarError ? error.kind : error, kind);
    match((error as Error).message, message);
    return true;
  });

for (const dialect of DIALECTS) {
  Deno.test(`discoverCalendars() and readCaldavBusy() understand ${dialect}`, async () => {
    await using peer = startCaldavPeer({ dialect, calendars: CALENDARS });
    const expected = [
      { externalId: `${peer.home}work/`, name: "Work", isPrimary: true, isWritable: false },
      { externalId: `${peer.home}private/`, name: "Private & more", isPrimary: false, isWritable: false },
    ];
    const options = optionsFor(peer);
    for (const url of [peer.url, `${peer.url}/`, peer.home]) {
      deepEqual(await discoverCalendars(url, LOGIN, options), expected, url);
    }
    const own = { ...expected[1], isPrimary: true }; // the only one
    deepEqual(await discoverCalendars(own.externalId, LOGIN, options), [own]);
    equal(await busyOf(peer, own.externalId), BUSY);
    equal(await busyOf(peer, expected[0].externalId), "");
  });
}

Deno.test("discoverCalendars() takes a calendar that does not name its components as one with events", async () => {
  await using peer = startCaldavPeer({ calendars: [{ id: "all", name: "All", components: [] }] });
  deepEqual((await discoverCalendars(peer.url, LOGIN, optionsFor(peer))).map(({ name }) => name), ["All"]);
});

Deno.test("readCaldavBusy() asks for the events of the window and a day around it", async () => {
  await using peer = startCaldavPeer({ calendars: CALENDARS });
  await busyOf(peer, `${peer.home}private/`);
  const { body, headers } = peer.requests.find(({ method }) => method === "REPORT")!;
  equal(headers.get("depth"), "1");
  match(body, /<C:time-range start="20260319T000000Z" end="20260411T000000Z"\/>/);
});

for (const dialect of DIALECTS) {
  Deno.test(`discoverCalendars() tells which calendars ${dialect} marks as transparent`, async () => {
    const calendars = [true, false, undefined].map((isTransparent, i) => ({
      id: `c${i}`,
      name: `c${i}`,
      isTransparent,
    }));
    await using peer = startCaldavPeer({ dialect, calendars });
    const found = await discoverCalendars(peer.url, LOGIN, optionsFor(peer));
    deepEqual(found.filter(({ isTransparent }) => isTransparent).map(({ name }) => name), ["c0"]);
  });

  Deno.test(`readCaldavBusy() reads dates in the zone that ${dialect} has for the calendar`, async () => {
    const events = [event("UID:1", "DTSTART;VALUE=DATE:20260325")];
    const timeZone = [
      "BEGIN:VCALENDAR",
      "BEGIN:VTIMEZONE",
      "TZID:Asia/Tokyo",
      "BEGIN:STANDARD",
      "DTSTART:19700101T000000",
      "TZOFFSETFROM:+0900",
      "TZOFFSETTO:+0900",
      "END:STANDARD",
      "END:VTIMEZONE",
      "END:VCALENDAR",
      "",
    ].join("\r\n");
    const long = timeZone.replace("BEGIN:STANDARD", `COMMENT:${"x".repeat(70_000)}\r\nBEGIN:STANDARD`);
    await using peer = startCaldavPeer({
      dialect,
      calendars: [{ id: "a", name: "A", events, timeZone }, { id: "b", name: "B", events }, {
        id: "c",
        name: "C",
        events,
        timeZone: long,
      }],
    });
    equal(await busyOf(peer, `${peer.home}a/`), "03-24T15:00/03-25T15:00");
    for (const id of ["b", "c"]) equal(await busyOf(peer, `${peer.home}${id}/`), "03-24T23:00/03-25T23:00");
  });
}

Deno.test("readCaldavBusy() asks a slow server for zone and events at the same time, and needs no zone", async () => {
  await using peer = startCaldavPeer({ calendars: CALENDARS });
  const both = Promise.withResolvers<void>();
  peer.faults.respond = async ({ method }) => {
    if (peer.requests.length === 2) both.resolve();
    await both.promise; // neither waits for the other
    return method === "PROPFIND" ? new Response("", { status: 403 }) : undefined;
  };
  equal(await busyOf(peer, `${peer.home}private/`), BUSY);
});

Deno.test("readCaldavBusy() fails if the server fails to tell the zone, because another would move events", async () => {
  await using peer = startCaldavPeer({ calendars: CALENDARS });
  peer.faults.respond = ({ method }) => method === "PROPFIND" ? new Response("", { status: 503 }) : undefined;
  await rejectsWith(busyOf(peer, `${peer.home}private/`), "unavailable", /status 503/);
});

Deno.test("discoverCalendars() and readCaldavBusy() convert statuses into kinds of errors", async () => {
  await using peer = startCaldavPeer({ calendars: CALENDARS });
  const kinds: [status: number, kind: CalendarErrorKind][] = [
    [401, "revoked"],
    [403, "forbidden"],
    [404, "not_found"],
    [410, "not_found"],
    [408, "unavailable"],
    [429, "rate_limited"],
    [500, "unavailable"],
    [503, "unavailable"],
    [418, "malformed"],
    [200, "malformed"],
  ];
  for (const [status, kind] of kinds) {
    peer.faults.respond = () => new Response("<html>no</html>", { status, headers: { "retry-after": "77" } });
    const reading = readCaldavBusy(`${peer.home}work/`, LOGIN, WINDOW, optionsFor(peer));
    await rejectsWith(reading, kind);
    if (status === 429) equal((await reading.catch((error) => error)).retryAfterSeconds, 77);
    const isUnknown = [403, 404, 410, 418].includes(status); // the URL may still be of a server with calendars
    await rejectsWith(discoverCalendars(peer.url, LOGIN, optionsFor(peer)), isUnknown ? "not_found" : kind);
  }
});

Deno.test("discoverCalendars() reports a wrong login as revoked", async () => {
  await using peer = startCaldavPeer({ calendars: CALENDARS });
  await rejectsWith(discoverCalendars(peer.url, { ...LOGIN, password: "wrong" }, optionsFor(peer)), "revoked");
  await rejectsWith(discoverCalendars(peer.url, { username: "a:b", password: "c" }, optionsFor(peer)), "revoked");
  await rejectsWith(
    discoverCalendars(peer.url, { username: "a", password: "b\n" }, optionsFor(peer)),
    "revoked",
    /HTTP/,
  );
});

Deno.test("discoverCalendars() sends a login without TLS to listed hosts only, and never into a private network", async () => {
  await using peer = startCaldavPeer({ calendars: CALENDARS });
  const options = { ...optionsFor(), timeoutMs: 1000 };
  await rejectsWith(discoverCalendars("http://calendar.example.com/", LOGIN, options), "forbidden", /https:\/\//);
  await rejectsWith(discoverCalendars(peer.url, LOGIN, options), "forbidden");
  await rejectsWith(discoverCalendars("https://127.0.0.1/", LOGIN, options), "forbidden", /public internet/);
  await rejectsWith(discoverCalendars("https://ana:pw@example.com/", LOGIN, options), "malformed", /credentials/);
  await rejectsWith(discoverCalendars("file:///etc/passwd", LOGIN, options), "malformed");
  await rejectsWith(discoverCalendars("nonsense", LOGIN, options), "malformed");
  equal(peer.requests.length, 0);
});

Deno.test("readCaldavBusy() keeps method and login on a redirect within the server, and leaves it for no other", async () => {
  await using other = startCaldavPeer({ calendars: CALENDARS });
  await using peer = startCaldavPeer({ calendars: CALENDARS });
  peer.faults.respond = ({ path }) =>
    path === "/old" ? new Response(null, { status: 302, headers: { location: peer.home + "private/" } }) : undefined;
  equal(await busyOf(peer, `${peer.url}/old`), BUSY);
  for (const location of [`${other.home}private/`, "http://169.254.169.254/", "//evil.example/"]) {
    peer.faults.respond = () => new Response(null, { status: 307, headers: { location } });
    const reading = readCaldavBusy(`${peer.url}/old`, LOGIN, WINDOW, optionsFor(peer, other));
    await rejectsWith(reading, "forbidden", /another server/);
  }
  equal(other.requests.length, 0);
  peer.faults.respond = () => new Response(null, { status: 307, headers: { location: "/old" } });
  await rejectsWith(readCaldavBusy(`${peer.url}/old`, LOGIN, WINDOW, optionsFor(peer)), "malformed", /redirects/);
});

Deno.test("isSameServer() takes the numbered hosts of iCloud as one server, and no other hosts", () => {
  const isSame = (one: string, other: string) => isSameServer(new URL(one), new URL(other));
  const icloud = "https://caldav.icloud.com/";
  equal(isSame(icloud, "https://p34-caldav.icloud.com:443/1/calendars/"), true);
  equal(isSame("https://a.example/x", "https://a.example/y"), true);
  const others = [
    "http://p34-caldav.icloud.com/",
    "https://p34-caldav.icloud.com:8443/",
    "https://caldav.icloud.com.evil.example/",
    "https://evilicloud.com/",
    "https://evil.example/.icloud.com",
  ];
  for (const other of others) equal(isSame(icloud, other), false, other);
  equal(isSame("https://a.example/", "http://a.example/"), false);
  equal(isSame("https://a.example/", "https://b.a.example/"), false);
});

Deno.test("discoverCalendars() rejects hrefs of another server", async () => {
  await using other = startCaldavPeer({ calendars: CALENDARS });
  await using peer = startCaldavPeer({ dialect: "icloud", calendars: CALENDARS });
  peer.faults.respond = ({ method }) => {
    if (method !== "PROPFIND") return;
    const body = '<multistatus xmlns="DAV:"><response><href>/</href><propstat><prop><current-user-principal><href>' +
      `${other.home}</href></current-user-principal></prop></propstat></response></multistatus>`;
    return new Response(body, { status: 207 });
  };
  await rejectsWith(discoverCalendars(peer.url, LOGIN, optionsFor(peer, other)), "forbidden", /another server/);
  equal(other.requests.length, 0);
});

const dav = (content: string) =>
  `<d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">${content}</d:multistatus>`;
const resource = (data: string) =>
  `<d:response><d:href>/1.ics</d:href><d:propstat><d:prop>${data}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;

Deno.test("readCaldavBusy() rejects responses that are cut off, not XML, too large or without events", async () => {
  await using peer = startCaldavPeer({ calendars: CALENDARS });
  const laughs = `<!DOCTYPE d [<!ENTITY a "ha">${
    Array.from({ length: 9 }, (_, i) => `<!ENTITY ${"bcdefghij"[i]} "${`&${"abcdefghi"[i]};`.repeat(10)}">`).join("")
  }]>`;
  const data = `<c:calendar-data>${event("DTSTART:20260325T100000Z", "DURATION:PT1H")}</c:calendar-data>`;
  const bodies: [body: string, message: RegExp][] = [
    ["", /response of CalDAV/],
    ["<!doctype html><p>Please sign in", /response of CalDAV/],
    ["<html><body>Welcome</body></html>", /response of CalDAV/],
    [laughs + dav(resource("<c:calendar-data>&j;</c:calendar-data>")), /response of CalDAV/],
    [`<!DOCTYPE x>${dav(resource(data))}`, /response of CalDAV/],
    [dav(resource("<c:calendar-data>&undeclared;</c:calendar-data>")), /response of CalDAV/],
    [dav(resource(data)).slice(0, -30), /response of CalDAV/],
    [dav("<d:x>".repeat(40) + "</d:x>".repeat(40)), /too many elements/],
    [dav(resource("<d:x/>".repeat(10_001))), /too many elements/],
    [dav(resource(data + "<d:x/>".repeat(9000)).repeat(45)), /too many elements/],
    [dav(`<d:x ${Array.from({ length: 3000 }, (_, i) => `a${i}=""`).join(" ")}/>`), /response of CalDAV/],
    [dav(`<d:x xmlns:y="${"u".repeat(20_000)}"/>`), /response of CalDAV/],
    [dav(resource(`<c:calendar-data>${"<![CDATA[x]]>".repeat(500_000)}</c:calendar-data>`)), /too large/],
    [dav(`<!--${"x".repeat(11_000_000)}-->`), /too large/],
    [dav(resource(`<c:calendar-data>${"x".repeat(10 * 1024 * 1024)}</c:calendar-data>`)), /too large/],
    [dav(resource("<d:getetag>1</d:getetag>")), /did not send all events/],
    [
      dav(resource(data) + "<d:response><d:href>/</d:href><d:status>HTTP/1.1 507 Full</d:status></d:response>"),
      /all events/,
    ],
    [dav(resource("<c:calendar-data>BEGIN:VCALENDAR</c:calendar-data>")), /cut off/],
  ];
  for (const [body, message] of bodies) {
    peer.faults.respond = () => new Response(body, { status: 207 });
    await rejectsWith(readCaldavBusy(`${peer.home}work/`, LOGIN, WINDOW, optionsFor(peer)), "malformed", message);
  }
  const gone = "<d:response><d:href>/2.ics</d:href><d:status>HTTP/1.1 404 Not Found</d:status></d:response>";
  peer.faults.respond = () => new Response(dav(resource(data) + gone), { status: 207 });
  equal(await busyOf(peer, `${peer.home}work/`), "03-25T10:00/03-25T11:00");
});

Deno.test("readCaldavBusy() ends its request for the calendar's zone when the events cannot be read", async () => {
  await using peer = startCaldavPeer({ calendars: CALENDARS });
  const zoneRequest = Promise.withResolvers<void>();
  let isEnded = false;
  peer.faults.respond = async ({ method }) => {
    if (method === "PROPFIND") {
      zoneRequest.resolve();
      return new Response(new ReadableStream({ cancel: () => void (isEnded = true) }), { status: 207 });
    }
    await zoneRequest.promise; // after the delay with which the zone is asked for
    return new Response("<html>", { status: 207 });
  };
  const options = { ...optionsFor(peer), timeoutMs: 60_000 };
  await rejectsWith(readCaldavBusy(`${peer.home}work/`, LOGIN, WINDOW, options), "malformed", /of CalDAV/);
  await waitFor("the end of the request", () => isEnded);
});

Deno.test("readCaldavBusy() gives up a server that is too slow or breaks off", async () => {
  const ending = Promise.withResolvers<void>();
  await using peer = startCaldavPeer({ calendars: CALENDARS });
  peer.faults.respond = async () => {
    await ending.promise;
    return new Response("late");
  };
  const options = { ...optionsFor(peer), timeoutMs: 100 };
  await rejectsWith(readCaldavBusy(`${peer.home}work/`, LOGIN, WINDOW, options), "unavailable", /too long/);
  ending.resolve();
  await using broken = startHttpServer(() =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode("<d:multistatus xmlns:d='DAV:'>"));
          controller.error(new Error("the connection is lost"));
        },
      }),
      { status: 207 },
    )
  );
  const host = new URL(broken.url).host;
  await rejectsWith(readCaldavBusy(broken.url, LOGIN, WINDOW, optionsFor({ host })), "unavailable");
});

Deno.test("discoverCalendars() has one timeout for all its requests", async () => {
  await using peer = startCaldavPeer({ calendars: CALENDARS });
  peer.faults.respond = () => new Promise((resolve) => setTimeout(() => resolve(undefined), 400));
  const options = { ...optionsFor(peer), timeoutMs: 1000 };
  await rejectsWith(discoverCalendars(peer.url, LOGIN, options), "unavailable", /too long/);
});

Deno.test("discoverCalendars() returns at most 100 calendars, and shortens their names", async () => {
  const calendars = Array.from({ length: 120 }, (_, i) => ({ id: `c${i}`, name: i === 119 ? "x".repeat(300) : "" }));
  await using peer = startCaldavPeer({ calendars });
  const found = await discoverCalendars(peer.url, LOGIN, optionsFor(peer));
  equal(found.length, 100);
  equal(found[0].name.length, 255);
});

Deno.test("discoverCalendars() and readCaldavBusy() take what XML costs from the budget, and report it", async () => {
  await using peer = startCaldavPeer({ calendars: CALENDARS });
  const cpu = { leftMs: 0, floorMs: -60_000 };
  const options = { ...optionsFor(peer), cpu };
  await discoverCalendars(peer.url, LOGIN, options);
  ok(cpu.leftMs < 0);
  peer.faults.respond = ({ method }) => {
    if (method === "REPORT") return new Response(dav(""), { status: 207 });
    return new Response(dav(resource("<d:x/>".repeat(9000)).repeat(40)), { status: 207 });
  };
  const small = { ...options, maxCpuMs: 250 };
  await rejects(discoverCalendars(peer.url, LOGIN, small), CalendarCostError);
  await rejects(readCaldavBusy(`${peer.home}work/`, LOGIN, WINDOW, small), CalendarCostError, "by the zone alone");
});
