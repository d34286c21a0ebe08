// The smallest database has 60 connections, which the isolates of all functions share with Auth, REST, Storage, Realtime,
// cron and everyone else.
import { deepStrictEqual as deepEqual, ok, strictEqual as equal } from "node:assert";
import { createClient } from "@supabase/supabase-js";
import { connectTo } from "../database.ts";
import { startFunctions } from "../functions.ts";
import { startTestStack } from "../stack.ts";
import { waitFor } from "../wait_for.ts";

const MAX_CONNECTIONS = 60, REQUESTS = 155;

Deno.test({
  name: "six isolates leave room for Auth during a burst, and give all connections back after seconds",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using at = await startTestStack({ maxConnections: MAX_CONNECTIONS });
    const secret = crypto.randomUUID();
    const start = (name: "api" | "public" | "worker") => startFunctions(at, { WORKER_SECRET: secret }, { only: name });
    await using api = await start("api");
    await using api2 = await start("api");
    await using pages = await start("public");
    await using pages2 = await start("public");
    await using worker = await start("worker");
    await using worker2 = await start("worker");
    const isolates = { api: [api, api2], public: [pages, pages2], worker: [worker, worker2] };
    const admin = createClient(at.url, at.secretKey, { auth: { persistSession: false, autoRefreshToken: false } });
    const account = { email: "busy@people.test", password: "correct horse" };
    await admin.auth.admin.createUser({ ...account, email_confirm: true });
    const signIn = async () => {
      const client = createClient(at.url, at.publishableKey, {
        auth: { persistSession: false, autoRefreshToken: false },
      });
      const { data, error } = await client.auth.signInWithPassword(account);
      return error ? `failed: ${error.message}` : data.session.access_token;
    };
    const token = await signIn();
    const sql = connectTo(at.dbUrl, 1);
    const connections = async () => {
      const [{ count }] = await sql`
        select count(*)::int from pg_stat_activity where application_name = 'functions'`;
      return count;
    };

    const send = async (n: number) => {
      const isolate = (name: keyof typeof isolates) => isolates[name][n % 8 < 4 ? 0 : 1].url;
      const request = [
        () => fetch(`${isolate("api")}/api/billing`, { headers: { authorization: `Bearer ${token}` } }),
        () => fetch(`${isolate("public")}/public/v1/podcasts/show-${n}`),
        () => fetch(`${isolate("public")}/public/feeds/show-${n}.xml`),
        () =>
          fetch(`${isolate("worker")}/worker`, {
            method: "POST",
            headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
            body: "{}",
          }),
      ][n % 4];
      const response = await request();
      await response.body?.cancel();
      return response.status;
    };
    let isDone = false, most = 0;
    const watching = (async () => {
      while (!isDone) most = Math.max(most, await connections());
    })();
    const signedIn = (async () => {
      const results = [];
      while (!isDone) results.push(await signIn(), await newConnection(at.dbUrl));
      return results;
    })();
    const statuses = await Promise.all(Array.from({ length: REQUESTS }, (_, n) => send(n)));
    isDone = true;
    await watching;
    deepEqual(new Set(statuses), new Set([200, 404, 202]));
    deepEqual((await signedIn).filter((result) => result.startsWith("failed")), [], "Auth works during the burst");
    ok(most > 0 && most <= 6 * 4, `${most} connections of six isolates`);

    await waitFor("the functions have closed their connections", async () => await connections() === 0, 15);
    const all = connectionsLeft(
      await sql`select count(*)::int from pg_stat_activity where backend_type = 'client backend'`,
    );
    equal((await openAll(at.dbUrl, all)).length, all, "everyone else gets in");
    await sql.end({ timeout: 1 });
  },
});

/** Three are reserved for superusers, and cron may open some at any time. */
const connectionsLeft = ([{ count }]: { count: number }[] | readonly Record<string, number>[]) =>
  MAX_CONNECTIONS - 3 - 5 - count;

/** As a service that needs a connection now. */
async function newConnection(dbUrl: string): Promise<string> {
  const sql = connectTo(dbUrl, 1, { username: "supabase_auth_admin" });
  return await sql`select`.then(() => "ok", ({ message }) => `failed: ${message}`).finally(() =>
    sql.end({ timeout: 1 })
  );
}

async function openAll(dbUrl: string, count: number): Promise<number[]> {
  const sql = connectTo(dbUrl, count, { username: "authenticator" });
  const held = await Promise.all(
    Array.from({ length: count }, () => sql.reserve()),
  );
  const pids = await Promise.all(held.map(async (one) => (await one`select pg_backend_pid() as pid`)[0].pid as number));
  for (const one of held) one.release();
  await sql.end({ timeout: 1 });
  return [...new Set(pids)];
}
