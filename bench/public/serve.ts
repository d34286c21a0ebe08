// /v1 from the functions' own process with their log, against a bare handler that runs the same select prepared and
// answers the same bytes, at 32 connections: one resource that all ask for, and resources in turn, none of which two ask
// for at once. Goal: at least 0.85 of the bare handler's requests. Needs wrk (apt-get install wrk).
// node local/deno.mjs bench/public/serve.ts [regular expression of names]
import { join } from "node:path";
import type postgres from "postgres";
import { startProcess } from "../../local/functions/process.ts";
import { repository } from "../../local/host/project.ts";
import { createFeedDatabase, makeEpisodes, makePodcast } from "../../tests/feed_writer/feed_database.ts";
import { cpuMicroseconds, databaseCpu } from "../cpu.ts";
import { median } from "../feed/large_podcast.ts";
import { startPeer } from "../peer.ts";
import { wrk, type WrkResult } from "../wrk.ts";

const ROUNDS = 5, CONNECTIONS = 32, SECONDS = 1, SHOWS = 200, EPISODES = 25;
const BARE_ETAG = '"bare"';
const only = new RegExp(Deno.args[0] ?? "");
const NOTES = `<p>${"A night train, its stations and the people on board. ".repeat(20)}</p>`;

interface Contender {
  pid: number;
  url: string;
  headers?: string[];
  /** Requests resources in turn: what precedes and follows the slug. */
  spread?: { PREFIX: string; SUFFIX?: string };
}

interface Result extends WrkResult {
  /** CPU time per request, in microseconds. */
  server: number;
  database: number;
}

await measure();
Deno.exit(0);

async function measure() {
  await using scratch = await createFeedDatabase();
  const { sql } = scratch;
  const episodeId = await fill(sql);
  const functions = startProcess(
    [{ name: "public", entrypoint: join(repository, "functions/public/index.ts") }],
    scratch.env,
  );
  const bare = await startPeer(join(import.meta.dirname!, "bare.ts"), scratch.url, BARE_ETAG);
  const bareBase = `http://127.0.0.1:${bare.port}`;
  const of = { pid: (await functions.pid)!, base: `http://127.0.0.1:${await functions.port}` };

  /** A resource from both, as 200 and as 304. */
  async function pair(name: string, path: string, barePath: string): Promise<[string, Contender, Contender][]> {
    const url = `${of.base}/public/v1${path}`, bareUrl = bareBase + barePath;
    const [response, bareResponse] = await Promise.all([url, bareUrl].map((url) => fetch(url)));
    if (await response.text() !== await bareResponse.text()) throw new Error(`${name}: the bodies differ`);
    return [
      [`${name}, 200`, { pid: of.pid, url }, { pid: bare.pid, url: bareUrl }],
      [
        `${name}, 304`,
        { pid: of.pid, url, headers: [`If-None-Match: ${response.headers.get("etag")}`] },
        { pid: bare.pid, url: bareUrl, headers: [`If-None-Match: ${BARE_ETAG}`] },
      ],
    ];
  }
  const inTurn = (name: string, read: string, SUFFIX = ""): [string, Contender, Contender] => [
    name,
    { pid: of.pid, url: of.base, spread: { PREFIX: "/public/v1/podcasts", SUFFIX } },
    { pid: bare.pid, url: bareBase, spread: { PREFIX: `/${read}` } },
  ];
  const matches = [
    ...await pair("podcast", "/podcasts/show-0", "/get_public_podcast/show-0"),
    ...await pair("episodes", "/podcasts/show-0/episodes", "/list_public_episodes/show-0"),
    ...await pair("episode", `/episodes/${episodeId}`, `/get_public_episode_by_id/${episodeId}`),
    inTurn(`podcasts in turn, 200`, "get_public_podcast"),
    inTurn(`episodes in turn, 200`, "list_public_episodes", "/episodes"),
  ].filter(([name]) => only.test(name));

  const results: Record<string, [Result, Result][]> = {};
  const database = await databaseCpu(sql);
  for (let round = 0; round <= ROUNDS; round++) { // the first one warms up
    for (const [name, ours, bares] of matches) {
      const both: [Result, Result] = [await run(ours, database), await run(bares, database)];
      if (round > 0) (results[name] ??= []).push(both);
    }
  }
  await bare.stop();
  await functions.stop();

  console.log(
    `${CONNECTIONS} connections, median of ${ROUNDS}; CPU time of the server and of the database per request`,
  );
  for (const [name, both] of Object.entries(results)) {
    const ratios = both.map(([ours, bare]) => ours.requestsPerSecond / bare.requestsPerSecond);
    const byCpu = both.map(([ours, bare]) => (bare.server + bare.database) / (ours.server + ours.database));
    console.log(
      `${name}: ${median(ratios).toFixed(2)} of the bare handler, worst ${Math.min(...ratios).toFixed(2)}, ` +
        `by CPU time ${median(byCpu).toFixed(2)}`,
    );
    for (const [n, contender] of ["functions", "bare"].entries()) {
      const of = (key: keyof Result) => Math.round(median(both.map((each) => each[n][key])));
      console.log(
        `  ${contender.padEnd(9)} ${of("requestsPerSecond")} requests/s, p99 ${of("p99Milliseconds")} ms, ` +
          `CPU ${of("server")} + ${of("database")} µs`,
      );
    }
  }
}

async function run({ pid, url, headers, spread }: Contender, database: () => number): Promise<Result> {
  const script = spread && join(import.meta.dirname!, "spread.lua");
  const [serverBefore, databaseBefore] = [cpuMicroseconds(pid), database()];
  const result = await wrk(url, {
    connections: CONNECTIONS,
    seconds: SECONDS,
    headers,
    script,
    env: { COUNT: String(SHOWS), ...spread },
  });
  return {
    ...result,
    server: (cpuMicroseconds(pid) - serverBefore) / result.requests,
    database: (database() - databaseBefore) / result.requests,
  };
}

/** Creates the shows; returns the id of one episode. */
async function fill(sql: postgres.Sql): Promise<string> {
  for (let n = 0; n < SHOWS; n++) {
    const id = await makePodcast(sql, { title: `Show ${n}`, slug: `show-${n}`, description: "Trains at night." });
    await makeEpisodes(sql, id, EPISODES, NOTES);
  }
  await sql`update public.episodes set show_notes_safe_html = show_notes_html, show_notes_version = 1`;
  await sql`vacuum analyze`;
  const [{ id }] = await sql<{ id: string }[]>`select id from public.episodes limit 1`;
  return id;
}
