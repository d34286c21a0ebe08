// Claims of a queue with 2,000 waiting messages, as workers make them: each acknowledges what the claim before returned.
// To pgmq.read and pgmq.delete of as many messages, one by one, on as many connections. With queues whose messages share
// capacity by a key, and without. Then three quick items of an account beside the thousand of another, to the same alone.
// Goal: at most 3 times. node local/deno.mjs bench/queue.ts [messages]
import { z } from "zod";
import type { Job } from "../functions/worker/job.ts";
import { timeBudget } from "../functions/worker/run_limits.ts";
import { connectTo } from "../tests/database.ts";
import { createFeedDatabase } from "../tests/feed_writer/feed_database.ts";
import { median } from "./feed/large_podcast.ts";

const MESSAGES = Number(Deno.args[0] ?? 2000), ROUNDS = 5, WORKERS = 4, GOAL = 3, ITEM_MS = 20;

interface Case {
  title: string;
  queue: string;
  batchSize: number;
  /** The message with a number. */
  message: string;
}

const cases: Case[] = [
  { title: "without a key, one by one", queue: "storage_gc", batchSize: 1, message: `{"podcast_id": n}` },
  { title: "without a key, by ten", queue: "storage_gc", batchSize: 10, message: `{"podcast_id": n}` },
  { title: "one account, one by one", queue: "import_items", batchSize: 1, message: `{"account_id": 1}` },
  { title: "100 accounts, one by one", queue: "import_items", batchSize: 1, message: `{"account_id": n % 100}` },
  { title: "one podcast, by ten", queue: "automation_runs", batchSize: 10, message: `{"podcast_id": 1}` },
  { title: "100 podcasts, by ten", queue: "automation_runs", batchSize: 10, message: `{"podcast_id": n % 100}` },
  { title: "as many recipients, one by one", queue: "push_deliveries", batchSize: 1, message: `{"recipient": n}` },
  { title: "as many recipients, by eight", queue: "email_deliveries", batchSize: 8, message: `{"recipient": n}` },
];

await using database = await createFeedDatabase();
const { sql, url } = database;
const connections = Array.from({ length: WORKERS }, () => connectTo(url, 1));
const { drain } = await import("../functions/worker/loop.ts");
await sql`select pgmq.create('bench')`;

for (const { title, queue, batchSize, message } of cases) {
  const ratios: number[] = [], rates: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) { // in turns; the first one warms up
    const floor = await perSecond("bench", message, readAndDelete);
    const rate = await perSecond(queue, message, () => claimAll(queue, batchSize));
    if (round === 0) continue;
    rates.push(rate);
    ratios.push(rate / floor);
  }
  console.log(
    `${title}: ${Math.round(median(rates))} per s, ${median(ratios).toFixed(2)} of pgmq's ` +
      `(${ratios.map((one) => one.toFixed(2)).join(" ")})`,
  );
}
const alone: number[] = [], beside: number[] = [];
for (let round = 0; round <= ROUNDS; round++) {
  const times = [await quickItems(0), await quickItems(1000)];
  if (round === 0) continue;
  alone.push(times[0]);
  beside.push(times[1]);
}
const ratio = median(beside.map((time, round) => time / alone[round]));
console.log(
  `three quick items beside another's thousand: ${median(beside).toFixed(0)} ms, ${
    ratio.toFixed(1)
  } times as long as ` +
    `alone, goal ${GOAL}`,
);
for (const connection of connections) await connection.end();
Deno.exit(ratio > GOAL ? 1 : 0);

async function perSecond(queue: string, message: string, run: () => Promise<number[]>): Promise<number> {
  await sql.unsafe(`truncate pgmq.q_${queue}`);
  await sql.unsafe(`
    insert into pgmq.q_${queue} (vt, message)
    select clock_timestamp() - interval '1 minute', ${asObject(message)} from generate_series(1, ${MESSAGES}) n`);
  await sql.unsafe(`vacuum analyze pgmq.q_${queue}`);
  const from = performance.now();
  const counts = await run();
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total !== MESSAGES) throw new Error(`${total} messages of ${queue}`);
  return MESSAGES / (performance.now() - from) * 1000;
}

/** Milliseconds until three items of an import are done that come after so many of another. */
async function quickItems(others: number): Promise<number> {
  await sql`truncate pgmq.q_import_items`;
  const send = (accountId: string, count: number) =>
    sql`select private.enqueue('import_items', jsonb_build_object('account_id', ${accountId}::text))
      from generate_series(1, ${count}::int)`;
  const isOver = Promise.withResolvers<void>();
  let left = 3;
  const job: Job<{ account_id: string }> = {
    queue: "import_items",
    schema: z.object({ account_id: z.string() }),
    batchSize: 1,
    visibilityTimeoutSeconds: 60,
    concurrency: 4,
    async run([{ account_id }]) {
      await new Promise((resolve) => setTimeout(resolve, ITEM_MS));
      if (account_id === "quick" && --left === 0) isOver.resolve();
    },
  };
  await send("other", others);
  const limits = timeBudget(60_000), draining = [drain(job as Job, limits)];
  if (others > 0) await new Promise((resolve) => setTimeout(resolve, 5 * ITEM_MS));
  const from = performance.now();
  await send("quick", 3);
  draining.push(drain(job as Job, limits));
  await isOver.promise;
  const time = performance.now() - from;
  await sql`delete from pgmq.q_import_items`;
  await Promise.all(draining);
  return time;
}

/** With further members, as messages have. */
function asObject(message: string): string {
  const [, key, value] = message.match(/"(\w+)": (.+)}/)!;
  return `jsonb_build_object('type', 'bench', '${key}', md5((${value})::text)::uuid, 'id', gen_random_uuid(),
    'other_id', gen_random_uuid())`;
}

function claimAll(queue: string, batchSize: number): Promise<number[]> {
  return Promise.all(connections.map(async (one) => {
    let count = 0, ids: string[] = [], attempts: number[] = [];
    for (;;) {
      const claimed = await one<{ msg_id: string; attempt: number }[]>`
        select msg_id, attempt, left(message::text, 1000) as message
        from private.claim_jobs(${queue}, ${batchSize}, 60, completed_ids => ${ids}::bigint[],
          completed_attempts => ${attempts.map(String)}::bigint[]::int[])
        order by msg_id`;
      if (claimed.length + ids.length === 0) return count;
      count += claimed.length;
      ids = claimed.map(({ msg_id }) => msg_id);
      attempts = claimed.map(({ attempt }) => attempt);
    }
  }));
}

function readAndDelete(): Promise<number[]> {
  return Promise.all(connections.map(async (one) => {
    for (let count = 0;; count++) {
      const [message] = await one`select msg_id, message::text from pgmq.read('bench', 60, 1)`;
      if (!message) return count;
      await one`select pgmq.delete('bench', ${message.msg_id}::bigint)`;
    }
  }));
}
