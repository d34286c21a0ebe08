// Due podcasts, half of them with a redirect, are deleted by workers that are killed, and whose backends are terminated,
// at random: every podcast is whole or deleted at every moment, and in the end nothing of it is left but its tombstone.
import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import type postgres from "postgres";
import { asPostgres } from "../database.ts";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";
import { startTestStack, type TestStack } from "../stack.ts";
import { waitFor } from "../wait_for.ts";
import { startWorker } from "../worker/worker.ts";

const PODCASTS = byScale(20, 100), OBJECTS = 20, KILLS = byScale(6, 30);
const seed = Number(Deno.env.get("CASTBASE_SEED") ?? Date.now() % 1e9);

interface Show {
  id: string;
  slug: string;
  redirect: string | null;
}

Deno.test({
  name: "due podcasts are deleted whole, with their objects, by workers that are killed at random",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    console.log(`CASTBASE_SEED=${seed}`);
    const random = seededRandom(seed);
    await using at = await startTestStack();
    await using sql = asPostgres(at);
    await sql`select private.set_setting('worker_url', 'http://127.0.0.1:9')`; // only the test's workers
    await sql`
      update private.queues set backoff_base = '1 second', backoff_max = '1 second', max_attempts = 100
      where name in ('podcast_deletions', 'storage_gc')`;
    const shows = await makeDuePodcasts(at, sql);
    const ids = shows.map(({ id }) => id);
    const [{ enqueued }] = await sql`select private.enqueue_due_deletions() as enqueued`;
    assert.equal(enqueued, PODCASTS);

    const left = async () =>
      (await sql<{ left: number }[]>`select count(*)::int as left from public.podcasts where id = any (${ids})`)[0]
        .left;
    let isBusy = true, looks = 0;
    const responses = new Map<string, number>();
    const watchRows = (async () => {
      while (isBusy) {
        assert.deepEqual(await tornPodcasts(sql, shows), []);
        looks++;
      }
    })();
    const watchFeeds = (async () => {
      while (isBusy) {
        const { slug, redirect } = random.one(shows);
        for (const path of [`feeds/${slug}.xml`, `listen/${slug}`]) {
          const { status, headers, body } = await fetch(`${at.functionsUrl}/public/${path}`, { redirect: "manual" });
          await body?.cancel();
          const isMoved = redirect !== null && path.startsWith("feeds");
          assert.ok((isMoved ? [301] : [200, 410]).includes(status), `${path}: ${status}`);
          assert.equal(headers.get("location"), isMoved ? redirect : null);
          const kind = `${path.split("/")[0]}${redirect ? " with redirect" : ""} ${status}`;
          responses.set(kind, (responses.get(kind) ?? 0) + 1);
        }
      }
    })();

    let killed = 0, terminated = 0, struck = 0;
    for (; killed < KILLS; killed++) {
      const worker = await startWorker(at, ["podcast_deletions", "storage_gc"]);
      const before = await left();
      await waitFor(
        "the worker deletes podcasts or objects",
        async () => await left() < before || await left() === 0,
        30,
      );
      const terminates = random.chance(0.5) || !terminated;
      for (let tries = 0; terminates && tries < 100; tries++) { // until it hits one that is deleting
        const signaled = await sql`
          select pg_terminate_backend(pid) as is_done from pg_stat_activity
          where application_name = 'functions' and state = 'active' and query like '%delete_due_podcast%'`;
        terminated += signaled.filter(({ is_done }) => is_done).length;
        if (signaled.length) break;
      }
      await pause(random.next() * 20);
      await worker.kill();
      if (await left() > 0) struck++;
      await releaseMessages(sql);
    }
    {
      await using _worker = await startWorker(at, ["podcast_deletions", "storage_gc"]);
      await waitFor("the queues are empty", async () => {
        await releaseMessages(sql);
        const [{ depth }] = await sql`
          select sum(depth + dead_letters)::int as depth from private.queue_health where queue in ('podcast_deletions', 'storage_gc')`;
        return depth === 0;
      }, 120);
    }
    isBusy = false;
    await Promise.all([watchRows, watchFeeds]);
    const counts = [...responses].sort().map(([kind, count]) => `${kind}: ${count}`);
    console.log(
      `${PODCASTS} podcasts, ${
        PODCASTS * OBJECTS
      } objects; ${killed} workers killed, ${struck} before the last deletion; ` +
        `${terminated} deleting backends terminated; ${looks} looks at all rows; responses: ${counts.join(", ")}`,
    );
    assert.ok(terminated > 0, "no backend was terminated while it deleted");
    assert.ok(struck >= KILLS / 2, `only ${struck} kills came before the last deletion`);
    assert.equal(await left(), 0);

    // the storage of an upload that was running is swept
    await sql`select private.sweep_storage(now() + interval '30 days')`;
    assert.deepEqual([...await sql`select name from storage.objects where name ~ ${ids.join("|")}`], []);
    assert.deepEqual(await mentions(sql, ids), [
      "notification_deliveries", // of the changed redirect, which the owner is told
      "notifications",
      "private.events",
      "private.feed_redirects",
      "private.podcast_slugs",
      "private.podcast_tombstones",
      "private.rate_limits",
    ]);
    const [{ drift }] = await sql`
      select count(*)::int as drift from public.billing_accounts a
      where a.storage_bytes_used <> coalesce((select sum(m.bytes) from private.media_objects m
        where m.account_id = a.user_id and m.released_at is null), 0)`;
    assert.equal(drift, 0);
  },
});

/** Podcasts whose deletion is due, each with a stored object per episode and one that no row references. */
async function makeDuePodcasts(at: TestStack, sql: postgres.Sql): Promise<Show[]> {
  const { auth, storage } = createClient(at.url, at.secretKey, { auth: { persistSession: false } });
  const { data: { user } } = await auth.admin.createUser({
    email: "leaver@people.test",
    password: "correct horse",
    email_confirm: true,
  });
  const made = await sql<{ id: string; slug: string }[]>`
    insert into public.podcasts (owner_id, title)
    select ${user!.id}, 'Show ' || n from generate_series(1, ${PODCASTS}::int) n
    returning id, slug`;
  const shows = made.map(({ id, slug }, n) => ({ id, slug, redirect: n % 2 ? `https://new.example/${slug}` : null }));
  const store = async (path: string) => {
    const { error } = await storage.from("media").upload(path, new Uint8Array(100), { contentType: "audio/mpeg" });
    if (error) throw error;
  };
  for (const { id } of shows) {
    const episodes = await sql<{ id: string; path: string }[]>`
      insert into public.episodes (podcast_id, title) select ${id}, 'Part ' || n from generate_series(1, ${
      OBJECTS - 1
    }::int) n
      returning id, format('podcasts/%s/e/%s/audio/%s.mp3', podcast_id, id, gen_random_uuid()) as path`;
    await Promise.all([...episodes.map(({ path }) => store(path)), store(`podcasts/${id}/stray`)]);
    await sql`
      select private.finish_audio_upload(${user!.id}, ${id}, e.id, e.path, 100, 'audio/mpeg', 60, null)
      from unnest(${episodes.map(({ id }) => id)}::uuid[], ${episodes.map(({ path }) => path)}::text[]) e (id, path)`;
    await sql`update public.episodes set status = 'published' where podcast_id = ${id}`;
  }
  await sql`
    update public.podcasts p set status = 'pending_deletion', deletion_requested_at = now() - interval '90 days',
      deletion_scheduled_at = now(), deletion_redirect_url = s.redirect
    from ${rowsOf(sql, shows)} where p.id = s.id`;
  return shows;
}

/** The podcasts that are neither whole nor deleted, as of one moment. */
async function tornPodcasts(sql: postgres.Sql, shows: Show[]) {
  const rows = await sql`
    select s.id, p.id is not null as is_there, t.podcast_id is not null as has_tombstone,
      (t.slug, r.url) is not distinct from (s.slug, s.redirect) as is_right_tombstone,
      coalesce(e.count, 0) as episodes, coalesce(m.count, 0) as objects, coalesce(o.count, 0) as stored,
      coalesce(b.count, 0) as buried
    from ${rowsOf(sql, shows)}
    left join public.podcasts p on p.id = s.id
    left join private.podcast_tombstones t on t.podcast_id = s.id
    left join private.feed_redirects r on r.podcast_id = s.id
    left join (select podcast_id, count(*)::int from public.episodes group by 1) e on e.podcast_id = s.id
    left join (select slug, count(*)::int from private.episode_tombstones group by 1) b on b.slug = s.slug
    left join (select podcast_id, count(*)::int from private.media_objects group by 1) m on m.podcast_id = s.id
    left join (select split_part(name, '/', 2) as id, count(*)::int from storage.objects group by 1) o on o.id = s.id::text`;
  return rows.filter(({ is_there, episodes, objects, stored, has_tombstone, is_right_tombstone, buried }) =>
    is_there
      ? episodes !== OBJECTS - 1 || objects !== OBJECTS - 1 || stored !== OBJECTS || has_tombstone || buried !== 0
      : episodes !== 0 || objects !== 0 || !is_right_tombstone || buried !== OBJECTS - 1
  );
}

/** The shows as rows of a statement. */
const rowsOf = (sql: postgres.Sql, shows: Show[]) =>
  sql`jsonb_to_recordset(${sql.json(shows as never)}) as s (id uuid, slug text, redirect text)`;

/** Makes the messages of killed workers visible. */
async function releaseMessages(sql: postgres.Sql) {
  await sql`update pgmq.q_podcast_deletions set vt = now() where vt > now()`;
  await sql`update pgmq.q_storage_gc set vt = now() where vt > now()`;
}

/** The tables in which a row names one of these ids. */
async function mentions(sql: postgres.Sql, ids: string[]): Promise<string[]> {
  const found: string[] = [];
  const tables = await sql<{ name: string }[]>`
    select c.oid::regclass::text as name from pg_class c
    where c.relkind = 'r' and c.relnamespace::regnamespace::text in ('public', 'private', 'pgmq', 'storage') order by 1`;
  for (const { name } of tables) {
    const [{ is_found }] = await sql.unsafe(`select exists (select from ${name} t where t::text ~ $1) as is_found`, [
      ids.join("|"),
    ]);
    if (is_found) found.push(name);
  }
  return found;
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
