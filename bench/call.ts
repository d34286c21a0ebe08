// The cost of the frame: requests per second of routes that call one function as their caller, through the functions'
// own process, against a bare handler with one prepared select. Goal: at least 0.6 of it. The CPU time per request shows
// the layers: each contender does what the one before does, and more.
// node local/deno.mjs bench/call.ts
import "../functions/database/immediate_writes.ts";
import postgres from "postgres";
import { callParameters } from "../functions/database/operations.ts";
import { startFunctions } from "../tests/functions.ts";
import { cpuMicroseconds, databaseCpu } from "./cpu.ts";
import { median } from "./feed/large_podcast.ts";
import { requestText, runLoad } from "./load.ts";
import { startPeer } from "./peer.ts";

/** The load is one caller's, who has at most half of an isolate's connections: five, as the bare handlers use at once. */
const SHARED = { DATABASE_CONNECTIONS: "10" };
const ROUNDS = 5, CONNECTIONS = 16, MILLISECONDS = 1000;

if (Deno.args[0] === "bare") {
  const [, url, options, claims, upload] = Deno.args;
  const sql = postgres(url, { max: 10, ...JSON.parse(options) });
  const encoder = new TextEncoder();
  const select = () => sql`select json_build_object('status', 'ok', 'timestamp', now())::text as text`;
  const call = () =>
    sql`
    select status, data::text as text from private.call_check_health(${'{"role":"anon"}'}::text::json, ${"{}"}::text::jsonb)`;
  const presign = () =>
    sql`
    select status, data::text as text from private.call_presign_audio_upload(${claims}::text::json, ${upload}::text::jsonb)`;
  Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: ({ port }) => console.log(port) }, async ({ url }) => {
    const [{ text }] = await (url.endsWith("/call") ? call() : url.endsWith("/presign") ? presign() : select());
    return new Response(encoder.encode(text), { headers: { "content-type": "application/json" } });
  });
} else {
  await measure();
  Deno.exit(0);
}

async function measure() {
  const { stackInfo, episode, person, podcast, sql } = await import("../tests/http/harness.ts");
  const baseline = { name: "baseline", entrypoint: new URL("./baseline_function.ts", import.meta.url).pathname };
  await using functions = await startFunctions(stackInfo, SHARED, { more: [baseline] });
  const show = await podcast(), pilot = await episode(show), { token, client } = await person("owner");
  const { data } = await client.auth.getClaims();
  const upload = {
    podcastId: show.id,
    episodeId: pilot.id,
    contentType: "audio/mpeg",
    filename: "pilot.mp3",
    fileSize: 1000,
  };
  // The functions do not pipeline statements (functions/database/pool.ts), so the bare handler does not either
  const bare = await startPeer(
    import.meta.filename!,
    "bare",
    stackInfo.dbUrl,
    '{"max_pipeline":0,"fetch_types":false}',
    ...callParameters(JSON.stringify({ sub: data!.claims.sub, role: "authenticated" }), upload),
  );
  const asItComes = await startPeer(import.meta.filename!, "bare", stackInfo.dbUrl, "{}");

  const signedIn = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const presignPath = "/api/media/audio/presigned-url";
  const contenders: Record<string, { port: number; pid: number; request: string }> = {
    "bare handler, one prepared select": { ...bare, request: requestText("GET", "/") },
    "the same with the unmodified driver": { ...asItComes, request: requestText("GET", "/") },
    "the same, private.call_check_health": { ...bare, request: requestText("GET", "/call") },
    "the same, private.call_presign_…": { ...bare, request: requestText("GET", "/presign") },
    "no database: GET /api/health": { ...functions, request: requestText("GET", "/api/health") },
    "one small call as an anonymous user": { ...functions, request: requestText("GET", "/api/health/ready") },
    "one small call as a user": { ...functions, request: requestText("GET", "/baseline", signedIn) },
    "POST presigned-url as a user": {
      ...functions,
      request: requestText("POST", presignPath, signedIn, JSON.stringify(upload)),
    },
  };

  const results: Record<string, { requestsPerSecond: number; server: number; database: number }[]> = {};
  const database = await databaseCpu(sql);
  for (let round = 0; round <= ROUNDS; round++) { // the first one warms up
    for (const [name, { port, pid, request }] of Object.entries(contenders)) {
      const [serverBefore, databaseBefore] = [cpuMicroseconds(pid), database()];
      const { requestsPerSecond, statuses } = await runLoad({
        port,
        request,
        connections: CONNECTIONS,
        milliseconds: MILLISECONDS,
      });
      if (Object.keys(statuses).join() !== "200") throw new Error(`${name}: ${JSON.stringify(statuses)}`);
      const server = (cpuMicroseconds(pid) - serverBefore) / statuses[200];
      const result = { requestsPerSecond, server, database: (database() - databaseBefore) / statuses[200] };
      if (round > 0) (results[name] ??= []).push(result);
    }
  }
  const [floors] = Object.values(results);
  for (const [name, each] of Object.entries(results)) {
    const ratios = each.map(({ requestsPerSecond }, n) => requestsPerSecond / floors[n].requestsPerSecond);
    const byCpu = each.map(({ server, database }, n) => (floors[n].server + floors[n].database) / (server + database));
    const of = (key: keyof typeof each[0]) => median(each.map((result) => result[key])).toFixed(0);
    console.log(
      `${name.padEnd(38)} ${of("requestsPerSecond").padStart(6)} req/s  ${median(ratios).toFixed(2)} x bare, ` +
        `worst ${Math.min(...ratios).toFixed(2)}, by CPU ${median(byCpu).toFixed(2)}  ` +
        `CPU ${of("server")} + ${of("database")} µs`,
    );
  }
  await Promise.all([bare.stop(), asItComes.stop()]);
}
