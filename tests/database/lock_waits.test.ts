// Callers who wait for one row: they fail soon, and meanwhile everyone else is served.
import { deepStrictEqual as deepEqual, ok, strictEqual as equal } from "node:assert";
import { connectTo } from "../database.ts";
import { createFeedDatabase, makeEpisodes, makePodcast } from "../feed_writer/feed_database.ts";
import { waitFor } from "../wait_for.ts";

/** More than a pool has connections. */
const CALLERS = 12;

const code = (work: Promise<unknown>) => work.then(() => "ok", (error: { code?: string }) => error.code);

Deno.test("callers who wait for one row", { sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using scratch = await createFeedDatabase();
  const { sql } = scratch;
  const { dbAs, routeSql, serviceSql } = await import("../../functions/database/db.ts");
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

  await t.step("the limit of a route's statement ends with it, and jobs have none", async () => {
    const [{ limit }] = await routeSql<{ limit: string }[]>`select current_setting('lock_timeout') as limit`;
    equal(limit, "1500ms");
    const rows = await Promise.all(
      Array.from({ length: 10 }, () => serviceSql`select current_setting('lock_timeout') as limit`),
    );
    deepEqual(rows.map(([{ limit }]) => limit), Array(10).fill("0"));
  });

  // From here on callers wait until the test releases the lock, so that no step depends on time
  await sql`create or replace function private.limit_lock_waits() returns boolean language sql return true`;

  const contenders = {
    "users who wait for one episode": admins.map(({ id }) => [id, episodes[0]]),
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
      ok((await waitingForLock()).length <= 5, "the callers have half of ten connections");
      await holder`rollback`;
      deepEqual(await Promise.all(results), Array(CALLERS).fill("ok"));
    });
  }
  await holder.end({ timeout: 1 });
});
