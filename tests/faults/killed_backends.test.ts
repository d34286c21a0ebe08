// Backends of a stack are killed or terminated at random while 16 clients use all services. The stack's process and the
// functions' process survive, requests succeed again, and no acknowledged row is lost.
import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import { commandLine } from "../../local/host/processes.ts";
import { connectTo } from "../database.ts";
import { processesOf } from "../local/processes.ts";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";
import { startTestStack } from "../stack.ts";
import { waitFor } from "../wait_for.ts";

const KILLS = byScale(10, 50), CLIENTS = 16;
const seed = Number(Deno.env.get("CASTBASE_SEED") ?? Date.now() % 1e9);

Deno.test({
  name: "a stack whose database backends are killed at random keeps its processes and all acknowledged rows",
  ignore: Deno.build.os !== "linux",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    console.log(`CASTBASE_SEED=${seed}`);
    const random = seededRandom(seed);
    await using stack = await startTestStack({ durable: true });
    const isEnded = { stack: false };
    stack.ended.then(() => isEnded.stack = true);
    const options = { auth: { persistSession: false, autoRefreshToken: false } };
    const admin = createClient(stack.url, stack.secretKey, options);
    const email = "killer@people.test", password = "correct horse";
    assert.equal((await admin.auth.admin.createUser({ email, password, email_confirm: true })).error, null);
    const client = createClient(stack.url, stack.publishableKey, options);
    assert.equal((await client.auth.signInWithPassword({ email, password })).error, null);
    const { data: show, error } = await client.rpc("create_podcast", { title: "Killed" });
    assert.equal(error, null);
    const functionsPids = async () => {
      const pids = await processesOf(stack.pid);
      const lines = await Promise.all(pids.map(commandLine));
      return pids.filter((_, n) => lines[n]?.includes("functions/host.ts"));
    };
    const before = await functionsPids();

    const acknowledged: string[] = [], objects: string[] = [];
    const results = new Map<string, number>();
    let answered = 0, isBusy = true;
    const note = (what: string, isGood: boolean) => {
      const key = `${what} ${isGood ? "succeeded" : "failed"}`;
      results.set(key, (results.get(key) ?? 0) + 1);
      if (isGood) answered++;
    };
    const ACTS: Record<string, (n: string) => Promise<boolean>> = {
      async rest(n) {
        const { data } = await client.rpc("create_episode", { podcast_id: show.id, title: `Number ${n}` });
        if (data) acknowledged.push(data.id);
        return !!data;
      },
      async auth() {
        const other = createClient(stack.url, stack.publishableKey, options);
        return !(await other.auth.signInWithPassword({ email, password })).error;
      },
      async storage(n) {
        const { error } = await admin.storage.from("media").upload(`killed/${n}.mp3`, n, { contentType: "audio/mpeg" });
        if (!error) objects.push(`killed/${n}.mp3`);
        return !error;
      },
      async functions() {
        const response = await fetch(`${stack.functionsUrl}/public/listen/demo`);
        await response.body?.cancel();
        return response.status === 200;
      },
    };
    const clients = Array.from({ length: CLIENTS }, async (_, number) => {
      for (let n = 0; isBusy; n++) {
        const [what, act] = Object.entries(ACTS)[(number + n) % 4];
        const isGood = await act(`${number}-${n}`).catch(() => false);
        note(what, isGood);
        if (!isGood) await new Promise((resolve) => setTimeout(resolve, 50));
      }
    });

    const pauses: number[] = [];
    for (let kill = 0; kill < KILLS && !isEnded.stack; kill++) {
      await new Promise((resolve) => setTimeout(resolve, random.next() * 200));
      const start = performance.now();
      await waitFor("a backend is killed", async () => {
        const sql = connectTo(stack.dbUrl, 1);
        try {
          const found = await sql<{ pid: number }[]>`
            select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() order by pid`;
          if (found.length === 0) return false;
          const { pid } = random.one([...found]);
          if (random.chance(0.5)) Deno.kill(pid, "SIGKILL");
          else await sql`select pg_terminate_backend(${pid})`;
          return true;
        } catch {
          return false; // it still recovers, or the backend has just ended
        } finally {
          await sql.end({ timeout: 0 });
        }
      }, 60);
      const earlier = answered;
      await waitFor("requests succeed again", () => answered > earlier + CLIENTS || isEnded.stack, 90);
      pauses.push(performance.now() - start);
    }
    isBusy = false;
    await Promise.all(clients);
    pauses.sort((a, b) => a - b);
    console.log(
      `${pauses.length} backends killed; ready after ${Math.round(pauses[pauses.length >> 1])} ms in the median,`,
    );
    console.log(
      `${Math.round(pauses.at(-1)!)} ms at most; ${[...results].sort().map((each) => each.join(": ")).join(", ")}`,
    );

    assert.equal(isEnded.stack, false, "the stack ended");
    assert.deepEqual(await functionsPids(), before, "the functions' process ended");
    for (const what of Object.keys(ACTS)) {
      await waitFor(`${what} succeeds`, () => ACTS[what](`last-${what}-${crypto.randomUUID()}`).catch(() => false), 60);
    }
    const sql = connectTo(stack.dbUrl, 1);
    const [{ rows, stored }] = await sql`
      select (select count(*)::int from public.episodes where id = any (${acknowledged}::uuid[])) as rows,
        (select count(*)::int from storage.objects where name = any (${objects}::text[])) as stored`;
    await sql.end();
    console.log(`${acknowledged.length} episodes and ${objects.length} objects acknowledged`);
    assert.deepEqual([rows, stored], [acknowledged.length, objects.length]);
  },
});
