// Copies of 3000 × 3000 images: CPU and peak memory of a new process for each, and its ratio to decoding alone, in the
// same run. Goals: under 1 s of CPU, within 256 MB. node local/deno.mjs bench/media/image_copies.ts
import { decodeImage, encodeJpeg, encodeWebp } from "../../functions/media/copies/codecs.ts";
import { makeImageCopy } from "../../functions/media/copies/make_image_copy.ts";
import type { Pixels } from "../../functions/media/copies/pixels.ts";
import { parseImageHeader } from "../../functions/media/headers/image_header.ts";
import { pngOf } from "../../tests/media/copies/pictures.ts";

const SIDE = 3000, MAX_PIXELS = SIDE * SIDE, ROUNDS = 3;

/** Soft waves with edges, which compress like a drawing; in steps of 3, no PNG exceeds the 5 MB of a cover. */
function waves(step: number): Pixels {
  const data = new Uint8ClampedArray(4 * MAX_PIXELS);
  for (let y = 0, at = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++, at += 4) {
      const near = Math.hypot(x - 1500, y - 1500) < 900 ? 60 : 0;
      data[at] = 128 + 100 * Math.sin(x / 170) + near;
      data[at + 1] = 128 + 100 * Math.sin(y / 230) + near;
      data[at + 2] = 128 + 100 * Math.sin((x + y) / 310);
      for (let channel = at; channel < at + 3; channel++) data[channel] -= data[channel] % step;
      data[at + 3] = x > 200 ? 255 : 100;
    }
  }
  return { data, width: SIDE, height: SIDE };
}

const readProcess = (file: string) => Deno.readTextFileSync(`/proc/self/${file}`);
/** Of this process, in ticks of 10 ms. */
function cpuMs(): number {
  const fields = readProcess("stat").split(") ")[1].split(" ");
  return 10 * (Number(fields[11]) + Number(fields[12]));
}
const peakMb = () => Number(/VmHWM:\s+(\d+)/.exec(readProcess("status"))![1]) / 1024;

if (Deno.args[0] === "measure") {
  const [, path, work] = Deno.args;
  const bytes = Deno.readFileSync(path), before = cpuMs();
  if (work === "decode") await decodeImage(bytes, parseImageHeader(bytes)!.type);
  else {
    const [size, type] = work.split(" ");
    await makeImageCopy(bytes, { size: Number(size), contentType: type as "image/webp" }, MAX_PIXELS);
  }
  console.log(JSON.stringify({ cpu: cpuMs() - before, memory: peakMb() }));
  Deno.exit();
}

async function measure(path: string, work: string) {
  const runs: { cpu: number; memory: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const args = ["run", "--allow-all", "--no-check", import.meta.filename!, "measure", path, work];
    const { stdout } = await new Deno.Command(Deno.execPath(), { args, stderr: "inherit" }).output();
    runs.push(JSON.parse(new TextDecoder().decode(stdout)));
  }
  return { cpu: Math.min(...runs.map(({ cpu }) => cpu)), memory: Math.max(...runs.map(({ memory }) => memory)) };
}

const picture = waves(1), drawing = waves(3);
const images: [string, Uint8Array][] = [
  ["JPEG, progressive", await encodeJpeg(picture)],
  ["WebP with alpha", await encodeWebp(picture)],
  ["PNG", pngOf(drawing, { colorType: 2 })],
  ["PNG, gray", pngOf(drawing, { colorType: 0 })],
  ["PNG, 16 bits with alpha", pngOf(drawing, { depth: 16 })],
  ["PNG, interlaced with alpha", pngOf(drawing, { isInterlaced: true })],
];
const path = await Deno.makeTempFile();
for (const [name, bytes] of images) {
  await Deno.writeFile(path, bytes);
  const floor = await measure(path, "decode");
  console.log(`${name}, ${(bytes.length / 1e6).toFixed(1)} MB: decoding takes ${floor.cpu} ms of CPU`);
  for (const work of ["160 image/webp", "640 image/webp", "640 image/jpeg"]) {
    const { cpu, memory } = await measure(path, work);
    const ratio = (cpu / floor.cpu).toFixed(1);
    console.log(
      `  ${work.padEnd(14)} ${String(cpu).padStart(5)} ms of CPU, ${ratio} x, ${memory.toFixed(0)} MB at most`,
    );
  }
}
await Deno.remove(path);
