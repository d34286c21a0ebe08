// A call beside 40 clients who edit one episode: its median to that of the same call alone. First the clients only
// meet each other; then a transaction also keeps the episode locked for most of the time, as a client does who changes
// all episodes over REST. Goal: at most 3 times. node local/deno.mjs bench/bystander.ts
import { startFunctions } from "../tests/functions.ts";
import { addMember, callRpc, episode, newPerson, person, podcast, sql, stackInfo } from "../tests/http/harness.ts";
import { median } from "./feed/large_podcast.ts";
import { requestText, runLoad } from "./load.ts";

const ROUNDS = 5, CLIENTS = 40, EDITORS = 4, MILLISECONDS = 3000, PAUSE_MS = 50;
/** How long each transaction keeps the episode locked, and how long it lets the clients pass. */
const LOCKED_SECONDS = 0.4, OPEN_MS = 50;

await using functions = await startFunctions(stackInfo);
const bystander = await person("bystander");
const show = await podcast(), contended = await episode(show);
const quiet = await episode(await podcast("Quiet", "bystander"));
const edits = await Promise.all(Array.from({ length: EDITORS }, async (_, n) => {
  const editor = await newPerson("editor");
  await addMember(show, editor, "admin");
  const guest = { episode_id: contended.id, source_type: "external", name: `Guest ${n}` };
  await callRpc(editor, "add_episode_person", guest);
  const [added] = await sql`
    select id from public.episode_people where episode_id = ${contended.id} and name = ${guest.name}`;
  const headers = { authorization: `Bearer ${editor.token}`, "content-type": "application/json" };
  return requestText("PUT", `/api/episodes/${contended.id}/people/${added.id}`, headers, '{"name":"Ann"}');
}));

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function call(): Promise<number> {
  const from = performance.now();
  const response = await fetch(`${functions.url}/api/episodes/${quiet.id}/people`, {
    headers: { authorization: `Bearer ${bystander.token}` },
  });
  await response.body?.cancel();
  if (response.status !== 200) throw new Error(`The bystander received ${response.status}`);
  return performance.now() - from;
}

/** Times of the bystander's calls until the load ends. A slow call does not delay the next one. */
async function measure(load: Promise<unknown>): Promise<number[]> {
  let isOver = false;
  load.finally(() => isOver = true);
  const times: Promise<number>[] = [];
  while (!isOver) {
    times.push(call());
    await pause(PAUSE_MS);
  }
  return await Promise.all(times);
}

const statuses: Record<string, number> = {};

/** 40 clients of four users who edit the episode. */
async function contend() {
  const load = { port: functions.port, request: edits, connections: CLIENTS, milliseconds: MILLISECONDS };
  for (const [status, n] of Object.entries((await runLoad(load)).statuses)) {
    statuses[status] = (statuses[status] ?? 0) + n;
  }
}

/** The same while transactions lock the episode. */
async function contendForHeldLock() {
  let isOver = false;
  const load = contend().finally(() => isOver = true);
  while (!isOver) {
    await sql`
      select pg_sleep(${LOCKED_SECONDS}) from (select from public.episodes where id = ${contended.id} for update) locked`;
    await pause(OPEN_MS);
  }
  await load;
}

const contenders = {
  "40 clients edit one episode": contend,
  "the same, and transactions lock it for 0.4 s each": contendForHeldLock,
};
const ratios: Record<string, { median: number; maximum: number }[]> = {};
const idleTimes: number[] = [];
for (let round = 0; round <= ROUNDS; round++) { // the first one warms up
  const idle = median(await measure(pause(MILLISECONDS / 3)));
  for (const [name, start] of Object.entries(contenders)) {
    const times = await measure(start());
    if (round > 0) (ratios[name] ??= []).push({ median: median(times) / idle, maximum: Math.max(...times) });
  }
  if (round > 0) idleTimes.push(idle);
}
console.log(`Alone: ${median(idleTimes).toFixed(1)} ms`);
for (const [name, rounds] of Object.entries(ratios)) {
  const medians = rounds.map(({ median }) => median);
  console.log(
    `${name}: ${median(medians).toFixed(1)} x alone, worst round ${Math.max(...medians).toFixed(1)}, ` +
      `longest call ${Math.max(...rounds.map(({ maximum }) => maximum)).toFixed(0)} ms`,
  );
}
console.log(`The clients' statuses: ${JSON.stringify(statuses)}`);
Deno.exit(0);
