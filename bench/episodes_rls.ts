// Reads a podcast's 25 newest of 1,000,000 episodes: as a member under row level security, against the same statement
// without policies. Prints the ratio of the clients' medians, including rows and round trip (goal: at most 1.5), and
// the
// ratio inside the server.
import "../functions/database/immediate_writes.ts";
import postgres from "postgres";
import { loadDeclared } from "../local/database/load.ts";
import { projectPaths } from "../local/host/project.ts";
import { connected } from "../local/postgres/client.ts";
import { startScratch } from "../local/database/scratch.ts";

const podcasts = 2_000;
const perPodcast = 500;
const rounds = 2_000;

await using scratch = await startScratch();
const url = await scratch.create("bench");
await loadDeclared(url, projectPaths().sql);
await connected(url.replace("//postgres:", "//supabase_admin:"), fill);

const sql = postgres(url, { max: 1, onnotice: () => {} });
const [{ id: member }] =
  await sql`select user_id as id from public.podcast_members group by 1 order by count(*) desc limit 1`;
const mine = (await sql`select podcast_id from public.podcast_members where user_id = ${member}`).map((row) =>
  row.podcast_id
);

// The same read, timed inside the server and without returning rows.
await sql.unsafe(`create function public.time_pages(ids uuid[], rounds int) returns float8[]
  language plpgsql as $$
  declare taken float8[]; start timestamptz; found_rows bigint;
  begin
    for round in 1..rounds loop
      start := clock_timestamp();
      select count(*) into found_rows from (
        select id, slug, title, status, published_at, audio_url from public.episodes
        where podcast_id = ids[1 + round % cardinality(ids)] order by created_at desc, id desc limit 25) page;
      taken[round] := extract(epoch from clock_timestamp() - start) * 1e6;
      if found_rows <> 25 then raise exception 'a page of %', found_rows; end if;
    end loop;
    return taken;
  end $$;
  grant execute on function public.time_pages to authenticated`);

async function asMember() {
  const claims = JSON.stringify({ sub: member, role: "authenticated" });
  await sql`select set_config('request.jwt.claims', ${claims}, false), set_config('role', 'authenticated', false)`;
}
const asOwnerOfTheTables = () => sql`select set_config('role', 'postgres', false)`;

async function seen(): Promise<number[]> {
  const taken: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const from = performance.now();
    const rows = await sql`
      select id, slug, title, status, published_at, audio_url from public.episodes
      where podcast_id = ${mine[round % mine.length]} order by created_at desc, id desc limit 25`;
    taken.push((performance.now() - from) * 1000);
    if (rows.length !== 25) throw new Error(`a page of ${rows.length}`);
  }
  return taken;
}
const inside = async (): Promise<number[]> =>
  (await sql`select public.time_pages(${mine}::uuid[], ${rounds}) as taken`)[0].taken;

const taken = { seen: { under: [], without: [] }, inside: { under: [], without: [] } } as Record<
  "seen" | "inside",
  Record<"under" | "without", number[]>
>;
for (let turn = 0; turn < 5; turn++) { // in turns, so that the machine's moods fall on both
  await asOwnerOfTheTables();
  taken.seen.without.push(...await seen());
  taken.inside.without.push(...await inside());
  await asMember();
  taken.seen.under.push(...await seen());
  taken.inside.under.push(...await inside());
}
const median = (of: number[]) => of.sort((a, b) => a - b)[of.length >> 1];
console.log(`${podcasts * perPodcast} episodes, member of ${mine.length} podcasts, ${rounds * 5} reads each`);
for (const [where, { under, without }] of Object.entries(taken)) {
  const [a, b] = [median(under), median(without)];
  console.log(`${where}: under RLS ${a.toFixed(0)} µs, without ${b.toFixed(0)} µs, ratio ${(a / b).toFixed(2)}`);
}
console.log("goal: at most 1.5 for the client");
await sql.end();

async function fill(admin: postgres.Sql) {
  await admin.unsafe(`
    set session_replication_role = replica;
    update private.settings set value = 'http://bench.test' where key = 'public_url';
    insert into auth.users (id, email, email_confirmed_at)
      select md5('u' || n)::uuid, n || '@bench.test', now() from generate_series(1, ${podcasts / 20}) n;
    insert into public.profiles (id) select id from auth.users;
    insert into public.podcasts (id, owner_id, slug, title, podcast_guid)
      select md5('p' || n)::uuid, md5('u' || (n % ${podcasts / 20} + 1))::uuid, 'p' || n, 'P' || n, gen_random_uuid()
      from generate_series(1, ${podcasts}) n;
    insert into public.podcast_members (podcast_id, user_id, role) select id, owner_id, 'owner' from public.podcasts;
    insert into public.episodes (podcast_id, slug, guid, title, description, created_at)
      select md5('p' || (n % ${podcasts} + 1))::uuid, 'e' || n, 'g' || n, 'Episode ' || n, repeat('words ', 30),
        now() - n * interval '1 minute'
      from generate_series(1, ${podcasts * perPodcast}) n;
  `).simple();
  await admin.unsafe("vacuum analyze public.episodes, public.podcast_members").simple();
}
