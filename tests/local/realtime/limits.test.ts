// Limits of Realtime, and the partitions of realtime.messages, on a stack of the test's own.
import { deepStrictEqual as equal } from "node:assert";
import { createPresence } from "../../../local/realtime/presence.ts";
import { createRate } from "../../../local/realtime/rate.ts";
import { startTestStack } from "../../stack.ts";
import { createProjectDatabase } from "../../project_cluster.ts";
import { asPostgres } from "../../database.ts";
import { waitFor } from "../../wait_for.ts";
import { test } from "../../parity/realtime/subscribers.ts";
import { type Frame, openWire } from "../../parity/realtime/wire.ts";
import { startRealtime } from "./realtime_service.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const own = await startTestStack();

/** The day in UTC, some days from today: 2026-01-31. */
const dayFrom = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

/** A test of what differs from day to day; runs again if it fails because a day ends meanwhile. */
const dayTest = (name: string, run: () => Promise<void>) =>
  test(name, async () => {
    const today = dayFrom(0);
    await run().catch((error) => dayFrom(0) === today ? Promise.reject(error) : run());
  });

// First: no test has joined a channel of this stack
test("the slot exists only after a channel was joined", async () => {
  await using sql = asPostgres(own);
  const slots = async () => Number((await sql`select count(*) from pg_replication_slots`)[0].count);
  equal(await slots(), 0);
  await using wire = await openWire(own.publishableKey, own.url);
  await wire.ask("phoenix", "heartbeat");
  equal(await slots(), 0);
  await wire.ask("realtime:a", "phx_join");
  equal(await slots(), 1);
});

dayTest("the start creates partitions of realtime.messages from yesterday to three days ahead", async () => {
  await using database = await createProjectDatabase();
  await using _realtime = await startRealtime(database.url);
  await using sql = asPostgres({ dbUrl: database.url });
  const rows = await sql<{ name: string; owner: string }[]>`
    select c.relname as name, c.relowner::regrole::text as owner from pg_inherits join pg_class c on c.oid = inhrelid
    where inhparent = 'realtime.messages'::regclass order by 1`;
  equal(
    rows.map(({ name, owner }) => [name, owner]),
    [-1, 0, 1, 2, 3].map((days) => [`messages_${dayFrom(days).replaceAll("-", "_")}`, "supabase_realtime_admin"]),
  );
});

dayTest("a restart drops partitions of more than three days and creates missing ones", async () => {
  await using database = await createProjectDatabase();
  const partition = (days: number) => {
    const [from, to] = [dayFrom(days), dayFrom(days + 1)];
    return { name: `realtime.messages_${from.replaceAll("-", "_")}`, values: `from ('${from}') to ('${to}')` };
  };
  const [old, kept, missing] = [partition(-4), partition(-3), partition(3)];
  {
    await using _first = await startRealtime(database.url);
    await using admin = asPostgres({ dbUrl: database.url }, { username: "supabase_admin" });
    for (const { name, values } of [old, kept]) {
      await admin.unsafe(`create table ${name} partition of realtime.messages for values ${values}`);
    }
    await admin.unsafe(`drop table ${missing.name}`);
  }
  await using _second = await startRealtime(database.url);
  await using sql = asPostgres({ dbUrl: database.url });
  const exists = async ({ name }: { name: string }) =>
    (await sql`select to_regclass(${name}) as found`)[0].found !== null;
  equal([await exists(old), await exists(kept), await exists(missing)], [false, true, true]);
});

test("postgres may create policies on realtime.messages, and change nothing else there", async () => {
  await using sql = asPostgres(own);
  await sql`create policy sv on realtime.messages for select to authenticated using (true)`;
  await sql`drop policy sv on realtime.messages`;
  const code = (command: string) => sql.unsafe(command).then(() => "", (error) => error.code);
  equal(await code("alter table realtime.messages add column more int"), "42501");
  equal(await code("drop function realtime.send(jsonb, text, text, boolean)"), "42501");
});

test("a message of thousands of levels is not sent, and those after it are", async () => {
  await using sql = asPostgres(own);
  await sql`create policy deep on realtime.messages for select to anon using (true)`;
  await using wire = await openWire(own.publishableKey, own.url);
  equal((await wire.ask("realtime:deep", "phx_join", { config: { private: true } })).status, "ok");
  await sql`
    insert into realtime.messages (topic, extension, event, private, payload) values
      ('deep', 'broadcast', 'nested', true, (repeat('[', 5000) || repeat(']', 5000))::jsonb),
      ('deep', 'broadcast', 'plain', true, '{}')`;
  const events = (frames: Frame[]) => frames.filter(([, , , event]) => event === "broadcast").map((f) => f[4].event);
  await waitFor("the later message", () => events(wire.frames).includes("plain"));
  equal(events(wire.frames), ["plain"]);
  await using late = await openWire(own.publishableKey, own.url);
  const replay = { private: true, broadcast: { replay: { since: 0 } } };
  equal((await late.ask("realtime:deep", "phx_join", { config: replay })).status, "ok");
  await waitFor("the replayed message", () => events(late.frames).includes("plain"));
  equal(late.frames.filter(([, , , event]) => event === "phx_reply").length, 1);
  await sql`drop policy deep on realtime.messages`;
});

test("a client keeps at most 1 MB of subscriptions", async () => {
  await using wire = await openWire(own.secretKey, own.url);
  const statuses = [];
  for (let n = 0; n < 20; n++) {
    const change = { event: "*", schema: "public", table: "podcasts", filter: `title=eq.${"x".repeat(60_000)}` };
    statuses.push(
      (await wire.ask(`realtime:kept-${n}`, "phx_join", { config: { postgres_changes: [change] } })).status,
    );
  }
  equal([statuses[0], statuses.at(-1)], ["ok", "error"]);
});

test("a client keeps at most 1 MB of references and settings of joins", async () => {
  const long = "x".repeat(60_000);
  for (const [ref, config] of [[long, {}], ["1", { more: long }]]) {
    await using wire = await openWire(own.publishableKey, own.url);
    for (let n = 0; n < 20; n++) {
      wire.socket.send(JSON.stringify([ref, `${n}`, `realtime:long-${n}`, "phx_join", { config }]));
    }
    const replyTo = (n: number) => wire.frames.find(([, ref, , event]) => ref === `${n}` && event === "phx_reply");
    await waitFor("the last reply", () => replyTo(19));
    equal([0, 19].map((n) => replyTo(n)![4].status), ["ok", "error"]);
  }
});

test("subscriptions that are text or lists are ignored", async () => {
  await using wire = await openWire(own.publishableKey, own.url);
  const config = { postgres_changes: ["x".repeat(900), [1, 2], null] };
  const reply = await wire.ask("realtime:text", "phx_join", { config });
  equal(reply, { status: "ok", response: { postgres_changes: [] } });
});

test("a client that sends more than it lets the server process is disconnected", async () => {
  await using wire = await openWire(own.publishableKey, own.url);
  for (let n = 0; n < 200; n++) {
    wire.socket.send(JSON.stringify(["1", "1", "realtime:a", "x", { text: "x".repeat(1_000_000) }]));
  }
  await wire.closed();
  await using other = await openWire(own.publishableKey, own.url);
  equal((await other.ask("phoenix", "heartbeat")).status, "ok");
});

test("more than 200 clients are rejected", async () => {
  const wires = [];
  try {
    for (let n = 0; n < 200; n++) wires.push(await openWire(own.publishableKey, own.url));
    equal(await openWire(own.publishableKey, own.url).then(() => "open", () => "rejected"), "rejected");
  } finally {
    for (const wire of wires) await wire[Symbol.asyncDispose]();
  }
  await waitFor(
    "a free place",
    () =>
      openWire(own.publishableKey, own.url).then((wire) => wire[Symbol.asyncDispose]().then(() => true), () => false),
  );
});

Deno.test("presence keeps at most 32 MB for all topics, and frees what clients leave", () => {
  const presence = createPresence();
  const clients = Array.from({ length: 33 }, () => ({}));
  const track = (client: object) => presence.track("topic", client, { key: "k", payload: {}, length: 2 ** 20 });
  equal(clients.map(track).map((diff) => diff !== undefined), [...Array(32).fill(true), false]);
  presence.untrack("topic", clients[0]);
  equal([track(clients[32]) !== undefined, track(clients[1]) !== undefined], [true, true]);
});

Deno.test("a rate is exceeded by the average of a minute, not by a burst", () => {
  const rate = createRate(10);
  rate.add(600);
  equal(rate.isExceeded(), false);
  rate.add();
  equal(rate.isExceeded(), true);
});

test("too many broadcasts over HTTP are 429", async () => {
  const post = async (count: number) => {
    const messages = Array(count).fill({ topic: "a", event: "a", payload: {} });
    const headers = { apikey: own.publishableKey, "content-type": "application/json" };
    const response = await fetch(`${own.url}/realtime/v1/api/broadcast`, {
      method: "POST",
      body: JSON.stringify({ messages }),
      headers,
    });
    return [response.status, await response.text()];
  };
  equal(await post(101), [429, '{"message":"Too many messages to broadcast, please reduce the batch size"}']);
  let last: unknown[] = [];
  for (let n = 0; n < 200 && last[0] !== 429; n++) last = await post(50);
  equal(last[0], 429);
});
