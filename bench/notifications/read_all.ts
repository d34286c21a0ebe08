// read-all and unarchive-all of one user among 2,000,000 notifications, with the calls that a route repeats. Goals:
// 100,000 rows in 2 s, 1,000,000 in 5 s, and 250,000 in one call, each of which the database would end after 8 s.
// node local/deno.mjs bench/notifications/read_all.ts [numbers of rows]
import postgres from "postgres";
import { repeatCall } from "../../functions/app/repeat_call.ts";
import type { RpcResult } from "../../functions/database/db.ts";
import { callParameters, callStatement } from "../../functions/database/operations.ts";
import { loadDeclared } from "../../local/database/load.ts";
import { startScratch } from "../../local/database/scratch.ts";
import { projectPaths } from "../../local/host/project.ts";
import { connected } from "../../local/postgres/client.ts";
import { median } from "../feed/large_podcast.ts";
import { fillInbox, HEAVY_USER } from "./fill.ts";

const sizes = Deno.args.length > 0 ? Deno.args.map(Number) : [100_000, 250_000, 1_000_000];
const ROWS = 2_000_000, ROUNDS = 3;
const verbs = {
  mark_all_notifications_read: ["markedCount", "read_at = null, archived_at = null"],
  unarchive_all_notifications: ["restoredCount", "read_at = now(), archived_at = now()"],
} as const;

await using scratch = await startScratch();
for (const size of sizes) {
  const name = `bench_${size}`, url = await scratch.create(name);
  await loadDeclared(url, projectPaths().sql);
  await connected(url.replace("//postgres:", "//supabase_admin:"), (admin) => fillInbox(admin, ROWS, size));
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  for (const [operation, [counted, before]] of Object.entries(verbs)) {
    const seconds: number[] = [], calls: number[][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await sql.unsafe(`
        alter table public.notifications disable trigger user;
        update public.notifications set ${before}, scheduled_for = null where user_id = '${HEAVY_USER}';
        alter table public.notifications enable trigger user`);
      await sql`vacuum public.notifications`;
      const taken: number[] = [], from = performance.now();
      const { text } = await repeatCall(async () => {
        const started = performance.now();
        const parameters = callParameters(JSON.stringify({ role: "authenticated", sub: HEAVY_USER }), {});
        await sql`set statement_timeout = '8s'`;
        const [result] = await sql.unsafe<RpcResult[]>(callStatement(operation as keyof typeof verbs), parameters);
        await sql`reset statement_timeout`;
        taken.push((performance.now() - started) / 1000);
        return result;
      }, counted);
      seconds.push((performance.now() - from) / 1000);
      calls.push(taken);
      if (text !== JSON.stringify({ [counted]: size })) throw new Error(`${operation} of ${size} rows: ${text}`);
    }
    console.log(
      `${operation} of ${size} rows: median ${median(seconds).toFixed(2)} s, worst ${
        Math.max(...seconds).toFixed(2)
      } s, ` +
        `${(median(seconds) * 1e6 / size).toFixed(1)} µs per row; calls ${
          calls.map((one) => one.length).join(", ")
        }, ` +
        `the longest ${Math.max(...calls.flat()).toFixed(2)} s`,
    );
  }
  await sql.end();
  await scratch.drop(name);
}
