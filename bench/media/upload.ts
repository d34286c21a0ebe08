// The cost of an upload over storing the same bytes: 5 MB uploads through the API (token, checks, storing, measuring,
// the
// row) against plain uploads to storage with the secret key, on a stack as durable as that of npm start. Each image is
// the first of its episode, because replacing one also deletes an object. Goal: at most 1.3 times. node local/deno.mjs
// bench/media/upload.ts
import { startFunctions } from "../../tests/functions.ts";
import type { Episode } from "../../tests/http/harness.ts";
import { startTestStack } from "../../tests/stack.ts";

const ROUNDS = 12, AT_ONCE = [1, 4];

const { ended: _, ...running } = await startTestStack({ durable: true }, "/dev/null"); // a log line each would be timed too
Deno.env.set("CASTBASE_TEST_STACK", JSON.stringify(running));
const { stackInfo, episode, person, podcast } = await import("../../tests/http/harness.ts");
const audio = await import("../../tests/http/api/audio.ts"), images = await import("../../tests/http/api/images.ts");

const show = await podcast("Throughput"), { token } = await person("owner");
const pilots: Episode[] = [];
for (let n = 0; n < (ROUNDS + 1) * AT_ONCE.reduce((all, some) => all + some); n++) {
  pilots.push(await episode(show, `Pilot ${n}`));
}

const KINDS = [
  {
    name: "audio",
    bytes: new Uint8Array(audio.CAP).map((_, i) => i * 31),
    type: "audio/mpeg",
    request: (pilot: Episode) => audio.upload(show, pilot),
  },
  {
    name: "image",
    bytes: images.picture("episode_cover", "png", images.SPEC.episode_cover.maxSize),
    type: "image/png",
    request: (pilot: Episode) => images.upload(show, pilot, { body: new Uint8Array() }), // the body is given below
  },
];

async function sent(url: string, method: string, headers: Record<string, string>, bytes: Uint8Array) {
  const response = await fetch(url, { method, headers, body: bytes });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url}: ${text}`);
}

async function timed(work: () => Promise<void>, concurrency: number): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: concurrency }, work));
  return performance.now() - startedAt;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1];

// Without the local gateway, which is not part of the product
await using functions = await startFunctions(stackInfo);
for (const { name, bytes, type, request } of KINDS) {
  let next = 0;
  const ours = () => {
    const { path, headers } = request(pilots[next++]);
    return sent(functions.url + path, "PUT", { ...headers, authorization: `Bearer ${token}` }, bytes);
  };
  const plain = () => {
    const url = `${stackInfo.url}/storage/v1/object/media/bench/${crypto.randomUUID()}`;
    return sent(url, "POST", {
      authorization: `Bearer ${stackInfo.secretKey}`,
      apikey: stackInfo.secretKey,
      "content-type": type,
    }, bytes);
  };
  for (const concurrency of AT_ONCE) {
    const times: Record<string, number[]> = { plain: [], ours: [] };
    for (let round = 0; round <= ROUNDS; round++) {
      const [a, b] = [await timed(plain, concurrency), await timed(ours, concurrency)];
      if (round === 0) continue; // warms up
      times.plain.push(a);
      times.ours.push(b);
    }
    const [a, b] = [median(times.plain), median(times.ours)];
    console.log(
      `${name}, ${concurrency} at once: storage ${a.toFixed(1)} ms, upload ${b.toFixed(1)} ms, ratio ${
        (b / a).toFixed(2)
      } (goal: at most 1.3)`,
    );
  }
}
Deno.exit(0); // ends the stack with it
