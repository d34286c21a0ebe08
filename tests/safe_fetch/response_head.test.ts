// Heads of responses, valid and malformed.
import assert from "node:assert/strict";
import { assertFails, fetchAs } from "./assertions.ts";
import { startPeer } from "./peer.ts";

async function readHeadOf(raw: string | Uint8Array) {
  await using source = startPeer(({ send }) => send(raw));
  const { status, headers, body } = await fetchAs(source.url, { allowedHosts: [source.host] });
  await body.cancel();
  return { status, headers };
}

Deno.test("safeFetch returns status and headers", async () => {
  const raw =
    'HTTP/1.1 404 Not \x80found\r\nContent-Type:text/html\r\nX-Empty:\r\nETag: \t"a  b" \r\nX-A: b:c\r\nx-a: d\r\n\r\n';
  const { status, headers } = await readHeadOf(raw);
  assert.equal(status, 404);
  assert.deepEqual([...headers], [
    ["content-type", "text/html"],
    ["etag", '"a  b"'],
    ["x-a", "b:c, d"],
    ["x-empty", ""],
  ]);
});

Deno.test("safeFetch decodes headers as Latin-1", async () => {
  const bytes = Uint8Array.from("HTTP/1.1 200 OK\r\nX-A: \x80\xe9\xff\r\n\r\n", (c) => c.charCodeAt(0));
  assert.equal((await readHeadOf(bytes)).headers.get("x-a"), "\x80\xe9\xff");
});

Deno.test("safeFetch joins folded headers", async () => {
  const { headers } = await readHeadOf("HTTP/1.1 200 OK\r\nX-A: b\r\n  c\r\n\td\r\nX-E: f\r\n\r\n");
  assert.deepEqual([...headers], [["x-a", "b c d"], ["x-e", "f"]]);
});

Deno.test("safeFetch accepts a status without a reason, and unknown statuses", async () => {
  assert.equal((await readHeadOf("HTTP/1.1 200\r\n\r\n")).status, 200);
  assert.equal((await readHeadOf("HTTP/1.1 200 \r\n\r\n")).status, 200);
  assert.equal((await readHeadOf("HTTP/1.1 999 Denied\r\n\r\n")).status, 999);
});

Deno.test("safeFetch accepts heads of up to 64 KB and 200 headers", async () => {
  const lines = Array.from({ length: 200 }, (_, at) => `X-${at}: ${"v".repeat(300)}\r\n`).join("");
  assert.equal([...(await readHeadOf(`HTTP/1.1 200 OK\r\n${lines}\r\n`)).headers].length, 200);
});

const WRONG: [title: string, raw: string][] = [
  ["another protocol's greeting", "SSH-2.0-OpenSSH_9.6\r\n\r\n"],
  ["HTTP/0.9", "<html>hello</html>\r\n\r\n"],
  ["HTTP/2", "HTTP/2 200 OK\r\n\r\n"],
  ["a Shoutcast status line", "ICY 200 OK\r\n\r\n"],
  ["a status of two digits", "HTTP/1.1 20 OK\r\n\r\n"],
  ["a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n"],
  ["a status that begins with zero", "HTTP/1.1 020 OK\r\n\r\n"],
  ["no status", "HTTP/1.1 OK\r\n\r\n"],
  ["no status line", "Content-Length: 0\r\n\r\n"],
  ["an empty line before its head", "\r\nHTTP/1.1 200 OK\r\n\r\n"],
  ["a line without a colon", "HTTP/1.1 200 OK\r\nhello\r\n\r\n"],
  ["a header without a name", "HTTP/1.1 200 OK\r\n: b\r\n\r\n"],
  ["a blank before the colon", "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello"],
  ["a carriage return within a header", "HTTP/1.1 200 OK\r\nA: b\rContent-Length: 5\r\n\r\nhello"],
  ["a carriage return before a header's value", `HTTP/1.1 200 OK\r\nA: \r${" ".repeat(60_000)}b\r\n\r\n`],
  ["a carriage return after a header's value", "HTTP/1.1 200 OK\r\nA: b\r\r\n\r\n"],
  ["NUL within a header", "HTTP/1.1 200 OK\r\nA: b\0c\r\n\r\n"],
  ["NUL within a name", "HTTP/1.1 200 OK\r\nA\0: b\r\n\r\n"],
  ["a name that is not ASCII", "HTTP/1.1 200 OK\r\né: b\r\n\r\n"],
  ["201 headers", `HTTP/1.1 200 OK\r\n${"A: b\r\n".repeat(201)}\r\n`],
  ["more than 64 KB in one header", `HTTP/1.1 200 OK\r\nA: ${"b".repeat(70_000)}\r\n\r\n`],
  ["more than 64 KB without an end", "HTTP/1.1 200 OK\r\nA: b\r\n".padEnd(200_000, "c")],
  ["more than 64 KB in folds", `HTTP/1.1 200 OK\r\nA: b\r\n${" \r\n".repeat(40_000)}\r\n`],
  ["endless interim responses", "HTTP/1.1 100 Continue\r\n\r\n".repeat(5000)],
  ["a change of the protocol", "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\n\r\n"],
];

for (const [title, raw] of WRONG) {
  Deno.test(`safeFetch rejects a response with ${title}`, async () => {
    await assertFails(readHeadOf(raw), "FETCH_FAILED", /valid HTTP response/);
  });
}

Deno.test("safeFetch keeps blanks within header values and reads them in linear time", async () => {
  const blanks = `A: b${" ".repeat(60_000)}c\r\n`;
  await using source = startPeer(({ request, send }) =>
    send(
      `HTTP/1.1 ${request.includes("/10 ") ? "200 OK" : `302 Found\r\nLocation: ${hop(request) + 1}`}\r\n${blanks}\r\n`,
    )
  );
  const hop = (request: string) => Number(/\d+/.exec(request));
  // Deno's Headers take two seconds for one of them
  const options = { allowedHosts: [source.host], maxRedirects: 10, timeoutMs: 10_000 };
  const { headers, body } = await fetchAs(`${source.url}0`, options);
  assert.equal(headers.get("a")?.length, 60_002);
  await body.cancel();
});

Deno.test("safeFetch throws FETCH_FAILED when the server closes before the end of the head", async () => {
  for (const raw of ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n\r", "HTTP/1.1 100 Continue\r\n\r\n"]) {
    await assertFails(readHeadOf(raw), "FETCH_FAILED", /closed the connection without responding/);
  }
});

Deno.test("safeFetch reports a reset connection with its own message", async () => {
  // A server that closes before it has read the request resets the connection
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const host = `127.0.0.1:${listener.addr.port}`;
  const closing = listener.accept().then((conn) => conn.close());
  await assertFails(
    fetchAs(`http://${host}/`, { allowedHosts: [host] }),
    "FETCH_FAILED",
    /connection was lost|closed the connection/,
  );
  await closing;
  listener.close();
});
