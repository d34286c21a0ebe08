// Resolution and connection: safeFetch connects to the checked address.
import assert from "node:assert/strict";
import type { Network } from "../../functions/safe_fetch/connection.ts";
import { assertFails, fetchAs, fetchText } from "./assertions.ts";
import { startPeer } from "./peer.ts";

const OK = "HTTP/1.1 200 OK\r\n\r\nthere";
const PUBLIC = "93.184.216.34";
const V6 = "2606:4700:4700::1111";

/**
 * A resolver that returns one result after another, and connections that all lead to `port`; both record their calls.
 */
function network(responses: string[][], port: number, refusing: string[] = []) {
  const resolved: string[] = [];
  const connected: string[] = [];
  const net: Network = {
    resolve: (name) => Promise.resolve(responses[resolved.push(name) - 1]),
    connect(address, connectPort) {
      connected.push(`${address} ${connectPort}`);
      if (refusing.includes(address)) return Promise.reject(new Deno.errors.ConnectionRefused("no"));
      return Deno.connect({ hostname: "127.0.0.1", port });
    },
  };
  return { resolved, connected, net };
}

Deno.test("safeFetch connects to the checked address of a name whose addresses change", async () => {
  await using source = startPeer(OK);
  const { resolved, connected, net } = network([[PUBLIC], ["127.0.0.1"]], source.port);
  assert.equal(await fetchText("http://rebinding.example/", { network: net }), "there");
  assert.deepEqual(resolved, ["rebinding.example"], "it is asked once");
  assert.deepEqual(connected, [`${PUBLIC} 80`]);
  assert.match(source.requests[0], /^host: rebinding\.example\r$/m);
});

Deno.test("safeFetch resolves a name at each hop and rejects a new private address", async () => {
  await using source = startPeer("HTTP/1.1 302 Found\r\nLocation: /again\r\n\r\n");
  const { connected, net } = network([[PUBLIC], [PUBLIC], ["127.0.0.1"]], source.port);
  await assertFails(fetchText("http://rebinding.example:8080/", { network: net }), "BLOCKED_URL");
  assert.deepEqual(connected, [`${PUBLIC} 8080`, `${PUBLIC} 8080`]);
});

Deno.test("safeFetch connects to the resolved address and not to the name", async () => {
  await using source = startPeer(OK);
  const name = `nowhere.invalid:${source.port}`; // no resolver knows it
  assert.equal(
    await fetchText(`http://${name}/`, {
      allowedHosts: [name],
      network: { resolve: () => Promise.resolve(["127.0.0.1"]) },
    }),
    "there",
  );
});

Deno.test("one private address among several blocks the name", async () => {
  for (const list of [[PUBLIC, "10.0.0.1"], ["127.0.0.1", PUBLIC], [V6, "::1"], [PUBLIC, V6, "fd00::1"]]) {
    const { connected, net } = network([list], 0);
    const failure = await assertFails(fetchText("http://mixed.example/", { network: net }), "BLOCKED_URL");
    assert.deepEqual(connected, []);
    for (const address of list) assert.ok(!failure.message.includes(address), "the message contains no address");
  }
});

Deno.test("safeFetch rejects private addresses in every spelling of a resolver", async () => {
  for (const address of ["::ffff:127.0.0.1", "0:0:0:0:0:0:0:1", "FE80::1", "64:ff9b::10.0.0.1", "fec0::1"]) {
    const { connected, net } = network([[address]], 0);
    await assertFails(fetchText("http://odd.example/", { network: net }), "BLOCKED_URL");
    assert.deepEqual(connected, []);
  }
});

Deno.test("safeFetch rejects a resolver's results that are not IP addresses", async () => {
  for (const address of ["0177.0.0.1", "127.1", "fe80::1%eth0", "localhost", ""]) {
    const { connected, net } = network([[PUBLIC, address]], 0);
    await assertFails(fetchText("http://odd.example/", { network: net }), "FETCH_FAILED", /was not found/);
    assert.deepEqual(connected, []);
  }
});

Deno.test("safeFetch tries addresses in turn, IPv4 first", async () => {
  await using source = startPeer(OK);
  const { connected, net } = network([[V6, "1.1.1.1", PUBLIC]], source.port, ["1.1.1.1", PUBLIC]);
  assert.equal(await fetchText("http://several.example/", { network: net }), "there");
  assert.deepEqual(connected, ["1.1.1.1 80", `${PUBLIC} 80`, `${V6} 80`]);
});

Deno.test("safeFetch reports a failed connection without the IP addresses", async () => {
  const { connected, net } = network([[V6, PUBLIC]], 0, [V6, PUBLIC]);
  const failure = await assertFails(
    fetchText("http://gone.example/", { network: net }),
    "FETCH_FAILED",
    /^Could not connect to the server$/,
  );
  assert.equal(connected.length, 2);
  assert.ok(!failure.message.includes(PUBLIC));
  assert.ok(failure.cause, "the log can have them");
});

Deno.test("safeFetch throws FETCH_FAILED for a port without a listener", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const host = `127.0.0.1:${listener.addr.port}`;
  listener.close();
  await assertFails(
    fetchText(`http://${host}/`, { allowedHosts: [host] }),
    "FETCH_FAILED",
    /^Could not connect to the server$/,
  );
});

Deno.test("safeFetch throws FETCH_FAILED for a name that is unknown or has no address", async () => {
  const unknown = () => Promise.reject(new Error("NXDOMAIN of 10.0.0.53"));
  for (const resolve of [unknown, () => Promise.resolve([])]) {
    const failure = await assertFails(fetchText("http://typo.example/", { network: { resolve } }), "FETCH_FAILED");
    assert.equal(failure.message, "Host typo.example was not found");
  }
});

Deno.test("the runtime's resolver reads the hosts file and returns nothing for invalid names", async () => {
  await using source = startPeer(OK);
  assert.equal(await fetchText(`http://localhost:${source.port}/`, { allowedHosts: ["localhost"] }), "there");
  await assertFails(fetchText("http://a..b.invalid/", {}), "FETCH_FAILED", /was not found/);
});

Deno.test("safeFetch connects to an IPv6 host without its brackets", async () => {
  const { connected, net } = network([], 0, [V6]);
  await assertFails(
    fetchText(`http://[${V6}]/`, { network: net }),
    "FETCH_FAILED",
    /^Could not connect to the server$/,
  );
  assert.deepEqual(connected, [`${V6} 80`]);
});

Deno.test("safeFetch closes a connection that is established after the time limit", async () => {
  await using source = startPeer(OK);
  const late = Promise.withResolvers<Deno.TcpConn>();
  const leaving = new AbortController();
  const connect = () => {
    leaving.abort(new Error("left"));
    return late.promise;
  };
  const request = fetchAs(source.url, {
    allowedHosts: [source.host],
    signal: leaving.signal,
    network: { connect },
  });
  await assert.rejects(request, { message: "left" });
  const conn = await Deno.connect({ hostname: "127.0.0.1", port: source.port });
  late.resolve(conn);
  await late.promise;
  await Promise.resolve(); // after the close
  assert.throws(() => conn.close(), Deno.errors.BadResource);
});
