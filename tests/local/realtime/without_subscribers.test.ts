// Without subscribers, realtime skips changes and broadcasts. A client that joins meanwhile must receive every one after
// its SUBSCRIBED, and no earlier one.
import { createClient, type RealtimeChannel } from "@supabase/supabase-js";
import { deepStrictEqual as equal } from "node:assert";
import { createRealtime } from "../../../local/realtime/server.ts";
import { startHttpServer } from "../../http_server.ts";
import { stack } from "../../stack.ts";
import { type Pause, startPausedDatabase } from "../paused_database.ts";
import { asPostgres } from "../../database.ts";
import { waitFor } from "../../wait_for.ts";

const READING = "realtime_replication_connection", SUBSCRIBING = "realtime_subscriptions";
const server = await stack();

/** A realtime service whose only clients are the test's, with a table to subscribe to. */
async function quiet() {
  const sql = asPostgres(server);
  const table = "sv_unheard_" + crypto.randomUUID().slice(0, 8);
  await sql.unsafe(`
    create table ${table} (id bigint generated always as identity primary key, title text);
    grant select on ${table} to service_role;
    alter publication supabase_realtime add table ${table};`).simple();
  const database = startPausedDatabase(Object.assign(new URL(server.dbUrl), { username: "supabase_admin" }).href);
  const keys = { publishable: server.publishableKey, secret: server.secretKey };
  const claims = () => Promise.resolve({ role: "service_role" });
  const realtime = createRealtime({ adminUrl: database.url, keys, claims });
  const web = startHttpServer(realtime.fetch);
  const auth = { persistSession: false, autoRefreshToken: false };
  const client = createClient(web.url, server.secretKey, { auth });
  await subscribed(
    client.channel("first").on("postgres_changes", { event: "INSERT", schema: "public", table }, () => {}),
  );
  await client.removeAllChannels(); // its slot stays
  return {
    pause: database.pause,
    /** Commits to the log synchronously: the service skips the log only up to what has been flushed. */
    insert: (title: string) =>
      sql.begin((sql) => [sql`set local synchronous_commit = on`, sql`insert into ${sql(table)} ${sql({ title })}`]),
    /** Joins, and calls `then` as soon as the join is confirmed. `received` has titles, or why there will be none. */
    join(then: () => Promise<unknown>) {
      const received: string[] = [];
      const channel = client.channel(crypto.randomUUID()).on(
        "postgres_changes",
        { event: "INSERT", schema: "public", table },
        (change) => received.push(change.new.title),
      ).on("system", {}, ({ status, message }) => status === "error" && received.push(message));
      return { received, done: subscribed(channel).then(then), leave: () => channel.unsubscribe() };
    },
    send: (topic: string, n: number) => sql`select realtime.send(${sql.json({ n })}, 'count', ${topic}, true)`,
    /** Joins the topic, sends `n` and returns what arrives up to it. */
    async broadcasts(topic: string, n: number) {
      const received: number[] = [];
      const channel = client.channel(topic, { config: { private: true } });
      await subscribed(channel.on("broadcast", { event: "count" }, ({ payload }) => received.push(payload.n)));
      await this.send(topic, n);
      await waitFor("the last broadcast", () => received.includes(n));
      await channel.unsubscribe();
      return received;
    },
    async [Symbol.asyncDispose]() {
      database.releaseAll();
      await client.removeAllChannels();
      await realtime.close();
      await web[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
      await sql.unsafe(`drop table ${table}`);
      await sql.end({ timeout: 1 });
    },
  };
}

function subscribed(channel: RealtimeChannel): Promise<void> {
  return new Promise((resolve, reject) =>
    channel.subscribe((status, error) => {
      if (status === "SUBSCRIBED") resolve();
      if (status === "CHANNEL_ERROR" || status === "TIMED_OUT") reject(error ?? new Error(status));
    })
  );
}

const reached = (what: string, pause: Pause) => waitFor(what, pause.isReached);

/** supabase-js leaves a timer behind when it disconnects. */
const test = (name: string, fn: () => Promise<void>) =>
  Deno.test({ name, fn, sanitizeOps: false, sanitizeResources: false });

test("a client that joins while the slot advances receives every change after its SUBSCRIBED", async () => {
  await using here = await quiet();
  for (let round = 0; round < 3; round++) {
    const passing = here.pause(READING);
    await reached("the log is about to be passed over", passing);
    await here.insert("before");
    const joined = here.join(() => here.insert("after"));
    // an answer now would be a promise that the passing over breaks
    await Promise.race([joined.done, new Promise((resolve) => setTimeout(resolve, 300))]);
    passing.release();
    await joined.done;
    await waitFor("what was written after SUBSCRIBED", () => joined.received.length);
    equal(joined.received, ["after"]);
    await joined.leave();
  }
});

test("realtime skips no change while a client joins and sends it no earlier one", async () => {
  await using here = await quiet();
  for (let round = 0; round < 3; round++) {
    const subscribing = here.pause(SUBSCRIBING);
    const joined = here.join(() => here.insert("after"));
    await reached("the question which tables there are", subscribing);
    const reading = here.pause(READING);
    await reached("the next look at the log", reading);
    await here.insert("before");
    subscribing.release();
    await joined.done;
    reading.release();
    await waitFor("what was written after SUBSCRIBED", () => joined.received.length);
    equal(joined.received, ["after"]);
    await joined.leave();
  }
});

test("a client that joins receives no broadcast that was sent before", async () => {
  await using here = await quiet();
  const topic = "sv-" + crypto.randomUUID();
  equal(await here.broadcasts(topic, 1), [1]);
  const idle = here.pause(READING);
  await reached("the next look at the log, without clients", idle);
  await here.send(topic, 2);
  idle.release();
  equal(await here.broadcasts(topic, 3), [3]);
});
