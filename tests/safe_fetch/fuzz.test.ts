// Random responses: each is read or rejected, independent of how it is split. Failures name the seed.
import assert from "node:assert/strict";
import { readResponseBody } from "../../functions/safe_fetch/response_body.ts";
import type { Connection } from "../../functions/safe_fetch/connection.ts";
import { startDeadline } from "../../functions/safe_fetch/deadline.ts";
import { FetchError } from "../../functions/safe_fetch/fetch_error.ts";
import { bodyFraming } from "../../functions/safe_fetch/body_framing.ts";
import { readHead } from "../../functions/safe_fetch/response_head.ts";
import { byScale } from "../scale.ts";
import { fetchAs } from "./assertions.ts";
import { seededRandom } from "../random.ts";
import { startPeer } from "./peer.ts";

const LINES = [
  "Content-Length: 5",
  "Content-Length: 5",
  "Transfer-Encoding: chunked",
  "Connection: keep-alive",
  "Set-Cookie: a=b; c",
  "X: \xe9\x80 \t y",
  " folded",
  "Content-Length: 50",
  "Content-Length: -1",
  "Content-Length: 99999999999999999999",
  "Transfer-Encoding: gzip, chunked",
  "\t",
  ": nameless",
  "no colon",
  "A: \0",
  "B: c\rD: e",
  "",
];
const STARTS = ["HTTP/1.1 200 OK", "HTTP/1.0 200 OK", "HTTP/1.1 100 Continue", "HTTP/1.1 204 No", "HTTP/1.1 99 x"];
const BODIES = [
  "hello",
  "5\r\nhello\r\n0\r\n\r\n",
  "5;x\r\nhello\r\n5\r\nworld\r\n0\r\nA: b\r\n\r\n",
  "fffffffffffff\r\nhello",
  "0\r\n\r\n",
  "",
];
const ODD_BREAKS = ["\n", "\n", "\r", "\r\r\n"];
const SANE = 7; // of the lines, from the first

/** A response of meaningful parts; every other one is damaged. */
function randomResponse(seed: number): Uint8Array {
  const { below, one } = seededRandom(seed);
  const isOdd = below(2) === 1;
  const lineEnd = () => isOdd && !below(8) ? one(ODD_BREAKS) : "\r\n";
  let text = "";
  for (let heads = 1 + below(2); heads--;) {
    text += heads ? "HTTP/1.1 103 Hints\r\n" : one(STARTS) + lineEnd();
    for (let lines = below(4); lines--;) text += one(isOdd ? LINES : LINES.slice(0, SANE)) + lineEnd();
    text += lineEnd();
  }
  text += one(BODIES).repeat(1 + below(3));
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  if (!isOdd) return bytes;
  for (let damage = below(4); damage > 0; damage--) bytes[below(bytes.length)] = below(256);
  return bytes.slice(0, below(4) ? bytes.length : below(bytes.length + 1));
}

/** A connection that returns these bytes in chunks of random sizes, then closes. */
function connectionOf(bytes: Uint8Array, seed: number): Connection {
  const { below } = seededRandom(seed);
  const maxPiece = 1 + below(60);
  let at = 0;
  return {
    read() {
      if (at === bytes.length) return Promise.resolve(null);
      const piece = bytes.slice(at, at + 1 + below(maxPiece));
      at += piece.length;
      return Promise.resolve(piece);
    },
    write: () => Promise.resolve(),
    close() {},
    connectedAt: 0,
    release: () => Promise.resolve(),
    bind() {},
  };
}

/** Status, headers and body, or the error message. */
async function outcome(bytes: Uint8Array, pieces: number) {
  const deadline = startDeadline({ timeoutMs: 60_000 });
  try {
    const connection = connectionOf(bytes, pieces);
    const head = await readHead(connection);
    const stream = readResponseBody(connection, head.rest, bodyFraming("GET", head), deadline);
    const body = new Uint8Array(await new Response(stream).arrayBuffer());
    return { status: head.status, headers: [...head.headers], body };
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    return error.message;
  } finally {
    deadline.clear();
  }
}

async function forSeeds(count: number, claim: (seed: number) => Promise<void>) {
  for (let seed = 1; seed <= count; seed++) {
    await claim(seed).catch((cause) => {
      throw new Error(`with seed ${seed}`, { cause });
    });
  }
}

Deno.test("the parsing of random responses does not depend on how the bytes are split", async () => {
  const count = byScale(1000, 200_000);
  let read = 0;
  await forSeeds(count, async (seed) => {
    const bytes = randomResponse(seed);
    const first = await outcome(bytes, seed);
    assert.deepEqual(await outcome(bytes, seed + 1_000_000), first);
    if (typeof first === "string") return;
    read++;
    assert.ok(first.status >= 200 && first.body.length <= bytes.length);
  });
  assert.ok(read > count / 20 && read < count / 2, `${read} of ${count} are answers: a claim about both`);
});

Deno.test("safeFetch reads or rejects random responses and closes every connection", async () => {
  await using source = startPeer(({ request, send }) => send(randomResponse(Number(/^GET \/(\d+)/.exec(request)![1]))));
  await forSeeds(byScale(120, 20_000), async (seed) => {
    try {
      const { body } = await fetchAs(`${source.url}${seed}`, { allowedHosts: [source.host], maxRedirects: 0 });
      await new Response(body).arrayBuffer();
    } catch (error) {
      assert.ok(error instanceof FetchError, String(error));
      assert.equal(error.code, "FETCH_FAILED");
    }
  });
});
