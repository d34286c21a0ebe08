// Leaks: random worlds with marked texts, and what strangers reach of them, compared with a model.
import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import { connectTo } from "../database.ts";
import { byScale } from "../scale.ts";
import { type StackInfo, startTestStack } from "../stack.ts";
import { tokensIn } from "./marks.ts";
import { bookingLinkTokens, expectedReads, rpcTokens } from "./model.ts";
import { callsOf, readFunctions, runCalls } from "./rpc_calls.ts";
import { reachStorage, stageFile } from "./storage_requests.ts";
import { describeTokens, reach, reachedOf, reachTables, type Stranger } from "./strangers.ts";
import { makeWorld, type World } from "./world.ts";
import { buildWorlds, changeWorlds, readColumns, UNMARKED, unmarkedColumns } from "./world_database.ts";

const WORLDS = byScale(8, 500), BATCH = 25;
/** CASTBASE_LEAK_SEED builds the world of one seed alone. */
const chosenSeed = Deno.env.get("CASTBASE_LEAK_SEED");
const firstSeed = Number(chosenSeed ?? byScale(1, 1 + Math.floor(Math.random() * 1e6)));

Deno.test(
  "strangers reach exactly what the model of a random world calls public",
  { sanitizeOps: false, sanitizeResources: false },
  async (t) => {
    await using stack = await startTestStack();
    // only a superuser may insert without triggers
    await using sql = disposable(connectTo(stack.dbUrl.replace("//postgres:", "//supabase_admin:"), 4));
    await sql`update private.queues set is_paused = name not in ('feed_invalidation', 'show_notes')`;
    const [urls] = await sql<{ media: string; listen: string; embed: string }[]>`
      select private.get_setting('media_url') as media, private.get_setting('listen_url') as listen,
        private.get_setting('embed_url') as embed`;
    const strangers = [{ name: "anon", claims: '{"role":"anon"}' }, await signUp(stack)] as const;
    const functions = await readFunctions(sql);
    const seeds = Array.from({ length: chosenSeed ? 1 : WORLDS }, (_, n) => firstSeed + n);
    console.log(`Worlds of the seeds ${firstSeed} to ${seeds.at(-1)}`);
    const failures: string[] = [], counts = { requests: 0, calls: 0, cursors: 0 };

    while (seeds.length > 0 && failures.length === 0) {
      const worlds = seeds.splice(0, BATCH).map((seed) => makeWorld(seed, urls));
      await buildWorlds(sql, worlds);
      await changeWorlds(sql, worlds);
      await stageFile(stack, worlds[0]);
      for (const world of worlds) {
        await compareReads(world);
        for (const stranger of strangers) {
          await compareCalls(world, stranger);
          await compareStorage(world, stranger);
        }
      }
      for (const stranger of strangers) await compareTables(worlds, stranger);
    }

    async function compareReads(world: World) {
      const reads = expectedReads(world, urls), publicUrl = `${stack.functionsUrl}/public`;
      await inParallel(8, reads, async ({ path, status, required, allowed = [] }) => {
        const { token } = world.random.chance(0.2) ? strangers[1] : {};
        const got = await reach(publicUrl + path, { token });
        const reached = reachedOf([world], got.text, path), expected = new Set([...required, ...allowed]);
        const sent = new Set(reachedOf([world], path, ""));
        const leaked = reached.filter((found) => !expected.has(found));
        const missing = [...required].filter((token) =>
          world.labels.has(token) && !reached.includes(token) && !sent.has(token)
        );
        note(world, path, got.status === status ? [] : [`status ${got.status}, not ${status}`]);
        note(world, `${path} leaks`, describeTokens([world], leaked));
        note(world, `${path} misses`, describeTokens([world], missing));
        counts.requests++;
        counts.cursors += got.cursorCount;
      });
    }

    async function compareCalls(world: World, stranger: Stranger) {
      const calls = callsOf(functions, world, world.random, stranger, urls.listen);
      const results = await runCalls(sql, stranger, calls);
      for (const [n, { name, statement }] of calls.entries()) {
        const allowed = rpcTokens(world, name);
        const leaked = reachedOf([world], results[n] ?? "", statement).filter((found) => !allowed.includes(found));
        note(world, `${name} for ${stranger.name} leaks`, describeTokens([world], leaked));
      }
      counts.calls += calls.length;
      const links = world.podcasts.map((podcast) => ({
        name: "get_public_booking_link",
        statement: `select public.get_public_booking_link('${podcast.bookingLink.id}')::text`,
      }));
      for (const [n, result] of (await runCalls(sql, stranger, links)).entries()) {
        const reached = tokensIn(result), expected = new Set(bookingLinkTokens(world.podcasts[n]));
        note(world, "a booking link leaks", describeTokens([world], [...reached.difference(expected)]));
        note(world, "a booking link misses", describeTokens([world], [...expected.difference(reached)]));
      }
    }

    async function compareStorage(world: World, stranger: Stranger) {
      for (const { sent, status, text, isList } of await reachStorage(stack, world, stranger)) {
        note(world, `${sent} for ${stranger.name} leaks`, describeTokens([world], reachedOf([world], text, sent)));
        note(world, sent, isList || status >= 400 ? [] : [`status ${status} for ${stranger.name}`]);
        counts.requests++;
      }
    }

    async function compareTables(worlds: World[], stranger: Stranger) {
      for (const { text } of await reachTables(stack, sql, stranger)) {
        note(worlds[0], `a table for ${stranger.name} leaks`, describeTokens(worlds, reachedOf(worlds, text, "")));
        counts.requests++;
      }
    }

    function note(world: World, what: string, problems: string[]) {
      if (problems.length > 0) failures.push(`seed ${world.seed}: ${what}: ${problems.join(", ")}`);
    }
    const columns = (await readColumns(sql)).map(({ table, column }) => `${table}.${column}`);
    const unmarked = await unmarkedColumns(sql);
    console.log(`${counts.requests} requests, ${counts.calls} calls, ${counts.cursors} cursors`);

    await t.step("every text column has a mark in some row, unless UNMARKED lists it", () => {
      assert.deepEqual(chosenSeed ? [] : unmarked.filter((column) => !UNMARKED.has(column)), []);
      assert.deepEqual([...UNMARKED].filter((column) => !columns.includes(column)), []);
    });
    await t.step("some responses have a cursor, which the comparison decodes", () => {
      assert.ok(chosenSeed || counts.cursors > 0);
    });
    await t.step("the responses are those of the model", () => assert.deepEqual(failures.slice(0, 20), []));
  },
);

/** A signed-in user without a role on any podcast. */
async function signUp(stack: StackInfo): Promise<Stranger> {
  const options = { auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false } };
  const email = "stranger@people.example", password = "correct horse";
  const admin = createClient(stack.url, stack.secretKey, options);
  await admin.auth.admin.createUser({ email, password, email_confirm: true });
  const { data, error } = await createClient(stack.url, stack.publishableKey, options)
    .auth.signInWithPassword({ email, password });
  if (error) throw error;
  const token = data.session.access_token;
  return { name: "stranger", token, claims: atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/")) };
}

async function inParallel<T>(limit: number, items: T[], run: (item: T) => Promise<void>) {
  const waiting = [...items];
  await Promise.all(Array.from({ length: limit }, async () => {
    for (let item = waiting.shift(); item; item = waiting.shift()) await run(item);
  }));
}

const disposable = (sql: ReturnType<typeof connectTo>) =>
  Object.assign(sql, { [Symbol.asyncDispose]: () => sql.end({ timeout: 5 }) });
