// Reads the sizes of 1,000 mixed images, against npm's image-size in the same run; then the malformed images with both,
// and what each gets wrong. Goal: at least as fast, and never wrong. node local/deno.mjs bench/media/parse.ts
import { imageSize } from "image-size";
import { Buffer } from "node:buffer";
import { type ImageInfo, parseImageHeader } from "../../functions/media/headers/image_header.ts";
import { malformedCases } from "../../tests/media/malformed.ts";
import { TYPE } from "../../tests/image_fixtures.ts";
import type { PeerResult } from "./image_size_worker.ts";
import { photos } from "./photos.ts";

const ROUNDS = 21, PASSES = 5, PATIENCE_MS = 2000;

const pictures = photos(1000);
const arrays = pictures.map(({ bytes }) => bytes);
const buffers = arrays.map((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
const kilobytes = arrays.reduce((sum, { length }) => sum + length, 0) / arrays.length / 1000;
console.log(`${arrays.length} images of ${kilobytes.toFixed(0)} KB on average`);

interface Size {
  width: number;
  height: number;
}
const contenders: [string, Uint8Array[], (bytes: Uint8Array) => Size | undefined][] = [
  ["imageInfo(Uint8Array)", arrays, parseImageHeader],
  ["imageSize(Uint8Array)", arrays, imageSize],
  ["imageSize(Buffer)", buffers, imageSize], // a Buffer's slices share its memory
];

for (const [name, inputs, read] of contenders) {
  const right = inputs.every((bytes, n) => {
    const { width, height } = read(bytes) ?? {};
    return width === pictures[n].expected.width && height === pictures[n].expected.height;
  });
  if (!right) throw new Error(`${name} is wrong about a common picture`);
}

const times = contenders.map((): number[] => []);
for (let round = -3; round < ROUNDS; round++) { // the first ones warm up
  contenders.forEach(([, inputs, read], which) => {
    const startedAt = performance.now();
    for (let pass = 0; pass < PASSES; pass++) for (const bytes of inputs) read(bytes);
    if (round >= 0) times[which].push((performance.now() - startedAt) / PASSES);
  });
}
const medians = times.map((list) => list.toSorted((a, b) => a - b)[list.length >> 1]);
contenders.forEach(([name], which) => {
  const ratio = medians[which] / medians[0];
  console.log(`${name.padEnd(24)} ${medians[which].toFixed(3).padStart(8)} ms for all, ${ratio.toFixed(1)} x ours`);
});

/** image-size's result for our three types; undefined for others. */
function taken({ type, width, height }: PeerResult): ImageInfo | undefined {
  const known = { jpg: TYPE.jpeg, png: TYPE.png, webp: TYPE.webp }[type ?? ""];
  return known && { type: known, width: width!, height: height! };
}

const newPeer = () => new Worker(new URL("./image_size_worker.ts", import.meta.url), { type: "module" });
let peer = newPeer();

/** image-size's result, or that it hangs. */
async function parseWithPeer(bytes: Uint8Array): Promise<ImageInfo | undefined | "hangs"> {
  let timer: number | undefined;
  const result = await new Promise<PeerResult | "hangs">((resolve, reject) => {
    peer.onmessage = ({ data }) => resolve(data);
    peer.onerror = (event) => reject(new Error(event.message));
    timer = setTimeout(resolve, PATIENCE_MS, "hangs");
    peer.postMessage(bytes);
  });
  clearTimeout(timer);
  if (result !== "hangs") return taken(result);
  peer.terminate();
  peer = newPeer();
  return result;
}

const describe = (result: ImageInfo | undefined | "hangs") =>
  typeof result === "object" ? `${result.type} ${result.width} x ${result.height}` : result ?? "no size";

const wrong = {
  ours: 0,
  peer: { "a size where there is none": 0, "another size": 0, "no size where there is one": 0, "hangs": 0 },
};
await parseWithPeer(arrays[0]); // has started
for (const [name, bytes, expected] of malformedCases) {
  if (describe(parseImageHeader(bytes)) !== describe(expected)) wrong.ours++;
  const result = await parseWithPeer(bytes.slice()); // a copy: a message would carry the whole buffer behind a part of it
  if (describe(result) === describe(expected)) continue;
  const how = result === "hangs"
    ? result
    : !expected
    ? "a size where there is none"
    : result
    ? "another size"
    : "no size where there is one";
  wrong.peer[how]++;
  console.log(`  image-size: ${name}: ${describe(result)}, not ${describe(expected)}`);
}
peer.terminate();
const sum = Object.values(wrong.peer).reduce((all, n) => all + n, 0);
console.log(
  `of ${malformedCases.length} malformed files, ours gets ${wrong.ours} wrong, image-size ${sum}:`,
  wrong.peer,
);
