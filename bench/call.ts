// What the house costs: requests per second of routes that run one verb as their caller, through the functions' own
// process, against a bare handler with one prepared select. Goal: at least 0.6 of it. Node local/deno.mjs bench/call.ts
import postgres from "postgres";
import { startFunctions } from "../tests/functions.ts";
import { load, request } from "./load.ts";

const ROUNDS = 5, CONNECTIONS = 16, MILLISECONDS = 2000;

if (Deno.args[0] === "bare") {
  const sql = postgres(Deno.args[1], { max: 10 });
  const encoder = new TextEncoder();
  Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: ({ port }) => console.log(port) }, async () => {
    const [{ text }] = await sql`select json_build_object('status', 'ok', 'timestamp', now())::text as text`;
    return new Response(encoder.encode(text), { headers: { "content-type": "application/json" } });
  });
} else {
  await measure();
  Deno.exit(0);
}

async function measure() {
  const { at, episode, person, podcast } = await import("../tests/http/harness.ts");
  await using functions = await startFunctions(at);
  const bare = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", import.meta.filename!, "bare", at.dbUrl],
    stdout: "piped",
  }).spawn();
  const { value } = await bare.stdout.getReader().read();
  const barePort = Number.parseInt(new TextDecoder().decode(value));

  const show = await podcast(), pilot = await episode(show), { token } = await person("owner");
  const presign = JSON.stringify({
    podcastId: show.id,
    episodeId: pilot.id,
    contentType: "audio/mpeg",
    filename: "pilot.mp3",
    fileSize: 1000,
  });
  const signedIn = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const contenders: Record<string, { port: number; request: string }> = {
    "bare handler, one prepared select": { port: barePort, request: request("GET", "/") },
    "no database: GET /api/health": { port: functions.port, request: request("GET", "/api/health") },
    "one verb as nobody: GET /api/health/ready": { port: functions.port, request: request("GET", "/api/health/ready") },
    "one verb as the caller: POST presigned-url": {
      port: functions.port,
      request: request("POST", "/api/media/audio/presigned-url", signedIn, presign),
    },
    "GET /v1/podcasts/:slug": { port: functions.port, request: request("GET", `/public/v1/podcasts/${show.slug}`) },
  };

  const results: Record<string, number[]> = {};
  for (let round = 0; round <= ROUNDS; round++) { // the first one warms up
    for (const [name, { port, request }] of Object.entries(contenders)) {
      const { requestsPerSecond, statuses } = await load({
        port,
        request,
        connections: CONNECTIONS,
        milliseconds: MILLISECONDS,
      });
      if (Object.keys(statuses).join() !== "200") throw new Error(`${name}: ${JSON.stringify(statuses)}`);
      if (round > 0) (results[name] ??= []).push(requestsPerSecond);
    }
  }
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1];
  const [floor] = Object.values(results).map(median);
  for (const [name, values] of Object.entries(results)) {
    console.log(
      `${name.padEnd(46)} ${median(values).toFixed(0).padStart(7)} req/s  ${
        (median(values) / floor).toFixed(2)
      } x bare`,
    );
  }
  bare.kill();
  await bare.status;
}
