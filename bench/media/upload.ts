// What an upload costs over putting the same bytes into storage: the time of 5 MB audio uploads through the API, all of
// it (token, checks, storing, measuring, the episode's row), against plain uploads to storage with the secret key.
// Goal: at most 1.3 times. node local/deno.mjs bench/media/upload.ts
import { ask, at, episode, person, podcast } from "../../tests/http/harness.ts";
import { CAP, upload } from "../../tests/http/api/audio.ts";

const ROUNDS = 12, AT_ONCE = [1, 4];

const show = await podcast("Throughput"), { token } = await person("owner");
const bytes = new Uint8Array(CAP).map((_, i) => i * 31);
const pilots = await Promise.all(Array.from({ length: Math.max(...AT_ONCE) }, (_, n) => episode(show, `Pilot ${n}`)));

async function ours(n: number) {
  const { path, headers } = upload(show, pilots[n]);
  await sent(at.functionsUrl + path, "PUT", { ...headers, authorization: `Bearer ${token}` });
}

async function plain() {
  const url = `${at.url}/storage/v1/object/media/bench/${crypto.randomUUID()}.mp3`;
  await sent(url, "POST", {
    authorization: `Bearer ${at.secretKey}`,
    apikey: at.secretKey,
    "content-type": "audio/mpeg",
  });
}

async function sent(url: string, method: string, headers: Record<string, string>) {
  const response = await fetch(url, { method, headers, body: bytes });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url}: ${text}`);
}

async function timed(work: (n: number) => Promise<void>, atOnce: number): Promise<number> {
  const began = performance.now();
  await Promise.all(Array.from({ length: atOnce }, (_, n) => work(n)));
  return performance.now() - began;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1];

await ask({ method: "GET", path: "/api/health/ready" });
for (const atOnce of AT_ONCE) {
  const times: Record<string, number[]> = { plain: [], ours: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    const [a, b] = [await timed(plain, atOnce), await timed(ours, atOnce)];
    if (round === 0) continue; // warms up
    times.plain.push(a);
    times.ours.push(b);
  }
  const [a, b] = [median(times.plain), median(times.ours)];
  console.log(
    `${atOnce} at once: storage ${a.toFixed(1)} ms, upload ${b.toFixed(1)} ms, ratio ${
      (b / a).toFixed(2)
    } (goal: at most 1.3)`,
  );
}
Deno.exit(0);
