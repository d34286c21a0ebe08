// POST /api/media/import-artwork with slow sources; it waits half a minute, so it runs only in npm run test:faults.
import assert from "node:assert/strict";
import type { Visit } from "../../safe_fetch/peer.ts";
import { TYPE } from "../../image_fixtures.ts";
import { byScale } from "../../scale.ts";
import { assertError, person, podcast } from "../harness.ts";
import { httpResponse, importing, importsOf, picture, type Source, source, temporaryObjects } from "./artwork.ts";
import { named, newUserName, objects } from "./images.ts";

/** Sends the pieces a second apart, repeatedly, until the client disconnects. */
async function trickle({ send, left }: Visit, ...pieces: (string | Uint8Array)[]) {
  let isThere = true;
  const leaving = left().then(() => isThere = false);
  for (let n = 0; isThere; n++) {
    await send(pieces[n % pieces.length]);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  await leaving;
}

const whole = httpResponse(picture("cover"), { type: TYPE.jpeg });
const head = httpResponse(new Uint8Array(), { type: TYPE.jpeg, length: 50_000 });

const SLOW: Record<string, (visit: Visit) => unknown> = {
  "says nothing": ({ left }) => left(),
  "never ends its head": async (visit) => {
    await visit.send("HTTP/1.1 200 OK\r\n");
    await trickle(visit, "x-more: to come\r\n");
  },
  "says nothing after its head": ({ send, left }) => send(head).then(left),
  "stops before its last byte": ({ send, left }) => send(whole.subarray(0, -1)).then(left),
  "sends byte by byte": async (visit) => {
    await visit.send(head);
    await trickle(visit, Uint8Array.of(0xff));
  },
  "redirects slowly": async ({ request, send, left }) => {
    const hop = Number(request.match(/^GET \/(\d*)/)![1]);
    if (hop === 3) return await left();
    await new Promise((resolve) => setTimeout(resolve, 8000));
    await send(`HTTP/1.1 302 Found\r\nlocation: /${hop + 1}\r\n\r\n`);
  },
};

Deno.test({
  name:
    "an artwork import returns 408 and stores nothing when the source takes longer than 30 seconds, redirects included",
  ignore: byScale(1, 0) === 1,
  async fn() {
    const name = newUserName("waits"), me = await person(name), show = await podcast("Waited for", name);
    const expected = { error: "The server took too long to respond", code: "TIMEOUT" };
    async function assertTimeout(from: Source, podcastId?: string) {
      assertError(await importing(me, { url: from.url, podcastId }), 408, expected);
    }
    const sources = await Promise.all(Object.values(SLOW).map(source));
    try {
      await Promise.all(sources.flatMap((from) => [assertTimeout(from), assertTimeout(from, show.id)]));
    } finally {
      await Promise.all(sources.map((from) => from[Symbol.asyncDispose]())); // each ends when its clients have disconnected
    }
    assert.deepEqual([await importsOf(name), await temporaryObjects(name), await objects(show)], [[], [], []]);
    assert.equal(await named(show, "cover"), null);
  },
});
