// probeStoredAudio with storages that behave and misbehave.
import assert from "node:assert/strict";
import { UNREACHABLE_ENV, withEnvironment } from "../../environment.ts";
import { startHttpServer } from "../../http_server.ts";
import { joined } from "../../image_fixtures.ts";
import { cover, id3Tag, mp3Frames, withXing } from "./audio_files.ts";

const bytes = joined(id3Tag([cover(1_000_000)]), withXing(mp3Frames(500), 500));
const ranges: string[] = [];
let behave: (request: Request, from: number, to: number) => Response | Promise<Response>;

function sendRange(_request: Request, from: number, to: number): Response {
  const end = Math.min(to, bytes.length - 1);
  return new Response(bytes.slice(from, end + 1), {
    status: 206,
    headers: { "content-range": `bytes ${from}-${end}/${bytes.length}` },
  });
}

Deno.test({ name: "probing stored audio", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using storage = startHttpServer((request) => {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get("range") ?? "") ?? [];
    ranges.push(`${from}-${to}`);
    return behave(request, Number(from), Number(to));
  });
  const { probeStoredAudio } = await withEnvironment(
    { ...UNREACHABLE_ENV, SUPABASE_URL: storage.url },
    () => import("../../../functions/media/audio_probe/probe_stored_audio.ts"),
  );
  const probe = (signal = new AbortController().signal) => probeStoredAudio("podcasts/a.mp3", signal);

  await t.step("probeStoredAudio requests ranges of the object with the secret key, and skips its cover", async () => {
    const requests: string[] = [];
    behave = (request, from, to) => {
      requests.push(`${new URL(request.url).pathname} ${request.headers.get("apikey")}`);
      return sendRange(request, from, to);
    };
    assert.equal(Math.round((await probe()).duration!), 13);
    assert.deepEqual([...new Set(requests)], ["/storage/v1/object/authenticated/media/podcasts/a.mp3 sb_secret_x"]);
    assert.ok(ranges.length <= 4 && ranges[0] === "0-16383", ranges.join());
  });

  const failures: [string, typeof behave, RegExp][] = [
    ["a missing object", () => new Response('{"statusCode":"404"}', { status: 400 }), /storage responded 400/],
    ["the whole object", () => new Response(bytes), /storage responded 200/],
    ["another range", (request, from, to) => sendRange(request, from + 1, to), /storage responded 206/],
    [
      "no size",
      (_request, from, to) =>
        new Response(bytes.slice(from, to), { status: 206, headers: { "content-range": `bytes ${from}-${to}/*` } }),
      /storage responded 206/,
    ],
    ["fewer bytes", (_request, from) =>
      new Response(bytes.slice(from, from + 9), {
        status: 206,
        headers: { "content-range": `bytes ${from}-${from + 8}/${bytes.length}` },
      }), /storage sent 9 bytes/],
  ];
  for (const [name, manner, reason] of failures) {
    await t.step(`probeStoredAudio throws, so that the queue retries, when storage sends ${name}`, async () => {
      behave = manner;
      await assert.rejects(probe(), reason);
    });
  }

  await t.step("probeStoredAudio throws when storage fails after the first range", async () => {
    behave = (request, from, to) => from === 0 ? sendRange(request, from, to) : new Response("", { status: 503 });
    await assert.rejects(probe(), /storage responded 503/);
  });

  await t.step("probeStoredAudio throws when its time is up", async () => {
    const ended = new AbortController();
    behave = (request, from, to) => {
      ended.abort(new Error("time is up"));
      return sendRange(request, from, to);
    };
    await assert.rejects(probe(ended.signal), /time is up/);
  });
});
