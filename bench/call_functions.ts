// What private.call_<function> costs on a new connection (first call) and on a used one (steady call), against the bare
// statement, with the public functions of sql/ and with 200. node local/deno.mjs bench/call_functions.ts
import { callStatement } from "../functions/database/operations.ts";
import { loadDeclared } from "../local/database/load.ts";
import { startScratch } from "../local/database/scratch.ts";
import { connected } from "../local/postgres/client.ts";
import { projectPaths } from "../local/host/project.ts";
import { connectTo } from "../tests/database.ts";

const CONNECTIONS = 40, STEADY_CALLS = 2000;
const CLAIMS = JSON.stringify({ role: "authenticated", sub: crypto.randomUUID() });
const statements = {
  "bare statement": ["select 200 as status, now()::text as text, $1::text, $2::text", [CLAIMS, "{}"]],
  "call_check_health": [callStatement("check_health"), [CLAIMS, "{}"]],
} as const;

await using scratch = await startScratch();
const url = await scratch.create("calls");
await loadDeclared(url, projectPaths().sql);
await report();
await connected(url, async (sql) => {
  const [{ count }] = await sql`select count(*)::int as count from pg_proc where pronamespace = 'public'::regnamespace`;
  for (let n = count; n < 200; n++) {
    await sql.unsafe(
      `create function public.probe_${n}(podcast_id uuid, some_text text default null, some_ids uuid[] default null)
      returns jsonb language sql security invoker set search_path = '' return null::jsonb`,
    );
  }
  await sql`select private.install()`;
});
await report();
Deno.exit(0);

async function report() {
  const [{ count }] = await connected(
    url,
    (sql) => sql`select count(*)::int as count from pg_proc where pronamespace = 'public'::regnamespace`,
  );
  const first: Record<string, number[]> = {}, steady: Record<string, number[]> = {};
  for (let round = 0; round < CONNECTIONS; round++) {
    for (const [name, [statement, parameters]] of Object.entries(statements)) {
      const sql = connectTo(url, 1);
      await sql`select 1`;
      const run = async (times: number) => {
        const start = performance.now();
        for (let n = 0; n < times; n++) await sql.unsafe(statement, [...parameters], { prepare: true });
        return (performance.now() - start) / times;
      };
      (first[name] ??= []).push(await run(1));
      (steady[name] ??= []).push(await run(STEADY_CALLS / CONNECTIONS));
      await sql.end();
    }
  }
  for (const name of Object.keys(statements)) {
    console.log(
      `${count} public functions, ${name.padEnd(20)} first ${median(first[name]).toFixed(2)} ms, steady ${
        median(steady[name]).toFixed(3)
      } ms`,
    );
  }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
