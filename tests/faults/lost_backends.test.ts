// Backends of the functions are terminated at random, or all their connections cut, while every route and every job
// works. The processes survive, callers get at worst a clean 503, and in the end rows, objects, feeds and messages
// agree.
// Not clean: any other 5xx, a 503 without Retry-After or the envelope, no response within a minute.
import assert from "node:assert/strict";
import { callParameters, callStatement } from "../../functions/database/operations.ts";
import { XMLParser } from "fast-xml-parser";
import { waitFor } from "../wait_for.ts";
import { startFunctions } from "../functions.ts";
import { routes } from "../http/declared_routes.ts";
import { startWorker } from "../worker/worker.ts";
import { asPostgres } from "../database.ts";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";
import { startTestStack } from "../stack.ts";
import { startDatabaseProxy } from "./database_proxy.ts";
import { learn, oftener, requestTo } from "./every_route.ts";
import { startWorld } from "./world.ts";

const KILLS = byScale(20, 300), ACTORS = 12;
const seed = Number(Deno.env.get("CASTBASE_SEED") ?? Date.now() % 1e9);

Deno.test({
  name: "functions whose database backends are terminated at random respond on every route and lose no data",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(t) {
    console.log(`CASTBASE_SEED=${seed}`);
    const random = seededRandom(seed);
    await using at = await startTestStack();
    await using sql = asPostgres(at);
    await using world = await startWorld(at, sql);
    await using network = startDatabaseProxy(at);
    await using functions = await startFunctions(at, {
      ...world.env,
      SUPABASE_DB_URL: network.url,
      WORKER_SECRET: world.workerSecret,
    });
    await using worker = await startWorker(at, [], world.env);
    await sql`update private.queues set backoff_base = '1 second', backoff_max = '1 second', max_attempts = 20`;
    await sql`select private.set_setting('worker_url', ${`${functions.url}/worker`}),
      private.set_setting('max_email_confirmations_per_day', '100000')`;
    const ended: string[] = [];
    functions.ended.then(() => ended.push("the functions"));
    worker.ended.then(() => ended.push("the worker"));

    const documented = routes.map(({ method, path }) => `${method} ${path}`);
    const responses = new Map(documented.map((route) => [route, new Map<number, number>()]));
    const failures: string[] = [];
    let isBusy = true, answered = 0;

    let deck: string[] = [];
    const shuffled = (all: string[]) =>
      all.map((route) => [random.next(), route] as const).sort().map(([, one]) => one);
    const act = async (): Promise<void> => {
      if (deck.length === 0) deck = shuffled([...documented, ...oftener, ...oftener, ...oftener]);
      const route = deck.pop()!, sent = requestTo(route, world, random);
      const { path, query, json, body, type, token } = sent;
      const response = await fetch(`${functions.url}${path}${query ? `?${new URLSearchParams(query)}` : ""}`, {
        method: route.split(" ")[0],
        headers: {
          ...token && { authorization: `Bearer ${token}` },
          ...(json !== undefined || body) && { "content-type": type ?? "application/json" },
        },
        body: json !== undefined ? JSON.stringify(json) : body,
        redirect: "manual",
        signal: AbortSignal.timeout(60_000),
      });
      const text = await response.text().catch((error) => {
        // an export that has begun can only break off
        if (route !== "GET /api/account/export") throw new Error(`${route}: ${error.message}`);
        return "";
      });
      const { status } = response, seen = responses.get(route)!;
      seen.set(status, (seen.get(status) ?? 0) + 1);
      answered++;
      if (!isClean(response, text)) failures.push(`${route}: ${status} ${text}`);
      const isJson = response.headers.get("content-type")?.startsWith("application/json");
      if ((response.ok || status === 409) && isJson && text) await learn(route, world, sent, JSON.parse(text));
    };
    const actors = Array.from({ length: ACTORS }, async () => {
      while (isBusy) await act().catch((error) => failures.push(error.message));
    });
    // Feeds change and teams grow continuously: no route of the functions invites to a team
    const claims = JSON.stringify({ role: "authenticated", sub: world.ownerId });
    const edits = (async () => {
      for (let n = 0; isBusy; n++) {
        const { id, show } = random.one(world.episodes);
        await sql`update public.episodes set title = ${`Title ${random.below(1e6)}`} where id = ${id}`;
        const invitation = { podcastId: show.id, email: `member-${n}@members.test` };
        await sql.unsafe(callStatement("invite_podcast_member"), callParameters(claims, invitation));
        if (random.chance(0.1)) await makeDuePodcast();
        if (random.chance(0.1)) await confirmEmail();
        if (random.chance(0.1)) {
          const language = random.one(["de", "en"]);
          await sql`update public.podcasts set language = ${language} where id = ${show.id}`;
        }
        if (random.chance(0.1)) await sql`select private.enqueue_due_calendar_reads(now() + interval '1 hour')`;
        await pause(20);
      }
    })();

    async function makeDuePodcast() {
      await sql`
        insert into public.podcasts (owner_id, title, status, deletion_requested_at, deletion_scheduled_at,
          deletion_redirect_url)
        values (${world.ownerId}, 'Leaving', 'pending_deletion', now() - interval '1 day', now(),
          ${`${world.host}feed.xml`})`;
      await sql`select private.enqueue_due_deletions()`;
    }

    /** As the owner, after a bounce. */
    async function confirmEmail() {
      await sql`select private.suppress_email(private.email_digest(u.email), 'bounce')
        from auth.users u where u.id = ${world.ownerId}`;
      await sql.unsafe(callStatement("request_email_confirmation"), callParameters(claims, {}));
      await sql`delete from private.email_suppressions`;
    }

    const pids = async () => (await sql<{ pid: number; state: string }[]>`
        select pid, state from pg_stat_activity where application_name = 'functions' order by pid`);
    let atWork = 0;
    for (let kill = 0; kill < KILLS && ended.length === 0; kill++) {
      const before = answered;
      await pause(random.next() * 60);
      const { pid, state } = random.one(
        await waitFor("there are backends", async () => {
          const found = await pids();
          return found.length > 0 ? found : undefined;
        }),
      );
      if (random.chance(0.1)) network.cut(); // all connections of the functions, without an error message of the database
      else await sql`select pg_terminate_backend(${pid})`;
      if (state === "active") atWork++;
      await waitFor("callers receive responses again", () => answered > before + 3 || ended.length > 0, 60);
    }
    const silent = () => [...responses].filter(([, seen]) => [...seen.keys()].every((status) => status === 503));
    const idle = async () => {
      const found = await sql`
        select q.name from private.queues q cross join lateral pgmq.metrics(q.name) m where not q.is_paused and m.total_messages = 0`;
      return found.map(({ name }) => name);
    };
    await waitFor(
      "every route is answered, and every queue used (tests/faults/every_route.ts)",
      async () => silent().length === 0 && (await idle()).length === 0 || ended.length > 0,
      120,
    ).catch(async (error) => failures.push(`${error}: ${[...silent().map(([route]) => route), ...await idle()]}`));
    isBusy = false;
    await Promise.all([...actors, edits]);
    console.log(`${KILLS} backends terminated, ${atWork} of them at work; ${answered} answers:`);
    const total = new Map<number, number>();
    for (const seen of responses.values()) {
      for (const [status, n] of seen) total.set(status, (total.get(status) ?? 0) + n);
    }
    console.log([...total].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`).join(", "));

    await t.step("no process of the functions ended", () => assert.deepEqual(ended, []));
    await t.step("every route responded, with nothing worse than 503 with envelope and Retry-After", () => {
      assert.deepEqual(failures, []);
    });
    await t.step("each queue message is done or a dead letter with its error", async () => {
      await pause(2000); // requests and jobs in progress finish
      for (const queue of await queues()) await sql`update pgmq.${sql(`q_${queue}`)} set vt = least(vt, now())`;
      await waitFor("the queues are empty", async () => {
        await sql`select private.enqueue_due_deliveries()`;
        await (await fetch(`${functions.url}/worker`, {
          method: "POST",
          headers: { authorization: `Bearer ${world.workerSecret}` },
        })).body?.cancel();
        const [{ left }] = await sql`select sum(depth)::int as left from private.queue_health where not is_paused`;
        return left === 0;
      }, 180);
      for (const queue of await queues()) {
        const dead = await sql`select message from pgmq.${sql(`q_${queue}_dlq`)}`;
        for (const { message } of dead) assert.ok(message.error, `${queue}: ${JSON.stringify(message)}`);
        const [{ total }] = await sql`select total_messages::int as total from pgmq.metrics(${queue})`;
        console.log(`${queue}: ${total} messages, ${dead.length} dead`);
      }
    });

    await t.step("every invited guest has an email", async () => {
      const waiting = await sql`
        select id, email_status from public.episode_guests where email_status in ('waiting', 'queued')`;
      assert.deepEqual([...waiting], []);
    });

    await t.step("no item of a running import waits without a message", async () => {
      const waiting = await sql`
        select i.id, i.status from public.podcast_import_items i join public.podcast_imports p on p.id = i.import_id
        where p.status = 'running' and i.status in ('pending', 'processing')`;
      assert.deepEqual([...waiting], []);
    });

    await t.step("each file of an imported episode is copied or reported", async () => {
      const waiting = await sql`
        select e.id, r.url, e.chapters_url from public.episodes e
        join public.podcast_import_items i on i.episode_id = e.id
        join public.podcast_import_item_texts x on x.import_item_id = i.id
        left join public.episode_transcripts r on r.episode_id = e.id and r.bytes is null
        where (r.id is not null or e.chapters_url is not null) and not x.losses @> '[{"reason": "NOT_COPIED"}]'`;
      assert.deepEqual([...waiting], []);
    });

    await t.step("the calendar shows each confirmed booking once", async () => {
      const confirmed = await sql`select id from public.bookings where status = 'confirmed' order by id`;
      assert.deepEqual(world.bookedIds().sort(), confirmed.map(({ id }) => id));
    });

    await t.step("each execution of an automation has ended", async () => {
      const waiting = await sql`
        select id, status, error_message from public.automation_executions where status in ('pending', 'running')`;
      assert.deepEqual([...waiting], []);
    });

    await t.step("no podcast whose deletion is due is left", async () => {
      const due = await sql`select id from public.podcasts where status = 'pending_deletion'`;
      assert.deepEqual([...due], []);
    });

    await t.step("each feed lists the published episodes", async () => {
      for (const { id, slug } of world.shows) {
        const rows = await sql`
          select title from public.episodes where podcast_id = ${id} and status = 'published' order by published_at desc, id desc`;
        const text = await (await fetch(`${functions.url}/public/feeds/${slug}.xml`)).text();
        const { rss } = new XMLParser({ isArray: (name) => name === "item" }).parse(text);
        const listed = (rss.channel.item ?? []).map((item: { title: string }) => item.title);
        assert.deepEqual(listed, rows.map(({ title }) => title), slug);
      }
    });

    await t.step("each account's storage usage equals the sum of its objects", async () => {
      const drifted = await sql`
        select a.user_id from public.billing_accounts a
        where a.storage_bytes_used <> coalesce((select sum(bytes) from private.media_objects m
          where m.account_id = a.user_id and m.released_at is null), 0)`;
      assert.deepEqual([...drifted], []);
    });

    await t.step("the sweep leaves no object without a row and no row without an object", async () => {
      await sql`select private.sweep_storage(a.month_later), private.sweep_staging(a.month_later)
        from (select now() + interval '30 days' as month_later) a`;
      await waitFor("garbage collection is done", async () => {
        const [{ left }] = await sql`select count(*)::int as left from pgmq.q_storage_gc`;
        return left === 0;
      }, 60);
      const astray = await sql`
        select o.name as object, m.path as row from (select * from storage.objects where bucket_id in ('media', 'staging')) o
        full join (
          select path from private.media_objects where released_at is null
          union all
          select path from private.media_copies) m on m.path = o.name
        where o.name is null or m.path is null`;
      assert.deepEqual([...astray].filter(({ object }) => !object?.startsWith("podcasts/11111111-")), []); // the seed's
    });

    async function queues(): Promise<string[]> {
      return (await sql`select name from private.queues where not is_paused order by name`).map(({ name }) => name);
    }
  },
});

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A status below 500, or a 503 with the envelope and Retry-After. */
function isClean({ status, headers }: Response, text: string): boolean {
  if (status < 500) return true;
  if (status !== 503 || !headers.has("retry-after")) return false;
  if (!headers.get("content-type")?.startsWith("application/json")) return true; // a page
  const { error, code } = JSON.parse(text);
  return typeof error === "string" && code === undefined;
}
