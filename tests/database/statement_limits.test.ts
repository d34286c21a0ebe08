// Callers who wait for one row: they fail soon, and meanwhile everyone else is served.
import { deepStrictEqual as deepEqual, ok, strictEqual as equal } from "node:assert";
import { connectTo } from "../database.ts";
import { createFeedDatabase, makeEpisodes, makePodcast } from "../feed_writer/feed_database.ts";
import { waitFor } from "../wait_for.ts";
import type { Statement } from "../../functions/database/db.ts";

/** More than a pool has connections. */
const CALLERS = 12;

const code = (work: Promise<unknown>) => work.then(() => "ok", (error: { code?: string }) => error.code);

Deno.test("callers who wait for one row", { sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using scratch = await createFeedDatabase();
  const { sql } = scratch;
  const { dbAs, dbFrom, routeSql, serviceSql, startPublicReads } = await import("../../functions/database/db.ts");
  const as = (userId: string) => dbAs(JSON.stringify({ role: "authenticated", sub: userId }), userId);

  const [contended, quiet] = [await makePodcast(sql), await makePodcast(sql)];
  await makeEpisodes(sql, contended, CALLERS);
  await makeEpisodes(sql, quiet, 1);
  const episodes = (await sql`select id from public.episodes where podcast_id = ${contended}`).map(({ id }) => id);
  const [bystander] = await sql`
    select p.owner_id as user_id, e.id as episode_id from public.podcasts p join public.episodes e on e.podcast_id = p.id
    where p.id = ${quiet}`;
  const admins = await sql`
    with users as (
      insert into auth.users (id, email, email_confirmed_at, aud, role)
      select gen_random_uuid(), n || '@admins.test', now(), 'authenticated', 'authenticated'
      from generate_series(1, ${CALLERS}::int) n returning id)
    select id from users`;
  await sql`
    insert into public.podcast_members (podcast_id, user_id, role)
    select ${contended}, id, 'admin' from auth.users where email like '%@admins.test'`;
  const holder = connectTo(scratch.url, 1);

  const addPerson = (userId: string, episodeId: string) =>
    as(userId).call("add_episode_person", { episodeId, sourceType: "external", name: "Ann" });
  const lockEpisodes = async (ids: string[]) => {
    await holder`begin`;
    await holder`select from public.episodes where id = any (${ids}) for update`;
  };
  const waitingForLock = () =>
    sql<{ pid: number }[]>`
      select pid from pg_stat_activity where datname = current_database() and application_name = 'functions' and wait_event_type = 'Lock'`;

  await t.step("a call that meets a locked row fails with 55P03", async () => {
    await lockEpisodes(episodes);
    equal(await code(addPerson(admins[0].id, episodes[0])), "55P03");
    await holder`rollback`;
    equal(await code(addPerson(admins[0].id, episodes[0])), "ok");
  });

  await t.step("a route's statement that meets a locked row fails with 55P03, also without a FROM clause", async () => {
    await sql`
      create function private.probe_lock(episode_id uuid) returns setof uuid language plpgsql set search_path = '' as $$
      begin
        return query select e.id from public.episodes e where e.id = probe_lock.episode_id for update;
      end $$`;
    await lockEpisodes(episodes);
    equal(await code(routeSql`select private.probe_lock(${episodes[0]}) as id`), "55P03");
    equal(await code(routeSql`select id from private.probe_lock(${episodes[0]}) id`), "55P03");
    await holder`rollback`;
    deepEqual([...await routeSql`select id, 'x' as x from private.probe_lock(${episodes[0]}) id`], [
      { id: episodes[0], x: "x" },
    ]);
  });

  await t.step("statements of routes, reads and jobs have limits of their own on the server", async () => {
    const limitsOf = async (statement: Statement) => {
      const [limits] = await statement<{ time: string; lock: string }[]>`
        select current_setting('transaction_timeout') as time, current_setting('lock_timeout') as lock`;
      return [limits.time, limits.lock];
    };
    deepEqual(await limitsOf(routeSql), ["8s", "1500ms"]);
    deepEqual(await limitsOf(startPublicReads().serviceSql), ["2s", "1500ms"]);
    deepEqual(await limitsOf(serviceSql), ["1min", "8s"]);
  });

  await t.step(
    "reads of one podcast, and calls of one address, leave half of the connections to everyone else",
    async () => {
      const sleepers = async () => {
        const rows = await sql`
        select from pg_stat_activity where datname = current_database() and application_name = 'functions'
          and wait_event = 'PgSleep'`;
        return rows.length;
      };
      await sql`
      create or replace function public.check_health() returns jsonb language plpgsql set search_path = '' as $$
      begin
        perform pg_sleep(60);
        return '{}';
      end $$`;
      const contended = {
        read: (slug: string) => startPublicReads().serviceSql`select ${slug}::text, pg_sleep(60)`,
        call: (address: string) => dbFrom(address).call("check_health", {}),
      };
      for (const one of Object.values(contended)) {
        const results = ["a", "a", "a", "b", "b"].map((key) => code(one(key)));
        await waitFor("the statements sleep", async () => await sleepers() === 3); // two of a, one of b: a kind leaves one
        equal((await routeSql`select 1`).length, 1);
        await waitFor("each has ended", async () => {
          await sql`
          select pg_cancel_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'functions' and wait_event = 'PgSleep'`;
          return await Promise.race([Promise.all(results), new Promise((resolve) => setTimeout(resolve, 20))]);
        });
      }
    },
  );

  // From here on callers wait until the test releases the lock, so that no step depends on time
  await sql`create or replace function private.max_lock_wait() returns text language sql immutable return '0'`;

  const contenders = {
    "users who wait for one episode": admins.map(({ id }) => [id, episodes[0]]),
    "users who wait for one episode each, all of one podcast": admins.map(({ id }, n) => [id, episodes[n]]),
    "one user who waits for many episodes": episodes.map((id) => [admins[0].id, id]),
  };
  for (const [who, calls] of Object.entries(contenders)) {
    await t.step(`${who} leave half of the connections to a bystander, and succeed afterwards`, async () => {
      await lockEpisodes(episodes);
      const results = calls.map(([userId, episodeId]) => code(addPerson(userId, episodeId)));
      await waitFor("callers wait for the lock", async () => (await waitingForLock()).length > 0);
      const { status } = await as(bystander.user_id).call("list_episode_people", { episodeId: bystander.episode_id });
      equal(status, 200);
      await routeSql`select ${bystander.episode_id}::text`;
      ok((await waitingForLock()).length <= 2, "the callers have half of four connections");
      await holder`rollback`;
      deepEqual(await Promise.all(results), Array(CALLERS).fill("ok"));
    });
  }
  await holder.end({ timeout: 1 });
});
