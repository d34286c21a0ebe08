// The inbox with 2,000,000 notifications of 5,000 users, one of whom has 100,000, on one connection.
//   list: a page of 25, each filter combination. Goal: at most 2.5 times `select 1`. Floors: a prepared
//   select of the columns of a page, and a call that reads nothing
//   counts and unread count. Goal: at most 5 times `select 1` for the user with most notifications
//   read-all of 100,000 rows. Goal: at most 2 s, while new notifications of the user commit
// node local/deno.mjs bench/notifications/inbox.ts [number of rows]
import "../../functions/database/immediate_writes.ts";
import postgres from "postgres";
import { callParameters, callStatement, type Operation } from "../../functions/database/operations.ts";
import { loadDeclared } from "../../local/database/load.ts";
import { startScratch } from "../../local/database/scratch.ts";
import { projectPaths } from "../../local/host/project.ts";
import { connected } from "../../local/postgres/client.ts";
import { CATEGORIES, fillInbox, HEAVY_USER, PRIORITIES, USER } from "./fill.ts";

const rows = Number(Deno.args[0] ?? 2_000_000);
const ROUNDS = 60;

await using scratch = await startScratch();
const url = await scratch.create("bench");
await loadDeclared(url, projectPaths().sql);
await connected(url.replace("//postgres:", "//supabase_admin:"), (admin) => fillInbox(admin, rows));
const sql = postgres(url, { max: 1, onnotice: () => {} });

type Query = () => PromiseLike<unknown>;
const select1: Query = () => sql`select 1`;

/** As a route calls an operation. */
const called = (operation: Operation, user: string, args: Record<string, unknown> = {}): Query => {
  const parameters = callParameters(JSON.stringify({ role: "authenticated", sub: user }), args);
  return () => sql.unsafe(callStatement(operation), parameters, { prepare: true });
};

/** Reads the rows of a page, as list_notifications does, without making JSON of them. */
const readPage = ({ archivedOnly = false, unreadOnly = false, category, priority }: Filter): Query => () =>
  sql`
    select count(*) from private.notification_page(${archivedOnly}, ${unreadOnly}, ${category ?? null},
      ${priority ?? null}, 'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff', 26, now())`;

/** Reads and sends the columns of the first 25 rows of the inbox, without checks and JSON. */
const selectRows = (user: string): Query => () =>
  sql`
    select id, type, category, priority, title, body, link, group_key, scheduled_for, read_at, archived_at, created_at,
      metadata
    from public.notifications
    where user_id = ${user} and archived_at is null and (scheduled_for is null or scheduled_for <= now())
    order by created_at desc, id desc limit 25`.raw();

interface Filter {
  archivedOnly?: boolean;
  unreadOnly?: boolean;
  category?: string;
  priority?: string;
}

const filters: Filter[] = [{}, { unreadOnly: true }, { archivedOnly: true }].flatMap((state) =>
  [undefined, ...CATEGORIES].flatMap((category) =>
    [undefined, ...PRIORITIES].map((priority) => ({
      ...state,
      ...category && { category },
      ...priority && { priority },
    }))
  )
);
const nameOf = (filter: Filter) => Object.entries(filter).map((entry) => entry.join("=")).join(" ") || "no filter";
const users = { "user with most": HEAVY_USER, "average user": USER };

for (const [who, user] of Object.entries(users)) {
  await sql`select set_config('request.jwt.claims', ${JSON.stringify({ sub: user })}, false)`;
  await report(`rows of a page, ${who}`, 2.5, filters.map((filter) => [nameOf(filter), readPage(filter)]));
  await report(
    `list_notifications with JSON, ${who}`,
    2.5,
    filters.map((filter) => [nameOf(filter), list(user, filter)]),
  );
  await report(`floor: columns of a page, ${who}`, 2.5, [["no filter", selectRows(user)]]);
  await report(`floor: a call, ${who}`, 2.5, [["check_health", called("check_health", user)]]);
  await report(`counts, ${who}`, 5, [
    ["get_notification_counts", called("get_notification_counts", user)],
    ["get_unread_count", called("get_unread_count", user)],
  ]);
}
await reportReadAll();
await sql.end();

function list(user: string, filter: Filter): Query {
  return called("list_notifications", user, { ...filter });
}

/** Prints the median of each query over that of `select 1`, in turns, so that the machine's moods fall on all. */
async function report(title: string, goal: number, queries: [string, Query][]) {
  const times = queries.map((): number[] => []), ones: number[] = [];
  for (let round = -10; round < ROUNDS; round++) {
    for (const [i, [, query]] of queries.entries()) {
      const one = await timed(select1), taken = await timed(query);
      if (round >= 0) ones.push(one), times[i].push(taken);
    }
  }
  const one = median(ones), medians = times.map(median);
  const ratios = medians.map((taken) => taken / one);
  const worst = ratios.indexOf(Math.max(...ratios));
  console.log(
    `${title}: median ${median(medians).toFixed(0)} µs, ${median(ratios).toFixed(2)} times select 1 (${
      one.toFixed(0)
    } µs); worst ${ratios[worst].toFixed(2)} (${queries[worst][0]}); goal ${goal}`,
  );
}

async function timed(query: Query): Promise<number> {
  const from = performance.now();
  await query();
  return (performance.now() - from) * 1000;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

async function reportReadAll() {
  const seconds: number[] = [], waitsMs: number[] = [];
  for (let round = 0; round < 5; round++) {
    const taken = await markAllRead();
    seconds.push(taken.seconds);
    waitsMs.push(...taken.waitsMs);
  }
  console.log(
    `read-all of 100,000 rows: median ${median(seconds).toFixed(2)} s, worst ${
      Math.max(...seconds).toFixed(2)
    } s (goal 2); meanwhile ${waitsMs.length} inserts committed, at most ${Math.max(...waitsMs).toFixed(0)} ms each`,
  );
}

/** Marks 100,000 rows as read, while another connection inserts notifications of the same user. */
async function markAllRead(): Promise<{ seconds: number; waitsMs: number[] }> {
  await sql`update public.notifications set read_at = null, archived_at = null, scheduled_for = null
    where user_id = ${HEAVY_USER}`;
  await sql`select private.fold_notification_counts()`;
  await sql`vacuum public.notifications`;
  await using other = Object.assign(postgres(url, { max: 1, onnotice: () => {} }), {
    [Symbol.asyncDispose]: () => other.end(),
  });
  const insert = () =>
    other`insert into public.notifications (user_id, type, category, priority, title)
      values (${HEAVY_USER}, 'chat.message', 'team', 'low', 'New')`;
  await insert();
  let done = false;
  const from = performance.now();
  const reading = called("mark_all_notifications_read", HEAVY_USER)().then(() => {
    done = true;
    return (performance.now() - from) / 1000;
  });
  const waitsMs: number[] = [];
  while (!done) {
    waitsMs.push(await timed(insert) / 1000);
    await new Promise((resolve) => setTimeout(resolve, 20)); // else the inserts would take the time of the read-all
  }
  return { seconds: await reading, waitsMs };
}
