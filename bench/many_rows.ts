// POST /rest/v1/episodes with 1,000 rows, to the same rows into a copy of the table that has its constraints, indexes
// and policies but no triggers; a request with too many rows; and the guard of direct writes on one small row. Goals:
// 1,000 drafts in 2 s on a slow machine, which is 0.8 s where the floor takes 60 ms; less for a rejected request; 1.2
// times for one row. node local/deno.mjs bench/many_rows.ts
import { person, podcast, sql, stackInfo } from "../tests/http/harness.ts";
import { databaseCpu } from "./cpu.ts";
import { median } from "./feed/large_podcast.ts";

const ROWS = 1000, ROUNDS = 7;

interface Case {
  name: string;
  table?: string;
  rows?: number;
  row: (n: number) => Record<string, unknown>;
  isTeamAdded?: boolean;
  status?: number;
}

const titled = (n: number) => ({ title: `Part ${n}` });
const CASES: Case[] = [
  { name: "floor, a table without triggers", table: "plain_episodes", row: titled },
  { name: "drafts", row: titled },
  { name: "drafts with one title", row: () => ({ title: "Part" }) },
  {
    name: "drafts with notes, feed values and a team of three",
    row: (n) => ({
      ...titled(n),
      summary: "About this part",
      show_notes_html: `<p>${"Notes ".repeat(100)}</p>`,
      keywords: ["one", "two"],
      funding: [{ url: "https://example.com/give", text: "Support the show" }],
    }),
    isTeamAdded: true,
  },
  { name: "ten times as many, rejected", row: titled, rows: 10 * ROWS, status: 400 },
];

const { id: ownerId, token } = await person("owner");
const cpu = await databaseCpu(sql);
await sql`update private.queues set is_paused = true`; // the worker's jobs would count
await sql.unsafe(`
  create table public.plain_episodes (like public.episodes including all);
  alter table public.plain_episodes alter column slug set default gen_random_uuid()::text,
    alter column guid set default gen_random_uuid()::text, enable row level security;
  create policy admins_insert on public.plain_episodes for insert to authenticated
    with check (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
  grant insert on public.plain_episodes to authenticated;
  notify pgrst, 'reload schema';
`);
while (!(await post("plain_episodes", [])).ok) {
  await new Promise((resolve) => setTimeout(resolve, 100)); // until REST has read the schema again
}

const measured = CASES.map(() => ({ ms: [] as number[], cpuMs: [] as number[] }));
for (let round = -1; round < ROUNDS; round++) { // in turns; the first one warms up
  for (const [i, { table = "episodes", rows = ROWS, row, isTeamAdded = false, status = 201 }] of CASES.entries()) {
    const { id } = await podcast("Many rows");
    await sql`update public.podcast_members set auto_add_to_new_episodes = ${isTeamAdded} where podcast_id = ${id}`;
    const body = Array.from({ length: rows }, (_, n) => ({ podcast_id: id, ...row(n) }));
    const [start, startCpu] = [performance.now(), cpu()];
    const response = await post(table, body);
    if (response.status !== status) throw new Error(`${response.status} ${response.text}`);
    if (round < 0) continue;
    measured[i].ms.push(performance.now() - start);
    measured[i].cpuMs.push((cpu() - startCpu) / 1000);
  }
}
const floor = median(measured[0].cpuMs);
for (const [i, { name }] of CASES.entries()) {
  const ms = median(measured[i].ms), cpuMs = median(measured[i].cpuMs);
  console.log(
    `${name}: ${ms.toFixed(0)} ms, CPU time of the database ${cpuMs.toFixed(0)} ms, ` +
      `${(cpuMs / floor).toFixed(1)} times the floor's`,
  );
}
const { guarded, bare } = await updateOneRow();
console.log(
  `update of one profile: ${guarded.toFixed(0)} µs, without the guard ${bare.toFixed(0)} µs: ` +
    `${(guarded / bare).toFixed(2)} times`,
);
await sql.end();
Deno.exit(0);

async function post(table: string, rows: unknown[]) {
  const response = await fetch(`${stackInfo.url}/rest/v1/${table}`, {
    method: "POST",
    headers: {
      apikey: stackInfo.publishableKey,
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      prefer: "return=minimal",
    },
    body: JSON.stringify(rows),
  });
  return { ok: response.ok, status: response.status, text: await response.text() };
}

/** Medians in µs of an update of one row by a client, with the guard of direct writes and without. */
async function updateOneRow(): Promise<{ guarded: number; bare: number }> {
  const claims = JSON.stringify({ role: "authenticated", sub: ownerId });
  const measured: { guarded: number[]; bare: number[] } = { guarded: [], bare: [] };
  for (let round = 0; round < 20; round++) {
    for (const [name, change] of [["guarded", "enable"], ["bare", "disable"]] as const) {
      await sql.begin(async (sql) => {
        await sql.unsafe(`alter table public.profiles ${change} trigger t000_guard_client_rows;
          alter table public.profiles ${change} trigger t000_guard_client_statement`);
        await sql`select set_config('request.jwt.claims', ${claims}, true), set_config('role', 'authenticated', true)`;
        for (let n = -20; n < 100; n++) { // the first ones plan the statements
          const start = performance.now();
          await sql`update public.profiles set display_name = 'Owner' where id = ${ownerId}`;
          if (n >= 0) measured[name].push((performance.now() - start) * 1000);
        }
      });
    }
  }
  return { guarded: median(measured.guarded), bare: median(measured.bare) };
}
