// Serves a feed of 1,000 episodes and the player's script from the functions' own process with their log. Peers: nginx
// without a log that has the same gzip as files, a bare Deno.serve that answers the script, and a handler that reads the
// feed from the database for every request. Goals: a 200 with a warm cache at least 0.75 of nginx; a 304 at least 15
// times the 200 from the database.
// Needs nginx and wrk (apt-get install nginx wrk).
// node local/deno.mjs bench/feed/serve.ts
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { spawnChild } from "../../local/host/child_process.ts";
import { startProcess } from "../../local/functions/process.ts";
import { repository } from "../../local/host/project.ts";
import type { Job } from "../../functions/worker/job.ts";
import { timeBudget } from "../../functions/worker/run_limits.ts";
import { createFeedDatabase } from "../../tests/feed_writer/feed_database.ts";
import { ENDING, startPeer } from "../peer.ts";
import { wrk } from "../wrk.ts";
import { EPISODES, makeLargePodcast, median } from "./large_podcast.ts";

const ROUNDS = 5, CONNECTIONS = 32, SECONDS = 2;
const PLAYER = join(repository, "functions/built/player.json");

if (Deno.args[0] === "bare") {
  const script = await readPlayer(), headers = { "content-type": "text/javascript", "content-encoding": "gzip" };
  const onListen = ({ port }: Deno.NetAddr) => console.log(port);
  Deno.serve({ port: 0, hostname: "127.0.0.1", onListen }, () => new Response(script, { headers }));
} else {
  await measure();
  Deno.exit(0);
}

async function measure() {
  await using scratch = await createFeedDatabase();
  const { sql } = scratch;
  const { drain } = await import("../../functions/worker/loop.ts");
  const { renderFeedJob } = await import("../../functions/worker/jobs/render_feed.ts");
  const id = await makeLargePodcast(sql);
  await drain(renderFeedJob as Job, timeBudget(60_000));
  await sql`create table bench_document (gzip bytea)`;
  await sql`alter table bench_document alter column gzip set storage external`;
  const [{ gzip, etag }] = await sql`
    with copied as (insert into bench_document select f.gzip from private.get_feed_gzip(${id}) f returning gzip)
    select c.gzip, d.etag from copied c, private.feed_documents d where d.podcast_id = ${id}`;

  const entrypoint = join(repository, "functions/public/index.ts");
  const functions = startProcess([{ name: "public", entrypoint }], scratch.env);
  const nginx = await startNginx({ "feed.xml": gzip, "v1.js": await readPlayer() });
  const bare = await startPeer(import.meta.filename!, "bare");
  const database = await startPeer(join(import.meta.dirname!, "from_database.ts"), scratch.url);
  const base = `http://127.0.0.1:${await functions.port}/public`, feed = `${base}/feeds/night-trains.xml`;

  const contenders: Record<string, { url: string; headers?: string[]; status: number }> = {
    "nginx, a static gzip file": { url: `http://127.0.0.1:${nginx.port}/feed.xml`, status: 200 },
    "200, warm cache": { url: feed, status: 200 },
    "200, read from the database": { url: `http://127.0.0.1:${database.port}/`, status: 200 },
    "304, one-row ETag check": { url: feed, headers: [`If-None-Match: "${etag}-gzip"`], status: 304 },
    "nginx, the player's script": { url: `http://127.0.0.1:${nginx.port}/v1.js`, status: 200 },
    "a bare Deno.serve, the player's script": { url: `http://127.0.0.1:${bare.port}/`, status: 200 },
    "the player's script": { url: `${base}/player/v1.js`, status: 200 },
  };
  const results: Record<string, number[]> = {};
  try {
    for (let round = 0; round <= ROUNDS; round++) { // the first one warms up
      for (const [name, { url, headers = [], status }] of Object.entries(contenders)) {
        const requestHeaders = ["Accept-Encoding: gzip", ...headers];
        const response = await fetch(url, {
          headers: requestHeaders.map((line) => line.split(": ") as [string, string]),
        });
        await response.body?.cancel();
        if (response.status !== status) throw new Error(`${name}: ${response.status}`);
        const load = { connections: CONNECTIONS, seconds: SECONDS, headers: requestHeaders };
        const { requestsPerSecond } = await wrk(url, load);
        if (round > 0) (results[name] ??= []).push(requestsPerSecond);
      }
    }
  } finally {
    await database.stop();
    await bare.stop();
    await nginx.stop();
    await functions.stop();
  }

  console.log(`feed of ${EPISODES} items, ${(gzip.length / 1e6).toFixed(2)} MB gzipped, ${CONNECTIONS} connections`);
  for (const [name, rates] of Object.entries(results)) console.log(`${name}: ${Math.round(median(rates))} requests/s`);
  const [nginxRates, warm, read, unchanged, nginxScript, bareScript, script] = Object.values(results);
  const ratios = (these: number[], those: number[]) => these.map((rate, n) => rate / those[n]);
  const toNginx = {
    "feed": ratios(warm, nginxRates),
    "player's script": ratios(script, nginxScript),
    "a bare Deno.serve with it": ratios(bareScript, nginxScript),
  };
  for (const [name, each] of Object.entries(toNginx)) {
    console.log(`${name}: ${median(each).toFixed(2)} of nginx, worst ${Math.min(...each).toFixed(2)} (goal: 0.75)`);
  }
  const toDatabase = ratios(unchanged, read);
  console.log(`304 / 200 from the database: ${median(toDatabase).toFixed(0)} (goal: 15)`);
}

/** The player's script as npm run build compressed it; in a plain array, which costs less as a body. */
async function readPlayer(): Promise<Uint8Array> {
  return new Uint8Array(Buffer.from(JSON.parse(await Deno.readTextFile(PLAYER)).gzip, "base64"));
}

/** nginx with one worker process, as the functions have one. */
async function startNginx(files: Record<string, Uint8Array>) {
  const folder = await Deno.makeTempDir({ prefix: "castbase-bench-" });
  await Deno.chmod(folder, 0o755);
  for (const [name, gzip] of Object.entries(files)) await Deno.writeFile(join(folder, name), gzip);
  const probe = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = probe.addr;
  probe.close();
  await Deno.writeTextFile(
    join(folder, "nginx.conf"),
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
    events { worker_connections 256; }
    http {
      access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; open_file_cache max=10;
      client_body_temp_path ${folder}/a; proxy_temp_path ${folder}/b; fastcgi_temp_path ${folder}/c;
      uwsgi_temp_path ${folder}/d; scgi_temp_path ${folder}/e;
      server {
        listen 127.0.0.1:${port}; root ${folder}; default_type application/rss+xml; add_header Content-Encoding gzip;
      }
    }`,
  );
  const child = spawnChild("nginx", ["-c", join(folder, "nginx.conf"), "-p", folder], { stdout: "null" }, ENDING);
  await new Promise((resolve) => setTimeout(resolve, 300));
  return {
    port,
    async stop() {
      await child.stop();
      await Deno.remove(folder, { recursive: true });
    },
  };
}
