// The cost of the frame: requests per second of routes that call one function as their caller, through the functions'
// own process, against a bare handler with one prepared select. Goal: at least 0.6 of it.
// node local/deno.mjs bench/call.ts
import "../functions/database/immediate_writes.ts";
import postgres from "postgres";
import { startFunctions } from "../tests/functions.ts";
import { requestText, runLoad } from "./load.ts";

const ROUNDS = 5, CONNECTIONS = 16, MILLISECONDS = 2000;

if (Deno.args[0] === "bare") {
  const [, url, options] = Deno.args;
  const sql = postgres(url, { max: 10, ...JSON.parse(options) });
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
  const { stackInfo, episode, person, podcast } = await import("../tests/http/harness.ts");
  const baseline = { name: "baseline", entrypoint: new URL("./baseline_function.ts", import.meta.url).pathname };
  await using functions = await startFunctions(stackInfo, {}, [baseline]);
  // The functions do not pipeline statements (functions/database/pool.ts), so the bare handler does not either
  const bare = await bareHandler(stackInfo.dbUrl, { max_pipeline: 0, fetch_types: false });
  const asItComes = await bareHandler(stackInfo.dbUrl, {});

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
    "bare handler, one prepared select": { port: bare.port, request: requestText("GET", "/") },
    "the same with the unmodified driver": { port: asItComes.port, request: requestText("GET", "/") },
    "no database: GET /api/health": { port: functions.port, request: requestText("GET", "/api/health") },
    "one small call as an anonymous user: GET /api/health/ready": {
      port: functions.port,
      request: requestText("GET", "/api/health/ready"),
    },
    "one small call as a user": { port: functions.port, request: requestText("GET", "/baseline", signedIn) },
    "the call of POST presigned-url as a user": {
      port: functions.port,
      request: requestText("POST", "/api/media/audio/presigned-url", signedIn, presign),
    },
    "GET /v1/podcasts/:slug": { port: functions.port, request: requestText("GET", `/public/v1/podcasts/${show.slug}`) },
  };

  const results: Record<string, number[]> = {};
  for (let round = 0; round <= ROUNDS; round++) { // the first one warms up
    for (const [name, { port, request }] of Object.entries(contenders)) {
      const { requestsPerSecond, statuses } = await runLoad({
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
      `${name.padEnd(48)} ${median(values).toFixed(0).padStart(7)} req/s  ${
        (median(values) / floor).toFixed(2)
      } x bare`,
    );
  }
  for (const { process } of [bare, asItComes]) {
    process.kill();
    await process.status;
  }
}

async function bareHandler(url: string, options: object) {
  const args = ["run", "-A", "--no-check", import.meta.filename!, "bare", url, JSON.stringify(options)];
  const process = new Deno.Command(Deno.execPath(), { args, stdout: "piped" }).spawn();
  const { value } = await process.stdout.getReader().read();
  return { process, port: Number.parseInt(new TextDecoder().decode(value)) };
}
