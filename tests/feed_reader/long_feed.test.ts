// Memory of reading a very long feed: independent of its length.
import assert from "node:assert/strict";
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createGzip } from "node:zlib";
import { longFeed } from "./long_feed.ts";

async function assertBoundedMemory(...args: string[]) {
  const script = new URL("./long_feed.ts", import.meta.url).pathname;
  // the platform's limit for isolates, which decides how much garbage may accumulate
  const flags = ["--allow-all", "--no-check", "--v8-flags=--max-heap-size=256"];
  const command = new Deno.Command(Deno.execPath(), { args: ["run", ...flags, script, ...args] });
  const { success, stdout, stderr } = await command.output();
  assert.ok(success, new TextDecoder().decode(stderr));
  const { found, over } = JSON.parse(new TextDecoder().decode(stdout));
  assert.equal(found, 20_000);
  assert.ok(over < 64_000_000, `${(over / 1e6).toFixed(0)} MB`);
}

Deno.test("reading 20,000 items of 100 MB takes at most 64 MB over the idle process", async () => {
  let size = 0;
  for await (const bytes of longFeed()) size += bytes.length;
  assert.ok(size > 99_000_000, `${size} bytes`);
  await assertBoundedMemory();
});

Deno.test("reading a compressed feed of 100 MB takes at most 64 MB over the idle process", async () => {
  const path = await Deno.makeTempFile();
  try {
    // without compression, for the highest number of chunks
    const compressed = Readable.from(longFeed()).pipe(createGzip({ level: constants.Z_NO_COMPRESSION }));
    await pipeline(compressed, createWriteStream(path));
    await assertBoundedMemory(path);
  } finally {
    await Deno.remove(path);
  }
});
