// Memory that a 5 MB upload takes in the functions' process over idle: its resident set, sampled every few milliseconds
// while uploads run one after another. Goal: under 24 MB. node local/deno.mjs bench/upload_memory.ts
import { at, episode, person, podcast } from "../tests/http/harness.ts";
import { CAP, upload } from "../tests/http/api/audio.ts";
import { startFunctions } from "../tests/functions.ts";

const UPLOADS = 10;
const MB = 1024 * 1024;

await using functions = await startFunctions(at);
const show = await podcast("Heavy"), pilot = await episode(show), { token } = await person("owner");

const resident = () => {
  const [, pages] = Deno.readTextFileSync(`/proc/${functions.pid}/statm`).split(" ");
  return Number(pages) * 4096;
};

async function put(size: number) {
  const { path, headers } = upload(show, pilot);
  const response = await fetch(functions.url + path, {
    method: "PUT",
    headers: { ...headers, authorization: `Bearer ${token}` },
    body: new Uint8Array(size).fill(7),
  });
  if (response.status !== 200) throw new Error(await response.text());
  await response.body?.cancel();
}

await put(1000); // everything that an upload needs is loaded once
const peaks: number[] = [];
for (let n = 0; n < UPLOADS; n++) {
  await new Promise((resolve) => setTimeout(resolve, 500));
  const idle = resident();
  let peak = idle;
  const sampler = setInterval(() => peak = Math.max(peak, resident()), 2);
  await put(CAP);
  clearInterval(sampler);
  peaks.push((Math.max(peak, resident()) - idle) / MB);
  console.log(`upload ${n + 1}: ${peaks[n].toFixed(1)} MB over ${(idle / MB).toFixed(1)} MB idle`);
}
console.log(`most: ${Math.max(...peaks).toFixed(1)} MB (goal: under 24)`);
await functions[Symbol.asyncDispose]();
Deno.exit(0);
