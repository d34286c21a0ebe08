// Publishing an episode while other podcasts have 100,000 enabled rules for it, to publishing one without rules.
// Goal: at most 1.2 times. node local/deno.mjs bench/automations/publish.ts [rules]
import "../../functions/database/immediate_writes.ts";
import postgres from "postgres";
import { callParameters, callStatement } from "../../functions/database/operations.ts";
import { loadDeclared } from "../../local/database/load.ts";
import { startScratch } from "../../local/database/scratch.ts";
import { connected } from "../../local/postgres/client.ts";
import { projectPaths } from "../../local/host/project.ts";
import { makePodcast } from "../../tests/feed_writer/feed_database.ts";
import { median } from "../feed/large_podcast.ts";

const RULES = Number(Deno.args[0] ?? 100_000), RULES_PER_PODCAST = 100;
const ROUNDS = 5, EPISODES = 200, GOAL = 1.2;

await using scratch = await startScratch();
const [none, many] = await Promise.all([open("none", 0), open("many", RULES)]);
const ratios: number[] = [], times: { none: number[]; many: number[] } = { none: [], many: [] };
for (let round = 0; round <= ROUNDS; round++) { // in turns; the first one warms up
  const [without, beside] = await Promise.all([makeDrafts(none), makeDrafts(many)]);
  const measured = { none: [] as number[], many: [] as number[] };
  for (let n = 0; n < EPISODES; n++) {
    measured.none.push(await publish(none, without[n]));
    measured.many.push(await publish(many, beside[n]));
  }
  if (round === 0) continue;
  times.none.push(median(measured.none));
  times.many.push(median(measured.many));
  ratios.push(median(measured.many) / median(measured.none));
}
const milliseconds = (values: number[]) => `${median(values).toFixed(2)} ms`;
console.log(
  `publishing without rules: ${milliseconds(times.none)}; beside ${RULES} rules: ${milliseconds(times.many)}`,
);
console.log(`ratio: ${median(ratios).toFixed(2)}, worst ${Math.max(...ratios).toFixed(2)}, goal ${GOAL}`);
await Promise.all([none.sql.end(), many.sql.end()]);
Deno.exit(median(ratios) > GOAL ? 1 : 0);

interface Show {
  sql: postgres.Sql;
  podcastId: string;
  ownerId: string;
}

/** A database with a podcast that has no rule, and others that have so many. */
async function open(name: string, rules: number): Promise<Show> {
  const url = await scratch.create(name);
  await loadDeclared(url, projectPaths().sql);
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql`select private.set_setting('public_url', 'https://api.example')`;
  const podcastId = await makePodcast(sql);
  const [{ ownerId }] = await sql`select owner_id as "ownerId" from public.podcasts where id = ${podcastId}`;
  await connected(url.replace("//postgres:", "//supabase_admin:"), async (admin) => {
    await admin`set session_replication_role = replica`; // rows without accounts and messages
    await admin`
      insert into public.podcasts (id, owner_id, slug, title, podcast_guid)
      select md5('p' || n)::uuid, ${ownerId}, 'other-' || n, 'Other', md5('p' || n)::uuid
      from generate_series(1, ${rules / RULES_PER_PODCAST}::int) n`;
    await admin`
      insert into public.automation_rules (podcast_id, author_id, name, trigger_type)
      select p.id, ${ownerId}, 'Rule ' || n, 'episode.published'
      from public.podcasts p cross join generate_series(1, ${RULES_PER_PODCAST}::int) n where p.id <> ${podcastId}`;
    await admin.unsafe("vacuum analyze public.podcasts, public.automation_rules");
  });
  return { sql, podcastId, ownerId };
}

/** Episodes with audio that are not published. */
async function makeDrafts({ sql, podcastId }: Show): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    insert into public.episodes (podcast_id, title, audio_url, audio_file_size_bytes, audio_content_type,
      audio_duration_seconds)
    select ${podcastId}, 'Paris', 'https://media.example/' || n || '.mp3', 1000, 'audio/mpeg', 60
    from generate_series(1, ${EPISODES}::int) n returning id`;
  await sql`vacuum analyze public.episodes`;
  return rows.map(({ id }) => id);
}

/** As the route publishes, in milliseconds. */
async function publish({ sql, ownerId }: Show, episodeId: string): Promise<number> {
  const parameters = callParameters(JSON.stringify({ role: "authenticated", sub: ownerId }), { episodeId });
  const from = performance.now();
  const [{ status, text }] = await sql.unsafe(callStatement("publish_episode"), parameters, { prepare: true });
  if (status !== 200) throw new Error(text);
  return performance.now() - from;
}
