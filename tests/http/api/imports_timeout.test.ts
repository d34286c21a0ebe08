// A feed that takes too long, at the start of an import and when it is read again: 20 seconds of waiting, so only in
// npm run test:faults.
import assert from "node:assert/strict";
import { byScale } from "../../scale.ts";
import type { Visit } from "../../safe_fetch/peer.ts";
import { assertError, podcast } from "../harness.ts";
import { source } from "./artwork.ts";
import { newUserName } from "./images.ts";
import { done, episodes, feed, get, importsOf, locked, post, served, start } from "./imports.ts";

const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: application/rss+xml\r\n\r\n";

/** Sends a piece each second until the client has left. */
async function trickle({ send, left }: Visit, piece: (n: number) => string) {
  let isThere = true;
  const leaving = left().then(() => isThere = false);
  for (let n = 0; isThere; n++) {
    await send(piece(n));
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  await leaving;
}

const begun = feed(episodes(300)).replace("</channel></rss>", "");

const SLOW: Record<string, (visit: Visit) => unknown> = {
  "sends nothing": ({ left }) => left(),
  "stops after some episodes": ({ send, left }) => send(HEAD + begun).then(left),
  "never ends": (visit) => visit.send(HEAD + begun).then(() => trickle(visit, (n) => `<!-- ${n} -->`)),
  "has a next page each time, slowly": async (visit) => {
    const page = Number(/^GET \/(\d*)/.exec(visit.request)![1]);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const items = episodes(page + 1).slice(0, 1);
    await visit.send(served(feed(items, `<atom:link rel="next" href="/${page + 1}"/>`)));
  },
};

Deno.test({
  name: "POST podcast returns 504 TIMEOUT for a feed that takes longer than 20 seconds and deletes the import",
  ignore: byScale(1, 0) === 1,
  async fn() {
    await Promise.all(
      Object.entries(SLOW).map(async ([name, serve]) => {
        await using from = await source(serve);
        const show = await podcast(name, newUserName("slow"));
        assertError(await start(show, from.url), 504, { code: "TIMEOUT" });
        assert.deepEqual([...await importsOf(show)], [], name);
      }),
    );
  },
});

Deno.test({
  name: "POST recheck-feed returns 504 TIMEOUT after 20 seconds and keeps the import waiting",
  ignore: byScale(1, 0) === 1,
  async fn() {
    let isSlow = false;
    await using from = await source(({ send, left }) => isSlow ? left() : send(served(feed(episodes(2), locked()))));
    const { importId } = done(await start(await podcast("Slow", newUserName("slow")), from.url));
    isSlow = true;
    assertError(await post(importId, "recheck-feed"), 504, { code: "TIMEOUT" });
    assert.equal(done(await get(importId)).status, "verification_required");
  },
});
