// POST /api/media/import-artwork: which URLs may be fetched.
import assert from "node:assert/strict";
import { startPeer, type Visit } from "../../safe_fetch/peer.ts";
import { ascii, joined, TYPE } from "../../image_fixtures.ts";
import { allow, httpResponse, importer, picture, redirect, source } from "./artwork.ts";

const { assertRejected, taken } = await importer();

const BLOCKED = { code: "BLOCKED_URL", error: "The URL does not point to the public internet" };

Deno.test("an artwork import accepts http and https URLs without credentials only", async () => {
  await using there = startPeer("HTTP/1.1 200 OK\r\n\r\n");
  const urls = [
    ...["cover.jpg", "//example.com/cover.jpg", "http://", "http:// /", "http://exa mple.com/", "https://1.2.3.4.5/"],
    ...["ftp://example.com/cover.jpg", "file:///etc/passwd", "data:image/png;base64,iVBORw0KGgo=", "blob:http://a/b"],
    ...["javascript:1", "gopher://example.com/", "http://[fe80::1%25eth0]/", `ftp://${there.host}/`],
    ...[`http://user:secret@${there.host}/`, `http://secret@${there.host}/`, `http://${there.host}/\r\nx: y`],
  ];
  for (const url of urls) await assertRejected(url, { code: "INVALID_URL" });
  assert.deepEqual(there.requests, []);
});

Deno.test("an artwork import sends no request to a private network, however the URL is written", async () => {
  const { assertRejected } = await importer(); // another user, because of the hourly limit
  await using inside = startPeer("HTTP/1.1 200 OK\r\n\r\n");
  const { port } = inside, loopback = ["127.0.0.1", "0x7f.1", "2130706433", "0177.0.0.1", "127.1", "127.0.0.1."];
  const disguised = [
    "①②⑦.0.0.1",
    "127。0。0。1",
    "%31%32%37.0.0.1",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::1]",
    "0",
  ];
  const names = ["localhost", "LOCALHOST", "localhost.", "art.localhost", "ⓛocalhost", "printer.local", "db.internal"];
  const elsewhere = [
    ...["10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.255.255"],
    ...["169.254.169.254", "0xA9FEA9FE", "2852039166", "metadata.google.internal", "[fd00:ec2::254]"], // metadata services of cloud providers
    ...[
      "100.64.0.1",
      "192.0.0.1",
      "192.0.2.1",
      "198.18.0.1",
      "198.51.100.1",
      "203.0.113.1",
      "224.0.0.1",
      "255.255.255.255",
    ],
    ...["[::]", "[fc00::1]", "[fe80::1]", "[ff02::1]", "[2001:db8::1]", "[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::]"],
  ];
  for (const host of [...loopback, ...disguised, ...names].map((name) => `${name}:${port}`).concat(elsewhere)) {
    for (const scheme of ["http", "https"]) await assertRejected(`${scheme}://${host}/cover.jpg`, BLOCKED);
  }
  assert.deepEqual(inside.requests, []);
});

Deno.test("an artwork import sends no request to ports of other services", async () => {
  for (const port of [22, 25, 110, 445]) {
    await assertRejected(`http://example.com:${port}/`, {
      code: "BLOCKED_URL",
      error: `Port ${port} is not allowed`,
    });
  }
});

Deno.test("an artwork import does not follow a redirect from an allowed URL to a blocked one", async () => {
  await using inside = startPeer("HTTP/1.1 200 OK\r\n\r\n");
  const { port } = inside;
  for (const status of [301, 302, 303, 307, 308]) {
    await using from = await source(redirect(`http://127.0.0.1:${port}/`, status));
    await assertRejected(from.url, BLOCKED);
    assert.equal(from.requests.length, 1);
  }
  const targets: [string, object][] = [
    [`//127.0.0.1:${port}/`, BLOCKED],
    [`http://localhost:${port}/`, BLOCKED],
    [`http://[::ffff:127.0.0.1]:${port}/`, BLOCKED],
    [`http://2130706433:${port}/`, BLOCKED],
    ["http://169.254.169.254/latest/meta-data/", BLOCKED],
    ["https://10.0.0.1/", BLOCKED],
    ["http://example.com:25/", { code: "BLOCKED_URL" }],
    ["ftp://example.com/", { code: "INVALID_URL" }],
    ["file:///etc/passwd", { code: "INVALID_URL" }],
    [`http://user:pass@127.0.0.1:${port}/`, { code: "INVALID_URL" }],
  ];
  for (const [location, expected] of targets) {
    await using from = await source(redirect(location));
    await assertRejected(from.url, { ...expected });
  }
  assert.deepEqual(inside.requests, []);
});

Deno.test("an artwork import checks every redirect, including those after an allowed one", async () => {
  await using inside = startPeer("HTTP/1.1 200 OK\r\n\r\n");
  await using second = await source(redirect(inside.url));
  await using first = await source(redirect(second.url));
  await assertRejected(first.url, BLOCKED);
  assert.deepEqual([first.requests.length, second.requests.length, inside.requests.length], [1, 1, 0]);
});

Deno.test("an artwork import follows relative and cross-origin redirects, up to a limit", async () => {
  const bytes = picture("cover");
  await using there = await source(httpResponse(bytes, { type: TYPE.jpeg }));
  await using from = await source(({ request, send }: Visit) => {
    const path = request.split(" ")[1];
    return send(redirect(path === "/" ? "a/b?c=d" : path === "/a/b?c=d" ? there.url : "/again", 307));
  });
  await taken(from.url, bytes, "jpeg");
  assert.equal(from.requests.length, 2);
  await assertRejected(`${from.url}again`, { code: "TOO_MANY_REDIRECTS", error: "Too many redirects" });
  assert.equal(from.requests.length, 2 + 21);
});

Deno.test("an artwork import returns 400 when the host does not respond", async () => {
  const closed = startPeer("");
  await closed[Symbol.asyncDispose]();
  await allow(closed.host);
  await assertRejected(closed.url, { code: "FETCH_FAILED", error: "Could not connect to the server" });
});

Deno.test("an artwork import returns 400 for an invalid or incomplete HTTP response", async () => {
  const bytes = picture("cover"), head = `HTTP/1.1 200 OK\r\ncontent-type: image/jpeg\r\n`;
  const responses: (Uint8Array | string)[] = [
    "",
    "SSH-2.0-OpenSSH_9.6\r\n\r\n",
    head,
    httpResponse(bytes, { type: TYPE.jpeg, length: bytes.length + 1 }),
    joined(ascii(`${head}transfer-encoding: chunked\r\n\r\n${bytes.length.toString(16)}\r\n`), bytes, ascii("\r\n")),
    joined(ascii(`${head}transfer-encoding: gzip\r\n\r\n`), bytes),
  ];
  for (const response of responses) {
    await using from = await source(response);
    await assertRejected(from.url, { code: "FETCH_FAILED" });
  }
});

Deno.test("an artwork import returns 400 naming the status when the source responds with an error", async () => {
  for (const status of [304, 401, 403, 404, 410, 429, 500, 503]) {
    await using from = await source(httpResponse(picture("cover"), { status, type: TYPE.jpeg }));
    await assertRejected(from.url, { code: "HTTP_ERROR", error: `The server responded with status ${status}` });
  }
});
