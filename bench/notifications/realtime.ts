// Realtime beside a read-all of 100,000 rows: the p99 of another user's events, from the start of the statement to its
// arrival, to the same while idle. An event is a message about the inbox, or a row of a chat. Goal: at most 2 times.
// node local/deno.mjs bench/notifications/realtime.ts [notifications]
import { episode, newPerson, type Person, person, podcast, sql } from "../../tests/http/harness.ts";
import { waitFor } from "../../tests/wait_for.ts";

const ROWS = Number(Deno.args[0] ?? 100_000), ROUNDS = 6, GOAL = 2;
/** The pause between two events, and how long events follow a read-all: its changes are read after its commit. */
const PAUSE_MS = 20, AFTERWARDS_MS = 1000;
const KINDS = ["inbox", "chat"] as const;

const reader = await newPerson("reader"), other = await person("bench-realtime");
const { id: episodeId } = await episode(await podcast("Quiet", "bench-realtime"));
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** When each event was sent and has arrived, by its number. */
const sent = { inbox: new Map<number, number>(), chat: new Map<number, number>() };
const arrived = { inbox: new Map<number, number>(), chat: new Map<number, number>() };

async function join(
  { client, id }: Person,
  onChange: (payload: { inbox: number }) => void,
  onMessage: (body: string) => void,
) {
  await client.realtime.setAuth();
  let ready = 0;
  client.channel(`inbox:${id}`, { config: { private: true, broadcast: { replication_ready: true } } })
    .on("broadcast", { event: "inbox_changed" }, ({ payload }) => onChange(payload as { inbox: number }))
    .on("system", {}, () => ready++).subscribe();
  client.channel("chat").on(
    "postgres_changes",
    { event: "INSERT", schema: "public", table: "episode_messages" },
    ({ new: row }) => onMessage(row.body),
  ).on("system", {}, () => ready++).subscribe();
  await waitFor("the channels", () => ready >= 2);
}

let number = 0;
/** Sends one event of each kind. */
async function send() {
  const n = ++number;
  sent.inbox.set(n, performance.now());
  await sql`
    insert into public.notifications (user_id, type, category, priority, title)
    values (${other.id}, 'chat.message', 'collaboration', 'low', 'New')`;
  sent.chat.set(n, performance.now());
  await sql`
    insert into public.episode_messages (episode_id, sender_user_id, body) values (${episodeId}, ${other.id}, ${n})`;
}

/** The latencies of events that are sent until `work` has ended, and a while longer. */
async function measure(work: Promise<unknown>) {
  const first = number + 1;
  let isOver = false;
  work.finally(() => pause(AFTERWARDS_MS)).finally(() => isOver = true);
  while (!isOver) {
    await send();
    await pause(PAUSE_MS);
  }
  await work;
  await waitFor("all events", () => KINDS.every((kind) => arrived[kind].size === number), 120);
  const latency = (kind: typeof KINDS[number]) =>
    Array.from({ length: number - first + 1 }, (_, i) => arrived[kind].get(first + i)! - sent[kind].get(first + i)!);
  return { inbox: latency("inbox"), chat: latency("chat") };
}

/** Without the statement timeout of the API, which a busy machine may exceed. */
async function readAll() {
  const from = performance.now();
  await sql`
    select set_config('request.jwt.claims', ${JSON.stringify({ sub: reader.id, role: "authenticated" })}, true),
      public.mark_all_notifications_read()`;
  return performance.now() - from;
}

await sql`
  insert into public.notifications (user_id, type, category, priority, title, group_key)
  select ${reader.id}, 'chat.message', 'collaboration', 'normal', 'Title of notification ' || n, 'g' || n % 1000
  from generate_series(1, ${ROWS}::int) n`;
await sql`vacuum analyze public.notifications`;
await join(reader, () => {}, () => {});
await join(
  other,
  ({ inbox }) => arrived.inbox.set(inbox, performance.now()),
  (body) => arrived.chat.set(Number(body), performance.now()),
);

const idle = { inbox: [] as number[], chat: [] as number[] }, busy = { inbox: [] as number[], chat: [] as number[] };
const durations: number[] = [];
for (let round = -1; round < ROUNDS; round++) { // in turns; the first one warms up
  await sql`update public.notifications set read_at = null where user_id = ${reader.id}`;
  await sql`vacuum public.notifications`;
  await measure(pause(2000)); // the stream is past this update
  const quiet = await measure(pause(round < 0 ? 1000 : durations.at(-1)!));
  const reading = readAll();
  const disturbed = await measure(reading);
  durations.push(await reading);
  if (round < 0) continue;
  for (const kind of KINDS) idle[kind].push(...quiet[kind]), busy[kind].push(...disturbed[kind]);
}

const percentile = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];
let worst = 0;
for (const kind of KINDS) {
  const describe = (values: number[]) =>
    [0.5, 0.99, 1].map((share) => percentile(values, share).toFixed(0)).join(" / ") + ` ms of ${values.length}`;
  const ratio = percentile(busy[kind], 0.99) / percentile(idle[kind], 0.99);
  worst = Math.max(worst, ratio);
  console.log(
    `${kind}: p50 / p99 / maximum idle ${describe(idle[kind])}, beside a read-all ${describe(busy[kind])}; ` +
      `ratio of p99 ${ratio.toFixed(2)}`,
  );
}
console.log(`read-all of ${ROWS} rows: ${durations.map((ms) => (ms / 1000).toFixed(2)).join(", ")} s`);
console.log(`worst ratio: ${worst.toFixed(2)}, goal at most ${GOAL}`);
Deno.exit(worst > GOAL ? 1 : 0);
