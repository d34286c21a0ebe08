// fetchIcs() against a loopback peer.
import { deepStrictEqual as deepEqual, match, rejects, strictEqual as equal } from "node:assert";
import { gzipSync } from "node:zlib";
import { CalendarError, type CalendarErrorKind } from "../../../functions/calendars/calendar_error.ts";
import { fetchIcs, readIcsBusy } from "../../../functions/calendars/icalendar/ics.ts";
import { splitLogin } from "../../../functions/calendars/login.ts";
import { startCaldavPeer } from "../caldav/caldav_peer.ts";

const WINDOW = { start: new Date("2026-03-20T00:00:00Z"), end: new Date("2026-04-10T00:00:00Z") };
const FILE = [
  "BEGIN:VCALENDAR",
  "BEGIN:VEVENT",
  "DTSTART:20260325T100000Z",
  "DURATION:PT1H",
  "END:VEVENT",
  "END:VCALENDAR",
  "",
].join("\r\n");

type Peer = ReturnType<typeof startCaldavPeer>;

async function countOf(peer: Peer, url: string, timeoutMs = 60_000) {
  const body = await fetchIcs(url, { timeoutMs, allowedHosts: [peer.host], userAgent: "Test/1.0" });
  return (await readIcsBusy(body, WINDOW, { timeZone: "UTC" })).length;
}

const rejectsWith = (promise: Promise<unknown>, kind: CalendarErrorKind, message = /./) =>
  rejects(promise, (error) => {
    equal(error instanceof CalendarError ? error.kind : error, kind);
    match((error as Error).message, message);
    return true;
  });

Deno.test("fetchIcs() fetches a calendar, also after a redirect", async () => {
  await using peer = startCaldavPeer({ files: { "/a.ics": FILE } });
  equal(await countOf(peer, `${peer.url}/a.ics`), 1);
  peer.faults.respond = ({ path }) =>
    path === "/old" ? new Response(null, { status: 302, headers: { location: "/a.ics" } }) : undefined;
  equal(await countOf(peer, ` ${peer.url}/old `), 1);
  equal(peer.requests[0].headers.get("accept"), "text/calendar, */*;q=0.1");
});

Deno.test("fetchIcs() converts statuses into kinds of errors", async () => {
  await using peer = startCaldavPeer();
  const kinds: [status: number, kind: CalendarErrorKind][] = [
    [401, "revoked"],
    [403, "forbidden"],
    [404, "not_found"],
    [410, "not_found"],
    [429, "rate_limited"],
    [500, "unavailable"],
    [502, "unavailable"],
    [400, "malformed"],
    [304, "malformed"],
  ];
  for (const [status, kind] of kinds) {
    peer.faults.respond = () => new Response(null, { status, headers: { "retry-after": "30" } });
    const fetching = countOf(peer, `${peer.url}/a.ics`);
    await rejectsWith(fetching, kind);
    equal((await fetching.catch((error) => error)).status, status);
  }
});

Deno.test("fetchIcs() sends a login to the server of the URL, and to no other", async () => {
  const isOther = ({ path }: { path: string }) => path.startsWith("/other");
  await using other = startCaldavPeer({ files: { "/other.ics": FILE } });
  await using peer = startCaldavPeer({ files: { "/a.ics": FILE } });
  peer.faults.respond = (request) => {
    const location = isOther(request) ? `${other.url}/other.ics` : "/a.ics";
    return request.path === "/a.ics" ? undefined : new Response(null, { status: 302, headers: { location } });
  };
  const options = { timeoutMs: 60_000, allowedHosts: [peer.host, other.host], userAgent: "Test/1.0" };
  const login = { username: "ana", password: "pä:ss" };
  for (const path of ["/moved", "/other"]) {
    const body = await fetchIcs(`${peer.url}${path}`, options, login);
    equal((await readIcsBusy(body, WINDOW, { timeZone: "UTC" })).length, 1);
  }
  const header = `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode("ana:pä:ss")))}`;
  deepEqual(peer.requests.map(({ headers }) => headers.get("authorization")), [header, header, header]);
  deepEqual(other.requests.map(({ headers }) => headers.get("authorization")), [null]);
});

Deno.test("fetchIcs() sends no login without TLS, and says what a server that asks for one needs", async () => {
  const options = { timeoutMs: 1000, allowedHosts: [], userAgent: "Test/1.0" };
  const login = { username: "ana", password: "secret" };
  await rejectsWith(fetchIcs("http://cal.example/a.ics", options, login), "forbidden", /begins with https/);
  await using peer = startCaldavPeer();
  peer.faults.respond = () => new Response("", { status: 401 });
  const listed = { ...options, timeoutMs: 60_000, allowedHosts: [peer.host] };
  await rejectsWith(fetchIcs(peer.url, listed), "revoked", /^The calendar needs a login/);
  await rejectsWith(fetchIcs(peer.url, listed, login), "revoked", /^The calendar server rejects the login/);
});

Deno.test("splitLogin() takes apart addresses that have a login", () => {
  const cases: [address: string, url: string, username?: string, password?: string][] = [
    ["https://ana:p%C3%A4%3Ass@cal.example/a.ics?b=c", "https://cal.example/a.ics?b=c", "ana", "pä:ss"],
    [" webcal://ana%40b.example:a@b@cal.example", " webcal://cal.example", "ana@b.example", "a@b"],
    ["https://token@cal.example/", "https://cal.example/", "token", ""],
    ["https://ana:100%@cal.example/", "https://cal.example/", "ana", "100%"],
    ["https://cal.example/a@b?c=d@e#f@g", "https://cal.example/a@b?c=d@e#f@g"],
    ["ana:secret@cal.example", "ana:secret@cal.example"],
    ["", ""],
  ];
  for (const [address, url, username, password] of cases) {
    deepEqual(splitLogin(address), username === undefined ? { url } : { url, username, password });
  }
});

Deno.test("fetchIcs() fetches nothing from a private network, also not after a redirect", async () => {
  await using peer = startCaldavPeer();
  const options = { timeoutMs: 1000, allowedHosts: [], userAgent: "Test/1.0" };
  await rejectsWith(fetchIcs(`${peer.url}/a.ics`, options), "forbidden", /public internet/);
  await rejectsWith(fetchIcs("webcal://127.0.0.1/a.ics", options), "forbidden", /public internet/);
  await rejectsWith(fetchIcs("ftp://example.com/a.ics", options), "malformed", /http and https/);
  equal(peer.requests.length, 0);
  peer.faults.respond = () => new Response(null, { status: 302, headers: { location: "http://169.254.169.254/" } });
  await rejectsWith(countOf(peer, `${peer.url}/a.ics`), "forbidden", /public internet/);
});

Deno.test("readIcsBusy() reads a file that its server compressed, and rejects one that is cut off or expands too far", async () => {
  await using peer = startCaldavPeer();
  const respondWith = (body: Uint8Array) =>
    peer.faults.respond = () => new Response(body, { headers: { "content-encoding": "gzip" } });
  const gzip = new Uint8Array(gzipSync(FILE)), url = `${peer.url}/a.ics`;
  respondWith(gzip);
  equal(await countOf(peer, url), 1);
  respondWith(gzip.subarray(0, -4));
  await rejectsWith(countOf(peer, url), "unavailable", /damaged or incomplete/);
  respondWith(new Uint8Array(gzipSync(FILE.slice(0, -20)))); // whole, of a calendar that is not
  await rejectsWith(countOf(peer, url), "malformed", /cut off/);
  respondWith(new Uint8Array(gzipSync(FILE.replace("END:VEVENT", `X:${"x".repeat(60_000_000)}`)))); // 60 KB
  await rejectsWith(countOf(peer, url), "malformed");
});

Deno.test("readIcsBusy() counts what decoding a compressed file takes", async () => {
  await using peer = startCaldavPeer();
  const file = FILE.padEnd(4_000_000, "\n");
  async function costOf(body: BodyInit, headers: HeadersInit): Promise<number> {
    peer.faults.respond = () => new Response(body, { headers });
    const options = { timeoutMs: 60_000, allowedHosts: [peer.host], userAgent: "Test/1.0" };
    let cost = 0;
    const { now } = performance;
    performance.now = () => 0; // what remains is what is charged by the byte
    try {
      const onCost = (ms: number) => cost = ms;
      await readIcsBusy(await fetchIcs(`${peer.url}/a.ics`, options), WINDOW, { timeZone: "UTC", onCost });
    } finally {
      performance.now = now;
    }
    return Math.round(cost);
  }
  equal(await costOf(file, {}), 8);
  equal(await costOf(new Uint8Array(gzipSync(file)), { "content-encoding": "gzip" }), 36);
});

Deno.test("readIcsBusy() rejects a response that is cut off, too large, too slow or a page", async () => {
  await using peer = startCaldavPeer();
  const url = `${peer.url}/a.ics`;
  const respondWith = (body: BodyInit) => peer.faults.respond = () => new Response(body);
  respondWith(FILE.slice(0, -20));
  await rejectsWith(countOf(peer, url), "malformed", /cut off/);
  respondWith("<!doctype html><title>Sign in</title>");
  await rejectsWith(countOf(peer, url), "malformed", /does not lead to a calendar/);
  respondWith(`${FILE.slice(0, -20)}DESCRIPTION:${"x".repeat(50 * 1024 * 1024)}`);
  await rejectsWith(countOf(peer, url), "malformed", /larger than 50 MB/);
  const first = new TextEncoder().encode(FILE.slice(0, 30));
  respondWith(
    new ReadableStream({
      start(controller) {
        controller.enqueue(first);
        controller.error(new Error("the connection is lost"));
      },
    }),
  );
  await rejectsWith(countOf(peer, url), "unavailable");
  const endless = Promise.withResolvers<void>();
  respondWith(
    new ReadableStream({
      start: (controller) => controller.enqueue(first),
      pull: () => endless.promise,
    }),
  );
  await rejectsWith(countOf(peer, url, 200), "unavailable", /too long/);
  endless.resolve();
});
