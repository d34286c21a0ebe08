// Audio far over the functions' cap: clients send it to storage directly, and the functions never buffer it.
import assert from "node:assert/strict";
import { episode, person, podcast, stackInfo, waitFor } from "../http/harness.ts";
import { audioOf, objectsOf } from "../http/api/audio.ts";
import { begin, type Opened, path as direct, stagedOf } from "../http/api/direct_upload.ts";
import { startFunctions } from "../functions.ts";
import { byScale } from "../scale.ts";
import { requestTo } from "./faulty_functions.ts";

const MB = 1024 * 1024, SIZE = byScale(32 * MB, 500 * MB), PIECE = 256 * 1024;

/** A piece of the file, different for each number; only one is in memory at a time. */
const piece = (number: number) => new Uint8Array(PIECE).fill(number * 31 % 251);

function streamed(): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      if (sent === SIZE) return controller.close();
      controller.enqueue(piece(sent / PIECE));
      sent += PIECE;
    },
  }, { highWaterMark: 0 });
}

Deno.test("audio of hundreds of megabytes is streamed, completed and served in little memory of the functions", async () => {
  const show = await podcast("Endless", "endless"), pilot = await episode(show), admin = await person("admin");
  await using functions = await startFunctions(stackInfo);
  const resident = () => Number(Deno.readTextFileSync(`/proc/${functions.pid}/statm`).split(" ")[1]) * 4096;
  const post = (path: string, json: unknown) =>
    requestTo(functions, { method: "POST", path, as: { token: admin.token }, json });

  // loads all modules that a completion needs
  const first = await begin(show, await episode(show, "Small"), { fileSize: 3 });
  await (await fetch(first.body.uploadUrl, { method: "PUT", headers: { "content-type": "audio/wav" }, body: "abc" }))
    .body?.cancel();
  assert.equal((await post(`${direct}/complete`, { uploadId: first.body.uploadId })).status, 200);

  const idle = resident();
  let peak = idle;
  const sampler = setInterval(() => peak = Math.max(peak, resident()), 2);
  const opened = await post(direct, {
    podcastId: show.id,
    episodeId: pilot.id,
    contentType: "audio/wav",
    filename: "endless.wav",
    fileSize: SIZE,
  });
  assert.equal(opened.status, 200, opened.text);
  const upload: Opened = opened.body;
  const sent = await fetch(upload.uploadUrl, {
    method: "PUT",
    headers: { "content-type": "audio/wav" },
    body: streamed(),
  });
  assert.equal(sent.status, 200, await sent.text());
  const { status, body, text } = await post(`${direct}/complete`, { uploadId: upload.uploadId, duration: 36_000 });
  clearInterval(sampler);

  assert.equal(status, 200, text);
  assert.deepEqual([body.fileSize, body.path], [SIZE, upload.finalPath]);
  assert.deepEqual(await audioOf(pilot), { url: upload.publicUrl, bytes: SIZE, type: "audio/wav", seconds: 36_000 });
  assert.deepEqual(await objectsOf(pilot), [upload.finalPath]);
  await waitFor("nothing is staged", async () => (await stagedOf(show)).length === 0);
  assert.ok(peak - idle < 24 * MB, `${Math.round((peak - idle) / MB)} MB more than idle`);

  const end = await fetch(upload.publicUrl, { headers: { range: `bytes=${SIZE - PIECE - 10}-${SIZE - 1}` } });
  assert.equal(end.status, 206);
  assert.equal(end.headers.get("content-range"), `bytes ${SIZE - PIECE - 10}-${SIZE - 1}/${SIZE}`);
  const bytes = new Uint8Array(await end.arrayBuffer()), last = SIZE / PIECE - 1;
  assert.deepEqual(bytes.subarray(0, 10), piece(last - 1).subarray(0, 10));
  assert.ok(bytes.subarray(10).every((byte) => byte === piece(last)[0]), "the last piece is whole");
});
