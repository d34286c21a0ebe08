// The request for an enclosure.
import assert from "node:assert/strict";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";
import { startPeer } from "../safe_fetch/peer.ts";

const { openSource } = await withEnvironment(
  UNREACHABLE_ENV,
  () => import("../../functions/imports/transfer/enclosure_source.ts"),
);

Deno.test("openSource requests the next enclosure of a host on the same connection", async () => {
  await using host = startPeer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\naudio", { keepsConnections: true });
  for (const name of ["one.mp3", "two.mp3"]) {
    const limits = { signal: new AbortController().signal, deadline: Date.now() + 60_000, allowedHosts: [host.host] };
    const { body } = await openSource(`${host.url}${name}`, undefined, limits);
    assert.equal(await new Response(body).text(), "audio");
  }
  assert.deepEqual([host.connections, host.requests.length], [1, 2]);
});
