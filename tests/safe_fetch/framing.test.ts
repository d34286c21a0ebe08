// Where a body ends, with hostile and broken servers.
import assert from "node:assert/strict";
import { chunkedFraming } from "../../functions/safe_fetch/chunked.ts";
import { readAll } from "../../functions/safe_fetch/safe_fetch.ts";
import { assertFails, fetchAs, fetchText } from "./assertions.ts";
import { startPeer } from "./peer.ts";

/** The body of a server that sends this and closes. */
async function readBodyOf(raw: string | Uint8Array): Promise<string> {
  await using source = startPeer(({ send }) => send(raw));
  return await fetchText(source.url, { allowedHosts: [source.host] });
}

const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

const BODIES: [title: string, raw: string, body: string][] = [
  ["of a length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello"],
  ["of a length, with more behind it", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 500", "hello"],
  [
    "with two equal Content-Length headers",
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi",
    "hi",
  ],
  ["of a length repeated in one line", "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nhi", "hi"],
  ["of length 0", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ""],
  ["until the connection closes", "HTTP/1.1 200 OK\r\n\r\nhello\r\n\r\n", "hello\r\n\r\n"],
  ["until the connection closes, in HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nhello", "hello"],
  ["without a byte until the connection closes", "HTTP/1.1 200 OK\r\n\r\n", ""],
  ["in chunks", `${CHUNKED}5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n`, "hello world"],
  ["in chunks with extensions", `${CHUNKED}5;a=b;c="d"\r\nhello\r\n0;last\r\n\r\n`, "hello"],
  ["in chunks with blanks after their sizes", `${CHUNKED}5  \r\nhello\r\n0\t\r\n\r\n`, "hello"],
  ["in chunks with trailers", `${CHUNKED}5\r\nhello\r\n0\r\nExpires: never\r\nX: y\r\n\r\n`, "hello"],
  [
    "in chunks of odd sizes",
    `${CHUNKED}00000a\r\n0123456789\r\n0A\r\n0123456789\r\n000\r\n\r\n`,
    "01234567890123456789",
  ],
  ["in chunks, followed by more data", `${CHUNKED}2\r\nhi\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n`, "hi"],
  [
    "in chunks despite a Content-Length",
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "hello",
  ],
  [
    "after interim responses",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nA: b\r\n\r\nHTTP/1.1 200\r\n\r\nhello",
    "hello",
  ],
  ["after a head with bare line feeds", "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", "hello"],
  ["of 204, which has none", "HTTP/1.1 204 None\r\nContent-Length: 5\r\n\r\nhello", ""],
  ["of 304, which has none", "HTTP/1.1 304 Same\r\nTransfer-Encoding: chunked\r\n\r\nhello", ""],
];

for (const [title, raw, body] of BODIES) {
  Deno.test(`safeFetch reads a body ${title}`, async () => assert.equal(await readBodyOf(raw), body));
}

Deno.test("safeFetch reads a response that arrives byte by byte", async () => {
  for (const [title, raw, body] of BODIES) {
    await using source = startPeer(async ({ send }) => {
      for (const byte of new TextEncoder().encode(raw)) await send(Uint8Array.of(byte));
    });
    assert.equal(await fetchText(source.url, { allowedHosts: [source.host] }), body, title);
  }
});

Deno.test("safeFetch reads no body of a response to HEAD", async () => {
  await using source = startPeer("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
  const { headers, body } = await fetchAs(source.url, { method: "HEAD", allowedHosts: [source.host] });
  assert.equal(headers.get("content-length"), "1000");
  assert.equal(await new Response(body).text(), "");
});

Deno.test("safeFetch returns a repeated Content-Length once, and none for a chunked body", async () => {
  const length = async (headers: string, body: string) => {
    await using source = startPeer(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n${body}`);
    const response = await fetchAs(source.url, { allowedHosts: [source.host] });
    assert.equal(new TextDecoder().decode(await readAll(response, 5)), "hello");
    return response.headers.get("content-length");
  };
  assert.equal(await length("Content-Length: 5\r\nContent-Length: 5", "hello"), "5");
  assert.equal(await length("Content-Length: 9\r\nTransfer-Encoding: chunked", "5\r\nhello\r\n0\r\n\r\n"), null);
});

Deno.test("safeFetch ignores chunk extensions", async () => {
  const chunk = `1;${"x".repeat(1000)}\r\na\r\n`;
  assert.equal(await readBodyOf(`${CHUNKED}${chunk.repeat(100)}0\r\n\r\n`), "a".repeat(100));
});

const EARLY: [title: string, raw: string][] = [
  ["of a length", "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello"],
  ["of a length without a byte", "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"],
  ["within a chunk", `${CHUNKED}6\r\nhello`],
  ["between chunks", `${CHUNKED}5\r\nhello\r\n`],
  ["within a chunk's size", `${CHUNKED}5\r\nhello\r\n0`],
  ["within the trailers", `${CHUNKED}5\r\nhello\r\n0\r\nA: b\r\n`],
  ["before the first chunk", CHUNKED],
];

for (const [title, raw] of EARLY) {
  Deno.test(`safeFetch rejects a body that ends early ${title}`, async () => {
    await assertFails(readBodyOf(raw), "FETCH_FAILED", /response was incomplete/);
  });
}

const HOSTILE_CHUNKS: [title: string, chunks: string][] = [
  ["a negative size", "-5\r\nhello\r\n0\r\n\r\n"],
  ["a size with a plus", "+5\r\nhello\r\n0\r\n\r\n"],
  ["a size with a prefix", "0x5\r\nhello\r\n0\r\n\r\n"],
  ["a blank before its size", " 5\r\nhello\r\n0\r\n\r\n"],
  ["a letter that is not a digit before its size", "g\r\nhello\r\n0\r\n\r\n"],
  ["a character before the letters", "`\r\n123456789\r\n0\r\n\r\n"],
  ["a character between the digits and the letters", "@\r\n123456789\r\n0\r\n\r\n"],
  ["no size", "\r\nhello\r\n0\r\n\r\n"],
  ["no size but an extension", ";a\r\nhello\r\n0\r\n\r\n"],
  ["a size beyond any number", `${"f".repeat(14)}\r\nhello`],
  ["a size of many zeros", `${"0".repeat(100_000)}5\r\nhello`],
  ["an endless size", "1".repeat(100_000)],
  ["no line end after its content", "5\r\nhello0\r\n\r\n"],
  ["more content than its size", "3\r\nhello\r\n0\r\n\r\n"],
  ["a bare line feed after its size", "5\nhello\r\n0\r\n\r\n"],
  ["a bare line feed in an extension", "5;a\nhello\r\n0\r\n\r\n"],
  ["a bare line feed after its content", "5\r\nhello\n0\r\n\r\n"],
  ["a bare carriage return after its size", "5\rXhello\r\n0\r\n\r\n"],
  ["a bare line feed in the trailers", "5\r\nhello\r\n0\r\nA: b\n\r\n"],
  ["a bare carriage return at the end", "5\r\nhello\r\n0\r\n\rX"],
  ["an endless extension", `5;${"a".repeat(100_000)}`],
  ["endless trailers", `5\r\nhello\r\n0\r\n${"a: b\r\n".repeat(20_000)}`],
  ["an endless trailer", `5\r\nhello\r\n0\r\n${"a".repeat(100_000)}`],
  ["text instead of its size", "<html>\r\n"],
];

for (const [title, chunks] of HOSTILE_CHUNKS) {
  Deno.test(`safeFetch rejects a chunk with ${title}`, async () => {
    await assertFails(readBodyOf(CHUNKED + chunks), "FETCH_FAILED", /valid HTTP response/);
  });
}

Deno.test("chunkedFraming does not depend on how the bytes are split", () => {
  const raw = new TextEncoder().encode(
    '5;x="y"\r\nhello\r\n1\r\n,\r\n006\r\n world\r\n0\r\nA: b\r\nC: d\r\n\r\nbehind',
  );
  for (let first = 0; first <= raw.length; first++) {
    for (let second = first; second <= raw.length; second++) {
      const framing = chunkedFraming();
      let text = "";
      for (const piece of [raw.slice(0, first), raw.slice(first, second), raw.slice(second)]) {
        text += new TextDecoder().decode(framing.take(piece));
      }
      assert.equal(text, "hello, world", `cut at ${first} and ${second}`);
      assert.ok(framing.isDone());
    }
  }
});

const UNCLEAR: [title: string, headers: string][] = [
  ["two lengths", "Content-Length: 5\r\nContent-Length: 6"],
  ["two lengths in a line", "Content-Length: 5, 6"],
  ["two spellings of a length", "Content-Length: 5, 05"],
  ["a negative length", "Content-Length: -5"],
  ["a length with a plus", "Content-Length: +5"],
  ["a length in hexadecimal", "Content-Length: 0x5"],
  ["a length with a fraction", "Content-Length: 5.0"],
  ["an empty length", "Content-Length:"],
  ["a length beyond any number", `Content-Length: ${"9".repeat(20)}`],
  ["an unrequested coding", "Transfer-Encoding: gzip, chunked"],
  ["chunks that are not the last coding", "Transfer-Encoding: chunked, identity"],
  ["chunks twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"],
  ["an empty coding", "Transfer-Encoding:"],
  ["a coding that resembles chunked", "Transfer-Encoding: xchunked\r\nContent-Length: 5"],
];

for (const [title, headers] of UNCLEAR) {
  Deno.test(`safeFetch rejects a response with ${title}`, async () => {
    await assertFails(readBodyOf(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\nhello`), "FETCH_FAILED", /valid HTTP response/);
  });
}

Deno.test("safeFetch rejects a chunked response of HTTP/1.0", async () => {
  await assertFails(readBodyOf("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), "FETCH_FAILED");
});
