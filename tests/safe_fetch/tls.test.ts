// https: the certificate must match the requested host, not the connected address.
import assert from "node:assert/strict";
import { readAll } from "../../functions/safe_fetch/safe_fetch.ts";
import { authority } from "./certificate.ts";
import { assertFails, fetchAs, fetchText } from "./assertions.ts";
import { startPeer } from "./peer.ts";
import { within } from "../wait_for.ts";

const trusted = authority();
const { cert, key } = trusted.issue(["podcast.example", "127.0.0.1"]);
const OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const PUBLIC = "93.184.216.34";

/** A network in which every name leads to the test's server at a public address. */
const network = (port: number, caCerts: string[] | undefined = [trusted.cert]) => ({
  resolve: () => Promise.resolve([PUBLIC]),
  connect: () => Deno.connect({ hostname: "127.0.0.1", port }),
  caCerts,
});

Deno.test("safeFetch reads from a server with a trusted certificate for its name", async () => {
  await using source = startPeer(OK, { tls: { cert, key } });
  for (const url of ["https://podcast.example/", "https://PODCAST.example.:8443/"]) {
    assert.equal(await fetchText(url, { network: network(source.port) }), "hello");
  }
  assert.match(source.requests[0], /^host: podcast\.example\r$/m);
});

Deno.test("safeFetch requires a certificate for the IP address of a URL", async () => {
  await using source = startPeer(OK, { tls: { cert, key } });
  const options = { allowedHosts: ["127.0.0.1"], network: { caCerts: [trusted.cert] } };
  assert.equal(await fetchText(`https://127.0.0.1:${source.port}/`, options), "hello");
  await assertFails(
    fetchText(`https://${PUBLIC}/`, { network: network(source.port) }),
    "FETCH_FAILED",
    /secure connection/,
  );
});

Deno.test("safeFetch rejects a certificate for another name before it sends anything", async () => {
  await using source = startPeer(OK, { tls: { cert, key } });
  for (const host of ["other.example", "example", "a.podcast.example"]) {
    await assertFails(
      fetchText(`https://${host}/`, { network: network(source.port) }),
      "FETCH_FAILED",
      /secure connection/,
    );
  }
  assert.deepEqual(source.requests, []);
});

Deno.test("safeFetch rejects a certificate of an untrusted authority", async () => {
  await using source = startPeer(OK, { tls: { cert, key } });
  for (const caCerts of [undefined, [authority().cert]]) {
    const options = { network: { ...network(source.port), caCerts } };
    await assertFails(
      fetchText("https://podcast.example/", options),
      "FETCH_FAILED",
      /^Could not establish a secure connection to podcast.example/,
    );
  }
  assert.deepEqual(source.requests, []);
});

Deno.test("safeFetch rejects an expired certificate", async () => {
  await using source = startPeer(OK, { tls: trusted.issue(["podcast.example"], [20, 21]) });
  await assertFails(
    fetchText("https://podcast.example/", { network: network(source.port) }),
    "FETCH_FAILED",
    /secure connection/,
  );
});

Deno.test("safeFetch requires a valid certificate of a listed host", async () => {
  await using source = startPeer(OK, { tls: { cert, key } });
  const options = { allowedHosts: ["localhost"], network: { caCerts: [trusted.cert] } };
  await assertFails(fetchText(`https://localhost:${source.port}/`, options), "FETCH_FAILED", /secure connection/);
});

Deno.test("safeFetch throws FETCH_FAILED when a server does not speak TLS", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const request = (timeoutMs = 60_000) =>
    fetchText("https://podcast.example/", { network: network(listener.addr.port), timeoutMs });

  const greeting = listener.accept().then(async (conn) => {
    await conn.write(new TextEncoder().encode("220 mail.example ESMTP\r\n"));
    while (await conn.read(new Uint8Array(1000)).catch(() => null) !== null);
    conn.close();
  });
  await assertFails(request(), "FETCH_FAILED", /^Could not establish a secure connection/);
  await greeting;

  const silent = listener.accept();
  await assertFails(request(100), "TIMEOUT");
  (await silent).close(); // Deno 2.1 holds a socket for as long as its handshake is not over
  listener.close();
});

Deno.test("safeFetch rejects names that no certificate can have", async () => {
  await using source = startPeer(OK, { tls: { cert, key } });
  for (const url of ["https://-a.example/", "https://a..example/", `https://${"a".repeat(64)}.example/`]) {
    await assertFails(fetchText(url, { network: network(source.port) }), "FETCH_FAILED");
  }
});

Deno.test("safeFetch follows a redirect from https to http and checks one back", async () => {
  await using last = startPeer(OK, { tls: { cert, key } });
  await using plain = startPeer(`HTTP/1.1 302 Found\r\nLocation: https://podcast.example:${last.port}/\r\n\r\n`);
  await using first = startPeer(`HTTP/1.1 302 Found\r\nLocation: ${plain.url}\r\n\r\n`, { tls: { cert, key } });
  const wayTo = (host: string) => ({
    ...network(0),
    connect: (_: string, port: number) => Deno.connect({ hostname: "127.0.0.1", port }),
    resolve: (name: string) => Promise.resolve(name === host ? [PUBLIC] : []),
  });
  const url = `https://podcast.example:${first.port}/`;
  assert.equal(await fetchText(url, { allowedHosts: [plain.host], network: wayTo("podcast.example") }), "hello");
});

Deno.test("safeFetch does not send https credentials over http, even to the same host", async () => {
  await using plain = startPeer(OK);
  const moved = "HTTP/1.1 302 Found\r\nLocation: http://podcast.example/\r\n\r\n";
  await using source = startPeer(moved, { tls: { cert, key } });
  const ways = {
    ...network(0),
    connect: (_: string, port: number) =>
      Deno.connect({ hostname: "127.0.0.1", port: port === 443 ? source.port : plain.port }),
  };
  const headers = { authorization: "Bearer secret", cookie: "a=secret" };
  assert.equal(await fetchText("https://podcast.example/", { headers, network: ways }), "hello");
  assert.match(source.requests[0], /Bearer secret/);
  assert.doesNotMatch(plain.requests[0], /secret/);
});

Deno.test("safeFetch requires TLS close_notify for a body that ends with the connection", async () => {
  await using source = startPeer("HTTP/1.1 200 OK\r\n\r\nhello", { tls: { cert, key } });
  assert.equal(await fetchText("https://podcast.example/", { network: network(source.port) }), "hello");

  await using unended = startPeer(({ send, left }) => send("HTTP/1.1 200 OK\r\n\r\nhello").then(left), {
    tls: { cert, key },
  });
  const line = relay(unended.port);
  const { body } = await fetchAs("https://podcast.example/", { network: network(line.port) });
  const reader = body.getReader();
  assert.equal(new TextDecoder().decode((await reader.read()).value), "hello");
  const rest = reader.read();
  line.cut();
  await assertFails(rest, "FETCH_FAILED", /connection was lost/);
  await within("the end of the connection", line.ended);
});

/** A connection that a man in the middle can cut but not forge. */
function relay(to: number) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let cut = () => {};
  const ended = listener.accept().then(async (near) => {
    const far = await Deno.connect({ hostname: "127.0.0.1", port: to });
    cut = () => [near, far, listener].forEach((it) => it.close());
    const pipes = [near.readable.pipeTo(far.writable), far.readable.pipeTo(near.writable)];
    await Promise.allSettled(pipes);
  });
  return { port: listener.addr.port, cut: () => cut(), ended };
}

Deno.test("readAll stops at the limit over TLS and closes the connection", async () => {
  const sent = Promise.withResolvers<number>();
  await using source = startPeer(async ({ send }) => {
    let count = 0;
    try {
      await send("HTTP/1.1 200 OK\r\n\r\n");
      for (; count < 2000; count++) await send(new Uint8Array(64 * 1024));
    } finally {
      sent.resolve(count);
    }
  }, { tls: { cert, key } });
  const response = await fetchAs("https://podcast.example/", { network: network(source.port) });
  await assertFails(readAll(response, 1024 * 1024), "TOO_LARGE");
  assert.ok(await within("the end of the connection", sent.promise) < 1000);
});
