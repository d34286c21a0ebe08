// Memory over idle of 5 MB uploads, one after another: the resident set of the functions' process, sampled every few
// milliseconds. Audio is streamed, the beginning of images is buffered.
// Goal: under 24 MB. node local/deno.mjs bench/upload_memory.ts
import { episode, person, podcast, type RequestOptions, stackInfo } from "../tests/http/harness.ts";
import * as audio from "../tests/http/api/audio.ts";
import * as images from "../tests/http/api/images.ts";
import { startFunctions } from "../tests/functions.ts";

const UPLOADS = 10;
const MB = 1024 * 1024;

await using functions = await startFunctions(stackInfo);
const show = await podcast("Heavy"), pilot = await episode(show), { token } = await person("owner");

const resident = () => {
  const [, pages] = Deno.readTextFileSync(`/proc/${functions.pid}/statm`).split(" ");
  return Number(pages) * 4096;
};

async function put({ path, headers }: RequestOptions, body: Uint8Array) {
  const response = await fetch(functions.url + path, {
    method: "PUT",
    headers: { ...headers, authorization: `Bearer ${token}` },
    body,
  });
  if (response.status !== 200) throw new Error(await response.text());
  await response.body?.cancel();
}

const picture = images.picture("episode_cover", "png", images.SPEC.episode_cover.maxSize);
const kinds: [name: string, upload: () => Promise<void>][] = [
  ["audio", () => put(audio.upload(show, pilot), new Uint8Array(audio.CAP).fill(7))],
  ["image", () => put(images.upload(show, pilot, { body: picture }), picture)],
];

await put(audio.upload(show, pilot), new Uint8Array(1000)); // everything that an upload needs is loaded once
for (const [name, upload] of kinds) {
  const peaks: number[] = [];
  for (let n = 0; n < UPLOADS; n++) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const idle = resident();
    let peak = idle;
    const sampler = setInterval(() => peak = Math.max(peak, resident()), 2);
    await upload();
    clearInterval(sampler);
    peaks.push((Math.max(peak, resident()) - idle) / MB);
    console.log(`${name} ${n + 1}: ${peaks[n].toFixed(1)} MB over ${(idle / MB).toFixed(1)} MB idle`);
  }
  console.log(`${name}, maximum: ${Math.max(...peaks).toFixed(1)} MB (goal: under 24)`);
}
await functions[Symbol.asyncDispose]();
Deno.exit(0);
