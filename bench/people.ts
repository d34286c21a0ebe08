// GET /api/episodes/:id/people on small and large episodes: round trips, statements and time. Goals: one round trip and
// at most two statements besides the role's setup, at every size. node local/deno.mjs bench/people.ts
import type postgres from "postgres";
import { startFunctions } from "../tests/functions.ts";
import { episode, person, podcast, sql, stackInfo } from "../tests/http/harness.ts";
import { median } from "./feed/large_podcast.ts";
import { connected } from "../local/postgres/client.ts";
import { AUTO_EXPLAIN_SETTINGS, startQueryCounter } from "./query_counter.ts";

interface Size {
  people: number;
  members: number;
  guests: number;
  /** Guests of the podcast who are invited to the episode. */
  invited: number;
}

const SIZES: Size[] = [
  { people: 1, members: 3, guests: 0, invited: 0 },
  { people: 50, members: 200, guests: 2000, invited: 40 },
  { people: 50, members: 200, guests: 2000, invited: 2000 },
];
const ROUNDS = 200;
/** What every request does: set the caller's role, and call the function. */
const SETUP = [
  /^select status, data::text as text from private\.call_list_episode_people\(/,
  /^SELECT set_config\('request\.jwt\.claims'/,
  /^select to_jsonb\(public\.list_episode_people\(/,
];

const { token } = await person("owner");
const listed: { size: Size; id: string }[] = [];
for (const size of SIZES) listed.push({ size, id: await filled(size) });
await sql`analyze`;

async function measure(databaseUrl: string, look: (get: (id: string) => Promise<string>) => Promise<void>) {
  await using functions = await startFunctions(stackInfo, { SUPABASE_DB_URL: databaseUrl });
  await look(async (id) => {
    const response = await fetch(`${functions.url}/api/episodes/${id}/people`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(text);
    return text;
  });
}

const times: number[][] = SIZES.map(() => []);
await measure(stackInfo.dbUrl, async (get) => {
  for (let round = -20; round < ROUNDS; round++) { // in turns; the first ones warm up
    for (const [i, { id }] of listed.entries()) {
      const from = performance.now();
      await get(id);
      if (round >= 0) times[i].push(performance.now() - from);
    }
  }
});

await connected(stackInfo.dbUrl.replace("//postgres:", "//supabase_admin:"), async (admin) => {
  for (const [name, value] of Object.entries(AUTO_EXPLAIN_SETTINGS)) {
    await admin.unsafe(`alter role postgres set ${name} = '${value}'`);
  }
});
await using wire = startQueryCounter(stackInfo.dbUrl);
const seen = new Set<string>(), figures: string[] = [];
await measure(wire.url, async (get) => {
  for (const [i, { id, size }] of listed.entries()) {
    for (let n = 0; n < 12; n++) await get(id); // every connection of the pool has begun
    wire.take();
    const response = await get(id), { data: { people, candidates } } = JSON.parse(response);
    const { roundTrips, statements } = wire.take();
    const own = statements.filter((statement) => !SETUP.some((setup) => setup.test(statement)));
    if (statements.length !== own.length + SETUP.length) throw new Error(`Not all was seen:\n${statements.join("\n")}`);
    for (const statement of own) seen.add(statement);
    figures.push(
      `${size.people} people, ${size.members} members, ${size.guests} guests, ${size.invited} of them invited ` +
        `(answered: ${people.length} people, ${candidates.teamCandidates.length} and ` +
        `${candidates.guestCandidates.length} candidates, ${(response.length / 1024).toFixed(0)} KB): ` +
        `round trips ${roundTrips}, statements besides the setup ${own.length}, ${median(times[i]).toFixed(1)} ms`,
    );
  }
});
for (const line of figures) console.log(line);
console.log("goal: 1 round trip, at most 2 statements, the same at every size. The statements:");
for (const statement of seen) console.log(`  ${statement.slice(0, 110)}${statement.length > 110 ? "…" : ""}`);
await sql.end();
Deno.exit(0);

/**
 * Creates a podcast and returns its episode's id. A third of the people are team, a third guests, the rest external.
 */
async function filled({ people, members, guests, invited }: Size): Promise<string> {
  const show = await podcast(`A show of ${people}`), { id } = await episode(show);
  await sql.begin(async (sql: postgres.TransactionSql) => {
    await sql`
      with users as (
        insert into auth.users (id, aud, role, email, email_confirmed_at, raw_user_meta_data)
        select gen_random_uuid(), 'authenticated', 'authenticated', gen_random_uuid() || '@bench.test', now(),
          jsonb_build_object('display_name', 'Member ' || n)
        from generate_series(1, ${members - 3}::int) n returning id)
      select count(*) from users`;
    await sql`
      insert into public.podcast_members (podcast_id, user_id)
      select ${show.id}, p.id from public.profiles p join auth.users u on u.id = p.id
      where u.email like '%@bench.test' limit ${members - 3}`;
    await sql`
      insert into public.podcast_guests (podcast_id, display_name, email)
      select ${show.id}, 'Guest ' || n, 'guest-' || n || '@bench.test' from generate_series(1, ${guests}::int) n`;
    await sql`
      insert into public.episode_guests (episode_id, podcast_guest_id)
      select ${id}, g.id from public.podcast_guests g where g.podcast_id = ${show.id} limit ${invited}`;
    await sql`
      insert into public.episode_people (episode_id, source_type, user_id, name)
      select ${id}, 'team', m.user_id, 'Member' from public.podcast_members m
      where m.podcast_id = ${show.id} and not exists (
        select from public.episode_people p where p.episode_id = ${id} and p.user_id = m.user_id)
      limit ${Math.max(0, Math.ceil(people / 3) - 1)}`;
    await sql`
      insert into public.episode_people (episode_id, source_type, guest_id, name)
      select ${id}, 'guest', g.id, 'Guest' from public.episode_guests g where g.episode_id = ${id}
      limit ${Math.floor(people / 3)}`;
    await sql`
      insert into public.episode_people (episode_id, source_type, name)
      select ${id}, 'external', 'Someone ' || n
      from generate_series(1, ${people}::int - (select count(*)::int from public.episode_people where episode_id = ${id})) n`;
    // all of them credited
    await sql`
      with uncredited as (
        select p.*, gen_random_uuid() as new_id, row_number() over (order by p.created_at, p.id) as n
        from public.episode_people p where p.episode_id = ${id} and p.credit_id is null
      ), made as (
        insert into public.episode_credits (id, episode_id, name, role_label, display_order)
        select u.new_id, u.episode_id, u.name, 'Guest',
          u.n - 1 + (select count(*) from public.episode_credits c where c.episode_id = ${id}) from uncredited u)
      update public.episode_people p set credit_id = u.new_id from uncredited u where u.id = p.id`;
  });
  return id;
}
