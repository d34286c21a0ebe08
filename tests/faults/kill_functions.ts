// Repeatedly kills functions at work, and checks consistency afterwards.
import assert from "node:assert/strict";
import { type Person, type Podcast, sql, stackInfo, waitFor } from "../http/harness.ts";
import { type FunctionsProcess, startFunctions } from "../functions.ts";

/** Connections to killed processes outlive the test. */
export const sanitize = { sanitizeOps: false, sanitizeResources: false };

/**
 * Starts functions, runs `work` with them and kills them at a random time (`next`), `kills` times; the first time not
 * before `hasBegun`. Returns when the database has finished their statements, which outlive the processes.
 */
export async function killRepeatedly(
  kills: number,
  next: () => number,
  work: (functions: FunctionsProcess) => Promise<unknown>,
  hasBegun: () => boolean,
) {
  const name = `killed ${crypto.randomUUID()}`;
  const database = new URL(stackInfo.dbUrl);
  database.searchParams.set("application_name", name);
  for (let kill = 0; kill < kills; kill++) {
    await using functions = await startFunctions(stackInfo, { SUPABASE_DB_URL: database.href });
    const working = work(functions);
    await new Promise((resolve) => setTimeout(resolve, 20 + next() * 250));
    if (kill === 0) await waitFor("the first response", hasBegun, 60);
    Deno.kill(functions.pid, "SIGKILL");
    await working;
  }
  await waitFor("the database has finished the statements of killed functions", async () => {
    const [{ left }] = await sql`select count(*)::int as left from pg_stat_activity where application_name = ${name}`;
    return left === 0;
  }, 60);
}

/** The response; undefined if the functions were killed before it. */
export async function orNullIfKilled(request: Promise<Response>) {
  const response = await request.catch(() => undefined);
  const body = await response?.json().catch(() => undefined);
  return response && body ? { status: response.status, body: body } : undefined;
}

/** Waits until all queues are empty, except paused ones. */
export const assertQueuesEmpty = () =>
  waitFor("the queues are empty", async () => {
    const [{ left }] = await sql`select sum(depth)::int as left from private.queue_health where not is_paused`;
    return left === 0;
  }, 60);

/** Asserts that the account's storage usage equals the sum of its objects. */
export async function assertNoDrift({ id }: Person) {
  const [{ drift }] = await sql`
    select count(*)::int as drift from public.billing_accounts a
    where a.user_id = ${id} and a.storage_bytes_used <> coalesce((select sum(bytes) from private.media_objects m
      where m.account_id = a.user_id and m.released_at is null), 0)`;
  assert.equal(drift, 0);
}

/** Asserts that the sweep, a month later, deletes every unused object below these folders. */
export async function assertNoOrphans(...folders: string[]) {
  const below = sql`name like any (${folders.map((folder) => `${folder}%`)})`;
  const aMonthAgo = sql`now() - interval '30 days'`;
  await waitFor("nothing is orphaned", async () => {
    // repeated, because requests of killed functions may reach storage late
    const { count } = await sql`update storage.objects set created_at = ${aMonthAgo}
      where bucket_id in ('media', 'staging') and ${below} and created_at > now() - interval '29 days'`;
    if (count) {
      await sql`update private.media_objects set released_at = ${aMonthAgo}
        where released_at is not null and path like any (${folders.map((folder) => `${folder}%`)})`;
      await sql`update private.direct_uploads set created_at = ${aMonthAgo}
        where staged_path like any (${folders.map((folder) => `${folder}%`)})`;
      await sql`select private.sweep_storage()`;
    }
    const [{ orphans }] = await sql`
      select count(*)::int as orphans from storage.objects o
      where o.bucket_id in ('media', 'staging') and ${below}
        and not exists (select from private.media_objects m where m.path = o.name and m.released_at is null)
        and not exists (select from private.media_copies c where c.path = o.name)`;
    return orphans === 0;
  }, 30);
}

/** Asserts that each used object of the podcast is stored with its charged size. */
export async function assertReferencedObjectsStored({ id }: Podcast) {
  const rows = await sql`
    select m.path, m.bytes::int as charged, (o.metadata ->> 'size')::int as stored
    from private.media_objects m left join storage.objects o on o.bucket_id = 'media' and o.name = m.path
    where m.podcast_id = ${id} and m.released_at is null`;
  for (const { path, charged, stored } of rows) assert.equal(stored, charged, path);
  return rows.map(({ path }) => path as string);
}
