// Reading busy times into the database: what page views and the worker request, what they store, and what failures keep.
import assert from "node:assert/strict";
import { createFeedDatabase } from "../../feed_writer/feed_database.ts";
import { timeBudget } from "../../../functions/worker/run_limits.ts";
import { VERSION } from "../../../functions/runtime/product_version.ts";
import type { Job } from "../../../functions/worker/job.ts";
import { startHttpServer } from "../../http_server.ts";
import { stoppedClock } from "../../safe_fetch/stopped_clock.ts";
import { assertDelay, waitFor } from "../../wait_for.ts";
import { LOGIN, startCaldavPeer } from "../caldav/caldav_peer.ts";
import { busy, calendarHosts, hour } from "../calendar_hosts.ts";
import { startGooglePeer } from "../providers/google_peer.ts";
import { startMicrosoftPeer } from "../providers/microsoft_peer.ts";
import { type Fault, RETRY_AFTER_SECONDS } from "../providers/provider_peer.ts";

const google = startGooglePeer(), microsoft = startMicrosoftPeer();
const { sql } = await createFeedDatabase(undefined, { ...google.env, ...microsoft.env }); // ends with the process
const { refreshBusy, refreshConnectionBusy, refreshLinkBusy } = await import(
  "../../../functions/calendars/busy/refresh_busy.ts"
);
const { readConnection } = await import("../../../functions/calendars/busy/read_connection.ts");
const { CalendarCostError, CalendarError } = await import("../../../functions/calendars/calendar_error.ts");
const { drain } = await import("../../../functions/worker/loop.ts");
const { readCalendarsJob } = await import("../../../functions/worker/jobs/read_calendars.ts");
const { addConnection, addHost, addLink, age, busyHours, connect, shown } = calendarHosts(sql, { google, microsoft });

/** The database and the peers live as long as the file. */
const test = (title: string, run: () => Promise<void>) =>
  Deno.test(title, { sanitizeOps: false, sanitizeResources: false }, async () => {
    google.setFault(() => undefined);
    microsoft.setFault(() => undefined);
    await run();
  });

const readsOf = (calls: { path: string; text: string }[], text: string) =>
  calls.filter((call) => (call.path + call.text).includes(text)).length;

test("refreshLinkBusy stores the merged busy times of all accounts of a link's hosts", async () => {
  const host = await addHost("google", [{ busy: [busy(1, 3), busy(2, 4)] }, { busy: [busy(10, 11)] }]);
  const other = await connect(host.userId, "microsoft", [{ busy: [busy(5, 6)] }]);
  assert.equal(await refreshLinkBusy(host.linkId), true);
  assert.equal(await busyHours([...host.calendarIds, ...other.calendarIds]), "1-4 5-6 10-11");
  assert.deepEqual(await shown(host.connectionId), { connection: "active", reason: null, errors: [null, null] });
});

test("refreshLinkBusy requests nothing within a minute, and nothing of another podcast", async () => {
  const host = await addHost("google", [{ busy: [busy(1, 2)] }]), link = await addLink();
  assert.equal(await refreshLinkBusy(link.linkId), false);
  await refreshLinkBusy(host.linkId);
  const before = google.requests.length;
  assert.equal(await refreshLinkBusy(host.linkId), false);
  assert.equal(google.requests.length, before);
  await age("1 minute");
  assert.equal(await refreshLinkBusy(host.linkId), true);
});

test("page views at the same moment cause one request per connection and wait for it", async () => {
  const host = await addHost("google", [{ busy: [busy(1, 2)] }]);
  const results = await Promise.all(Array.from({ length: 20 }, () => refreshLinkBusy(host.linkId)));
  assert.deepEqual(new Set(results), new Set([true]));
  assert.equal(readsOf(google.requests, host.address), 1);
});

test("a page view does not wait for the reader of another process", async () => {
  const host = await addHost("google", [{ busy: [busy(1, 2)] }]);
  await sql`select * from private.claim_calendar_reads(${host.linkId})`;
  assert.equal(await refreshLinkBusy(host.linkId), false);
  await sql`update private.calendar_busy set lease_expires_at = now() where lease is not null`; // that process was killed
  assert.equal(await refreshLinkBusy(host.linkId), true);
  assert.equal(await busyHours(host.calendarIds), "1-2");
});

const FAILURES: [Fault, connection: string, google: RegExp, microsoft?: RegExp][] = [
  ["forbidden", "failing", /denies access/],
  ["not_found", "failing", /does not know the calendar/],
  ["gone", "failing", /does not know the calendar/],
  ["rate_limited", "failing", /limits the number of requests/],
  ["server_error", "failing", /is unavailable \(status 500\)/],
  ["truncated", "failing", /could not be reached|cannot be read/],
  ["malformed", "failing", /cannot be read/],
  ["wrong_shape", "failing", /cannot be read/],
  ["huge", "failing", /too large/],
  ["redirect", "failing", /unexpected status 302/],
];

for (const provider of ["google", "microsoft"] as const) {
  const peer = { google, microsoft }[provider];
  for (const [fault, connection, reason] of FAILURES) {
    test(`${provider}: a reading that meets "${fault}" keeps the busy times and shows the reason`, async () => {
      const host = await addHost(provider, [{ busy: [busy(1, 2)] }]);
      await refreshLinkBusy(host.linkId);
      host.account.calendars.get(host.address)!.busy = [];
      await age();
      peer.setFault(() => fault);
      assert.equal(await refreshLinkBusy(host.linkId), true);
      assert.equal(await busyHours(host.calendarIds), "1-2");
      const after = await shown(host.connectionId);
      assert.equal(after.connection, connection);
      assert.match(after.reason!, reason);
      assert.deepEqual(after.errors, [after.reason]);
      peer.setFault(() => undefined);
      assert.equal(await refreshLinkBusy(host.linkId), false, "the backoff");
      await age();
      await refreshLinkBusy(host.linkId);
      assert.equal(await busyHours(host.calendarIds), "");
      assert.deepEqual(await shown(host.connectionId), { connection: "active", reason: null, errors: [null] });
    });
  }

  test(`${provider}: an expired token is refreshed, and a revoked account is shown and not read again`, async () => {
    const host = await addHost(provider, [{ busy: [busy(1, 2)] }]);
    peer.expireTokens();
    await refreshLinkBusy(host.linkId);
    assert.equal(await busyHours(host.calendarIds), "1-2");
    await age();
    peer.revokeAccount(host.address);
    await refreshLinkBusy(host.linkId);
    assert.equal(await busyHours(host.calendarIds), "1-2");
    const { connection, reason } = await shown(host.connectionId);
    assert.equal(connection, "revoked");
    assert.match(reason!, /connect the account again/);
    await age();
    assert.equal(await refreshLinkBusy(host.linkId), false);
  });
}

test("Retry-After postpones the next reading", async () => {
  const host = await addHost("google", [{}]), began = Date.now();
  google.setFault(() => "rate_limited");
  await refreshLinkBusy(host.linkId);
  const [{ seconds }] = await sql`
    select extract(epoch from stale_at - now())::float as seconds from private.calendar_busy
    where calendar_id = ${host.calendarIds[0]}`;
  assertDelay(seconds, RETRY_AFTER_SECONDS, began);
});

test("a calendar that fails leaves the others of its account and of other accounts readable", async () => {
  const host = await addHost("google", [{ busy: [busy(1, 2)] }, { busy: [busy(3, 4)], error: "notFound" }]);
  const broken = await connect(host.userId, "microsoft", [{ busy: [busy(5, 6)] }]);
  microsoft.setFault(() => "server_error");
  await refreshLinkBusy(host.linkId);
  assert.equal(await busyHours([...host.calendarIds, ...broken.calendarIds]), "1-2");
  const { connection, errors } = await shown(host.connectionId);
  assert.equal(connection, "failing");
  assert.equal(errors[0], null);
  assert.match(errors[1]!, /does not know the calendar/);
});

const icsTime = (date: Date) => date.toISOString().replaceAll(/[-:]|\.\d+/g, "");
const icsOf = ({ start, end }: { start: Date; end: Date }, more = "") =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:test\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTAMP:20260101T000000Z\r\n` +
  `DTSTART:${icsTime(start)}\r\nDTEND:${icsTime(end)}\r\n${more}END:VEVENT\r\nEND:VCALENDAR\r\n`;

test("a calendar at an ICS URL is read, and keeps its busy times while the server fails", async () => {
  const { userId, linkId } = await addLink();
  let respond = () => new Response(icsOf(busy(1, 2)));
  await using server = startHttpServer(() => respond());
  await sql`select private.set_setting('fetch_allowed_hosts', ${new URL(server.url).host})`;
  const { connectionId, calendarIds } = await addConnection(userId, "ics", { url: `${server.url}/team.ics` }, ["team"]);
  await refreshLinkBusy(linkId);
  assert.equal(await busyHours(calendarIds), "1-2");
  for (
    const [response, connection, reason] of [
      [() => new Response("", { status: 503 }), "failing", /status 503/],
      [() => new Response(icsOf(busy(3, 4)).slice(0, 150)), "failing", /./],
      [() => new Response("<html>"), "failing", /./],
      [() => new Response("", { status: 401 }), "failing", /connect the calendar again/],
      [() => new Response(icsOf(busy(1, 2))), "active", /^$/],
    ] as const
  ) {
    respond = response;
    await age();
    await refreshLinkBusy(linkId);
    assert.equal(await busyHours(calendarIds), "1-2");
    const after = await shown(connectionId);
    assert.equal(after.connection, connection);
    assert.match(after.reason ?? "", reason);
  }
});

test("a calendar is read from a server that rejects agents that do not begin with Mozilla/5.0", async () => {
  const { userId, linkId } = await addLink();
  const agents: string[] = [];
  await using server = startHttpServer(({ url, headers }) => { // as Microsoft 365 does
    agents.push(headers.get("user-agent")!);
    if (new URL(url).pathname === "/error") return new Response("", { status: 500 });
    const isKnown = agents.at(-1)!.startsWith("Mozilla/5.0 ");
    return isKnown
      ? new Response(icsOf(busy(1, 2)))
      : new Response(null, { status: 302, headers: { location: "/error" } });
  });
  await sql`select private.set_setting('fetch_allowed_hosts', ${new URL(server.url).host})`;
  const { connectionId, calendarIds } = await addConnection(userId, "ics", { url: `${server.url}/a.ics` }, ["team"]);
  await refreshLinkBusy(linkId);
  assert.equal(await busyHours(calendarIds), "1-2");
  const [{ url }] = await sql`select private.get_setting('public_url') as url`;
  assert.equal(agents[0], `Mozilla/5.0 (compatible; Castbase/${VERSION}; +${url})`);
  await sql`select private.set_setting('fetch_user_agent', 'Other/1')`;
  try {
    await age();
    await refreshLinkBusy(linkId);
    assert.equal(agents.at(-1), "Other/1");
    assert.match((await shown(connectionId)).reason!, /status 500/);
  } finally {
    await sql`select private.set_setting('fetch_user_agent', null)`;
  }
});

/** A host with five calendars of a server, which are busy from 0:00, 2:00, … to 8:00 for an hour. */
async function addCaldavHost() {
  const { userId, linkId } = await addLink();
  const ids = Array.from({ length: 5 }, (_, i) => `c${i}`);
  const peer = startCaldavPeer({
    calendars: ids.map((id, i) => ({ id, name: id, events: [icsOf(busy(2 * i, 2 * i + 1))] })),
  });
  await sql`select private.set_setting('fetch_allowed_hosts', ${peer.host})`;
  const addresses = ids.map((id) => `${peer.home}${id}/`);
  return { linkId, peer, ...await addConnection(userId, "caldav", { url: peer.url, ...LOGIN }, addresses) };
}

test("calendars of a CalDAV server are read with the login, one that fails keeps its busy times", async () => {
  const { linkId, connectionId, calendarIds, peer } = await addCaldavHost();
  await using _server = peer;
  await refreshLinkBusy(linkId);
  assert.equal(await busyHours(calendarIds), "0-1 2-3 4-5 6-7 8-9");
  peer.faults.respond = ({ path }) => path.includes("c2") ? new Response("", { status: 500 }) : undefined;
  await age();
  await refreshLinkBusy(linkId);
  assert.equal(await busyHours(calendarIds), "0-1 2-3 4-5 6-7 8-9");
  const { connection, errors } = await shown(connectionId);
  assert.equal(connection, "failing");
  assert.deepEqual(errors.map((error) => error !== null), [false, false, true, false, false]);
  await sql`select private.store_calendar_secret(${connectionId}, ${
    sql.json({ url: peer.url, username: "ana", password: "old" })
  }, sha256('x'), null)`;
  peer.faults.respond = () => undefined;
  peer.requests.length = 0;
  await age();
  await refreshLinkBusy(linkId);
  const rejected = await shown(connectionId);
  assert.equal(rejected.connection, "failing");
  assert.ok(rejected.errors.every((error) => /connect the calendar again/.test(error!)));
  assert.equal(peer.requests.length, 3); // at once; a server may lock an account after more
  await age("59 minutes");
  assert.equal(await refreshLinkBusy(linkId), false);
  await age("1 minute");
  assert.equal(await refreshLinkBusy(linkId), true);
});

test("an event that the owner of an ICS calendar declined is free, in the owner's time zone", async () => {
  const { userId, linkId } = await addLink();
  const [{ email }] = await sql`
    with profile as (update public.profiles set timezone = 'Asia/Tokyo' where id = ${userId})
    select email from auth.users where id = ${userId}`;
  const local = (date: Date) => icsTime(date).replace("Z", "");
  const floating = icsOf(busy(13, 14)).replace(/Z\r\nDTEND/, "\r\nDTEND").replace(/Z\r\nEND:VEVENT/, "\r\nEND:VEVENT");
  assert.ok(floating.includes(`DTSTART:${local(busy(13, 14).start)}\r\n`));
  const declined = icsOf(busy(5, 6), `ATTENDEE;PARTSTAT=DECLINED:mailto:${email}\r\n`);
  await using server = startHttpServer((request) =>
    new Response(request.url.endsWith("floating") ? floating : declined)
  );
  await sql`select private.set_setting('fetch_allowed_hosts', ${new URL(server.url).host})`;
  const one = await addConnection(userId, "ics", { url: `${server.url}/floating` }, ["a"]);
  const other = await addConnection(userId, "ics", { url: `${server.url}/declined` }, ["b"]);
  await refreshLinkBusy(linkId);
  assert.equal(await busyHours(one.calendarIds), "4-5");
  assert.equal(await busyHours(other.calendarIds), "");
  assert.deepEqual((await shown(other.connectionId)).errors, [null]);
});

test("an all-day event of Microsoft blocks the day in its owner's zone", async () => {
  for (const [timeZone, hours] of [["Pacific/Tongatapu", "-13-11"], ["America/Phoenix", "7-31"]]) {
    const host = await addHost("microsoft", [{ busy: [{ ...busy(0, 24), isAllDay: true }, busy(40, 41)] }]);
    await sql`update public.profiles set timezone = ${timeZone} where id = ${host.userId}`;
    await refreshLinkBusy(host.linkId);
    assert.equal(await busyHours(host.calendarIds), `${hours} 40-41`);
  }
});

/** Leases the calendars of a link as this process's. */
async function claim(linkId: string) {
  const [row] = await sql`select * from private.claim_calendar_reads(${linkId}, lease_seconds => 60)`;
  return {
    connectionId: row.read_connection_id,
    userId: row.user_id,
    cpuLeftMs: row.cpu_left_ms,
    provider: row.provider,
    timeZone: row.time_zone,
    lease: row.lease,
    window: { start: row.window_start, end: row.window_end },
    calendars: row.calendars,
  };
}

const worker = (budgetMs = 1000) => ({ budgetMs, maxCpuMs: 1000, totalCpuMs: 500, isFinal: true });
const page = (budgetMs = 1000) => ({ budgetMs, maxCpuMs: 250, totalCpuMs: 250, isFinal: false });
const readingOf = (...times: { start: Date; end: Date }[]) => ({ busy: times, warnings: [], isSlow: false });

test("a calendar that exceeds the worker's budget fails, and a reading that arrives later changes nothing", async () => {
  const host = await addHost("google", [{}]), read = await claim(host.linkId);
  const { promise, resolve } = Promise.withResolvers<Map<string, ReturnType<typeof readingOf>>>();
  let signal: AbortSignal | undefined;
  await refreshBusy([read], worker(10), (_, limits) => {
    signal = limits.signal;
    return promise;
  });
  assert.equal(signal!.aborted, true);
  resolve(new Map([[host.calendarIds[0], readingOf()]]));
  assert.deepEqual(await shown(host.connectionId), {
    connection: "failing",
    reason: "The calendar did not respond in time",
    errors: ["The calendar did not respond in time"],
  });
  const [{ lease }] = await sql`select lease from private.calendar_busy where calendar_id = ${host.calendarIds[0]}`;
  assert.equal(lease, null);
});

test("a slow peer ends at the budget with what the reader has by then", async () => {
  const host = await addHost("microsoft", [{ busy: [busy(1, 2)] }, { busy: [busy(3, 4)] }]);
  const other = await addHost("microsoft", [{}]), before = microsoft.requests.length;
  microsoft.setFault(({ path }) => path.includes("/1-") ? "slow" : undefined);
  using clock = stoppedClock();
  const refresh = refreshBusy([await claim(host.linkId)], worker(300));
  await waitFor("the requests for both calendars", () => {
    const [first, second] = microsoft.requests.slice(before).sort((one) => one.path.includes("/1-") ? 1 : -1);
    return first?.status === 200 && second !== undefined;
  });
  await refreshLinkBusy(other.linkId); // a whole reading after that response: meanwhile it is read
  clock.advance(300);
  await refresh;
  assert.equal(await busyHours(host.calendarIds), "1-2");
  const { errors } = await shown(host.connectionId);
  assert.equal(errors[0], null);
  assert.match(errors[1]!, /took too long/);
});

test("a result is stored while other connections are still being read", async () => {
  const host = await addHost("google", [{ busy: [busy(1, 2)] }]);
  const other = await connect(host.userId, "microsoft", [{}]);
  microsoft.setFault(() => "slow");
  using clock = stoppedClock();
  const refresh = refreshLinkBusy(host.linkId);
  await waitFor("the busy times", async () => await busyHours(host.calendarIds) === "1-2");
  assert.deepEqual((await shown(other.connectionId)).errors, [null]);
  await sql`delete from public.calendar_connections where id = ${other.connectionId}`; // late results change nothing
  clock.advance(60_000);
  assert.equal(await refresh, true);
});

interface Kept {
  is_slow: boolean;
  is_leased: boolean;
  failures: number;
  due: number;
}

/** What is kept of a calendar, and how many messages wait for the worker. */
async function kept(id: string): Promise<Kept & { messages: number }> {
  const [row] = await sql<Kept[]>`
    select is_slow, lease is not null as is_leased, failures, extract(epoch from due_at - now())::float as due
    from private.calendar_busy where calendar_id = ${id}`;
  const [{ messages }] = await sql<{ messages: number }[]>`
    select count(*)::int as messages from pgmq.q_calendar_reads q
    join public.connected_calendars c on c.connection_id = (q.message ->> 'connection_id')::uuid
    where c.id = ${id}`;
  return { ...row, messages };
}

test("a page view that runs out of time leaves the calendar to the worker, and later ones do not wait", async () => {
  const host = await addHost("google", [{ busy: [busy(1, 2)] }]), [id] = host.calendarIds;
  google.setFault(() => "slow");
  {
    using clock = stoppedClock();
    const refresh = refreshLinkBusy(host.linkId);
    await waitFor("the request", () => google.requests.at(-1)?.text.includes(host.address) ?? false);
    clock.advance(3000);
    assert.equal(await refresh, true);
  }
  assert.deepEqual(await shown(host.connectionId), { connection: "active", reason: null, errors: [null] });
  const { due, ...after } = await kept(id);
  assert.deepEqual(after, { is_slow: true, is_leased: false, failures: 0, messages: 1 });
  assert.ok(due < 0, "the worker's reading is not postponed");
  google.setFault(() => undefined);
  assert.equal(await refreshLinkBusy(host.linkId), false);
  await drain(readCalendarsJob as Job, timeBudget(60_000));
  assert.equal(await busyHours(host.calendarIds), "1-2");
  assert.equal((await kept(id)).is_slow, false, "a fast reading");
  await age();
  assert.equal(await refreshLinkBusy(host.linkId), true);
});

test("a page view enqueues a slow calendar whose reading is stale", async () => {
  const host = await addHost("google", [{}]), [id] = host.calendarIds;
  await refreshLinkBusy(host.linkId);
  await sql`update private.calendar_busy set is_slow = true where calendar_id = ${id}`;
  assert.equal(await refreshLinkBusy(host.linkId), false);
  assert.equal((await kept(id)).messages, 0, "within a minute");
  await age("1 minute");
  assert.equal(await refreshLinkBusy(host.linkId), false);
  assert.equal(await refreshLinkBusy(host.linkId), false);
  assert.equal((await kept(id)).messages, 1);
  await sql`delete from pgmq.q_calendar_reads`;
});

test("a calendar that costs too much is left to the worker by a page view, and fails there", async () => {
  const host = await addHost("google", [{}]), [id] = host.calendarIds;
  const costly = () => Promise.resolve(new Map([[id, new CalendarCostError()]]));
  await refreshBusy([await claim(host.linkId)], page(), costly);
  const { due: _, ...left } = await kept(id);
  assert.deepEqual(left, { is_slow: true, is_leased: false, failures: 0, messages: 1 });
  await sql`update private.calendar_busy set is_slow = false where calendar_id = ${id}`;
  await refreshBusy([await claim(host.linkId)], worker(), costly);
  assert.match((await shown(host.connectionId)).reason!, /too many events/);
  await sql`delete from pgmq.q_calendar_reads`;
});

test("a calendar whose user's other calendars took the computing time does not fail, and is left to the worker", async () => {
  await using server = startHttpServer(() => new Response(icsOf(busy(1, 2))));
  const { host } = new URL(server.url), { userId, linkId } = await addLink();
  await sql`select private.set_setting('fetch_allowed_hosts', ${host})`;
  const { calendarIds: [id] } = await addConnection(userId, "ics", { url: server.url }, ["ics"]);
  const readUsedUp: typeof readConnection = (connection, limits) => {
    Object.assign(limits.cpu, { leftMs: limits.cpu.floorMs + 1e-9, last: "another calendar" });
    return readConnection(connection, limits);
  };
  await refreshBusy([await claim(linkId)], worker(), readUsedUp);
  const { due: _, ...left } = await kept(id);
  assert.deepEqual(left, { is_slow: false, is_leased: false, failures: 0, messages: 1 });
  await sql`delete from pgmq.q_calendar_reads`;
});

test("the computing time of a user's calendars is recorded, and no reading begins while it is used up", async () => {
  const host = await addHost("google", [{}]), [id] = host.calendarIds;
  const read = await claim(host.linkId);
  assert.equal(read.cpuLeftMs, 3000);
  await refreshBusy([read], page(), (_, { cpu }) => {
    assert.equal(cpu.floorMs, 2750, "page views take a part of it");
    cpu.leftMs -= 3500;
    return Promise.resolve(new Map([[id, readingOf()]]));
  });
  const [{ cpu_ms: cpuMs }] = await sql`select cpu_ms from private.calendar_costs where user_id = ${host.userId}`;
  assert.equal(cpuMs, 3500);
  await age();
  assert.equal(await refreshLinkBusy(host.linkId), false);
  await refreshConnectionBusy(host.connectionId);
  assert.equal((await kept(id)).messages, 1, "the worker looks again");
  await sql`update private.calendar_costs set measured_at = measured_at - interval '1 minute'`;
  assert.equal(await refreshLinkBusy(host.linkId), true);
  await sql`delete from pgmq.q_calendar_reads`;
});

test("the warnings of a reading are shown to the owner until a reading has none", async () => {
  const host = await addHost("google", [{}]), [id] = host.calendarIds;
  const warnings = [{ text: 'The event "Train" has no start; it is left out', count: 2 }];
  await refreshBusy(
    [await claim(host.linkId)],
    worker(),
    () => Promise.resolve(new Map([[id, { ...readingOf(), warnings }]])),
  );
  const stored = async () => (await sql`select warnings from public.connected_calendars where id = ${id}`)[0].warnings;
  assert.deepEqual(await stored(), warnings);
  await age();
  await refreshLinkBusy(host.linkId);
  assert.deepEqual(await stored(), []);
});

test("calendars of a CalDAV server that had to wait for slow ones do not fail, and are read afterwards", async () => {
  const { linkId, connectionId, calendarIds, peer } = await addCaldavHost();
  await using _server = peer;
  const slow = Promise.withResolvers<Response>();
  peer.faults.respond = ({ path }) => path === peer.requests[0].path ? undefined : slow.promise;
  const read = await claim(linkId);
  {
    using clock = stoppedClock();
    const refresh = refreshBusy([read], worker(30_000));
    const pathsOf = () => new Set(peer.requests.map(({ path }) => path));
    await waitFor("a fourth calendar, which begins when the first has ended", () => pathsOf().size === 4);
    clock.advance(30_000);
    await refresh;
  }
  slow.resolve(new Response("", { status: 500 }));
  const rows = await Promise.all(calendarIds.map(kept));
  assert.deepEqual(rows.map(({ failures }) => failures).sort(), [0, 0, 0, 1, 1], "only two had 30 s");
  assert.ok(rows.every(({ messages, is_leased }) => messages === 1 && !is_leased));
  peer.faults.respond = () => undefined;
  await age();
  await drain(readCalendarsJob as Job, timeBudget(60_000));
  assert.equal(await busyHours(calendarIds), "0-1 2-3 4-5 6-7 8-9");
  assert.equal((await shown(connectionId)).connection, "active");
});

test("errors of a reader that are not the provider's are logged and hidden from the owner", async () => {
  const host = await addHost("google", [{}]), read = await claim(host.linkId);
  await refreshBusy([read], worker(), () => Promise.reject(new Error("secret")));
  assert.equal((await shown(host.connectionId)).reason, "The calendar could not be read");
});

test("intervals outside the window are cut, empty ones ignored, and too many fail the calendar", async () => {
  const host = await addHost("google", [{}, {}]), read = await claim(host.linkId);
  const [first, second] = host.calendarIds;
  const distant = new Date(8.64e15), past = new Date(-8.64e15);
  const many = Array.from({ length: 20_001 }, (_, i) => busy(i / 1000, i / 1000 + 0.0005));
  const joined = many.map(({ start }) => ({ start, end: hour(24) }));
  await refreshBusy([read], worker(), () =>
    Promise.resolve(
      new Map([
        [first, readingOf({ start: past, end: past }, busy(2, 2), busy(1, 2), { start: new Date(NaN), end: distant })],
        [second, readingOf(...many)],
      ]),
    ));
  assert.equal(await busyHours(host.calendarIds), "1-2");
  assert.deepEqual((await shown(host.connectionId)).errors, [null, "The calendar has more than 20,000 busy times"]);
  await age();
  await refreshBusy(
    [await claim(host.linkId)],
    worker(),
    () => Promise.resolve(new Map([[first, readingOf({ start: past, end: distant })], [second, readingOf(...joined)]])),
  );
  assert.equal(await busyHours([second]), "0-24", "they are counted after merging");
  const [{ during }] = await sql`
    select (lower(i.during) = b.window_start and upper(i.during) = b.window_end) as during
    from private.calendar_busy_intervals i join private.calendar_busy b using (calendar_id)
    where calendar_id = ${first}`;
  assert.equal(during, true);
});

test("a calendar without a result fails", async () => {
  const host = await addHost("google", [{}]);
  await refreshBusy([await claim(host.linkId)], worker(), () => Promise.resolve(new Map()));
  assert.equal((await shown(host.connectionId)).reason, "The calendar could not be read");
});

test("refreshBusy throws nothing when the database rejects its results", async () => {
  const host = await addHost("google", [{}]), read = await claim(host.linkId);
  const broken = new CalendarError("unavailable", "Broken");
  await refreshBusy([{ ...read, lease: "no lease" }], worker(), () => Promise.reject(broken));
  assert.equal((await shown(host.connectionId)).reason, null);
});

/** Enqueues what is due and drains the queue; returns the dead letters. */
async function work() {
  await sql`select private.enqueue_due_calendar_reads()`;
  await sql`update pgmq.q_calendar_reads set vt = now() - interval '1 second'`;
  await drain(readCalendarsJob as Job, timeBudget(60_000));
  return await sql`select message from pgmq.q_calendar_reads_dlq`;
}

test("the worker reads calendars that are due", async () => {
  const host = await addHost("google", [{ busy: [busy(1, 2)] }, { busy: [busy(3, 4)] }]);
  assert.deepEqual([...await work()], []);
  assert.equal(await busyHours(host.calendarIds), "1-2 3-4");
  assert.equal(readsOf(google.requests, host.address), 1);
  host.account.calendars.get(host.address)!.busy = [busy(5, 6)];
  await sql`update private.calendar_busy set due_at = now(), stale_at = now()`;
  assert.deepEqual([...await work()], []);
  assert.equal(await busyHours(host.calendarIds), "3-4 5-6");
});

test("several messages about a connection cause one reading", async () => {
  const host = await addHost("google", [{}]);
  for (let i = 0; i < 5; i++) {
    await sql`select private.enqueue('calendar_reads', ${
      sql.json({ connection_id: host.connectionId, user_id: host.userId })
    })`;
  }
  await work();
  assert.equal(readsOf(google.requests, host.address), 1);
});

test("a failing calendar leaves no message and no dead letter", async () => {
  const host = await addHost("google", [{}]);
  google.setFault(() => "server_error");
  assert.deepEqual([...await work()], []);
  assert.equal((await kept(host.calendarIds[0])).messages, 0);
  assert.equal((await shown(host.connectionId)).connection, "failing");
  await sql`update private.calendar_busy set due_at = now()`;
  const requests = google.requests.length;
  assert.deepEqual([...await work()], []);
  assert.equal(readsOf(google.requests.slice(requests), host.address), 0, "the backoff holds for the worker too");
});

test("slow calendars of one user do not delay those of another", async () => {
  const slow = await addHost("microsoft", [{}]);
  const more = await Promise.all(Array.from({ length: 5 }, () => connect(slow.userId, "microsoft", [{}])));
  const host = await addHost("google", [{ busy: [busy(1, 2)] }]);
  await sql`delete from pgmq.q_calendar_reads`;
  for (const { connectionId } of [slow, ...more, host]) {
    await sql`select private.enqueue_calendar_read(${connectionId})`;
  }
  const before = microsoft.requests.length;
  microsoft.setFault(() => "slow");
  using clock = stoppedClock();
  const draining = drain(readCalendarsJob as Job, timeBudget(60_000));
  await waitFor("the other user's calendar", async () => await busyHours(host.calendarIds) === "1-2");
  await waitFor("the slow user's others to be postponed", async () => {
    const [{ count }] = await sql`
      select count(*)::int from pgmq.q_calendar_reads where message ->> 'user_id' = ${slow.userId} and read_ct = 0`;
    return count === 3;
  });
  assert.ok(microsoft.requests.length - before <= 3);
  clock.advance(30_000);
  await draining;
  const rows = await Promise.all([slow, ...more].map(({ calendarIds: [id] }) => kept(id)));
  assert.equal(rows.filter(({ failures }) => failures === 1).length, 3);
  await sql`delete from pgmq.q_calendar_reads`;
});

test("refreshConnectionBusy ignores a connection that was removed", async () => {
  await refreshConnectionBusy(crypto.randomUUID());
});
