// Reading of request bodies: size limits, time limits, and clients that stop sending.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { ApiError } from "../../functions/runtime/api_error.ts";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";
import { startHttpServer } from "../http_server.ts";

const { BUDGETS, drainBody, openBody, peekBody, readBody, release, reserve, setCaller } = await withEnvironment(
  UNREACHABLE_ENV,
  async () => ({
    ...await import("../../functions/app/request_body.ts"),
    ...await import("../../functions/app/body_memory.ts"),
  }),
);

/** A server that reads a body for at most 100 ms and drains the rest. */
async function answerTo(head: string): Promise<string> {
  await using server = startHttpServer(async (request) => {
    const status = await readBody(request, 1000, "uploads", 100).then(() => 200, (error: ApiError) => error.status);
    await drainBody(request);
    return new Response(null, { status });
  });
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(server.url).port) });
  await connection.write(new TextEncoder().encode(`PUT / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${head}`));
  const response = new Uint8Array(100);
  return new TextDecoder().decode(response.subarray(9, await connection.read(response).then(() => 12)));
}

Deno.test("readBody throws 408 for a body that never ends, with or without a length", async () => {
  assert.equal(await answerTo("content-length: 10\r\n\r\nhalf"), "408");
  assert.equal(await answerTo("transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n"), "408");
});

Deno.test("a rejected request does not wait for a body that never arrives", async () => {
  assert.equal(await answerTo("content-length: 1001\r\n\r\n"), "200");
});

/** A request with this body; the declared length may be wrong. */
function request(body: ReadableStream<Uint8Array>, announced?: number): Request {
  const headers: HeadersInit = announced === undefined ? {} : { "content-length": String(announced) };
  return new Request("http://x", { method: "PUT", body, headers });
}

/** A request of a user, or from an address. */
function requestOf({ user, address }: { user?: string; address?: string }, body = new ReadableStream<Uint8Array>()) {
  const headers: HeadersInit = address === undefined ? {} : { "x-forwarded-for": address };
  const sent = new Request("http://x", { method: "PUT", body, headers });
  if (user !== undefined) setCaller(sent, user);
  return sent;
}

/** Requests of as many users as it takes to leave this much memory for uploads. */
function fillUploads(leaving: number): Request[] {
  const { maxBytes, maxBytesPerCaller } = BUDGETS.uploads, full: Request[] = [];
  for (let left = maxBytes - leaving; left > 0; left -= maxBytesPerCaller) {
    full.push(requestOf({ user: `user ${full.length}` }));
    reserve(full.at(-1)!, Math.min(left, maxBytesPerCaller));
  }
  return full;
}

Deno.test("readBody throws 503 when all bodies exceed the memory limit, until a request ends", async () => {
  const [other, third] = [1, 2].map(() => request(new ReadableStream())), full = fillUploads(3);
  const three = () => request(ReadableStream.from([Uint8Array.of(1, 2), Uint8Array.of(3)]));
  const message = "Too many concurrent uploads; try again";
  try {
    const last = three();
    await readBody(last, 3, "uploads");
    await assert.rejects(readBody(three(), 3, "uploads"), { status: 503, message });
    assert.throws(() => reserve(other, 1), { status: 503 });
    release(last);
    release(last);
    reserve(other, 3); // room for three again, and once
    assert.throws(() => reserve(third, 1), { status: 503 });
  } finally {
    [...full, other, third].forEach(release);
  }
});

Deno.test("an incomplete body reserves no memory", async () => {
  const full = fillUploads(1), one = () => ReadableStream.from([Uint8Array.of(1)]);
  try {
    for (let times = 0; times < 2; times++) {
      await assert.rejects(readBody(request(one(), 2), 2, "uploads"), { status: 400 });
      assert.equal((await readBody(request(one()), 0, "uploads")).size, 1);
    }
  } finally {
    full.forEach(release);
  }
});

const SHARES = [
  { what: "a user's uploads", kind: "uploads", budget: BUDGETS.uploads, caller: { user: "eve" } },
  { what: "uploads from an address", kind: "uploads", budget: BUDGETS.uploads, caller: { address: "192.0.2.1" } },
  { what: "a user's JSON", kind: "json", budget: BUDGETS.json, caller: { user: "eve" } },
  { what: "JSON from an address", kind: "json", budget: BUDGETS.anonymousJson, caller: { address: "192.0.2.1" } },
  { what: "JSON from a network", kind: "json", budget: BUDGETS.anonymousJson, caller: { address: "2001:db8::1" } },
] as const;

for (const { what, kind, budget, caller } of SHARES) {
  Deno.test(`${what} take no memory of other callers, users or kinds, and get 503 beyond their share`, () => {
    const sent = [
      requestOf(caller),
      requestOf("address" in caller ? { address: caller.address.replace(/::1$/, "::2:3") } : caller),
      ...["192.0.2.2", "2001:db8:0:1::1"].map((address) => requestOf({ address })),
      requestOf({ user: "vic" }),
      requestOf(caller),
    ];
    const [eve, again, ...others] = sent, withOtherKind = others.pop()!;
    try {
      reserve(eve, budget.maxBytesPerCaller, kind);
      assert.throws(() => reserve(again, 1, kind), { status: 503, message: /from you; wait until one has ended$/ });
      const rest = (budget.maxBytes - budget.maxBytesPerCaller) / others.length;
      for (const other of others) reserve(other, Math.min(Math.floor(rest), budget.maxBytesPerCaller), kind);
      reserve(withOtherKind, 1, kind === "json" ? "uploads" : "json");
      release(eve);
      reserve(again, budget.maxBytesPerCaller, kind);
    } finally {
      sent.forEach(release);
    }
  });
}

Deno.test("JSON of many addresses takes no memory of the users", () => {
  const { maxBytes, maxBytesPerCaller } = BUDGETS.anonymousJson;
  const sent = Array.from(
    { length: maxBytes / maxBytesPerCaller + 1 },
    (_, n) => requestOf({ address: `192.0.2.${n}` }),
  );
  const vic = requestOf({ user: "vic" }), last = sent.at(-1)!;
  try {
    for (const each of sent.slice(0, -1)) reserve(each, maxBytesPerCaller, "json");
    assert.throws(() => reserve(last, 1, "json"), { status: 503, message: "Too many concurrent requests; try again" });
    reserve(vic, maxBytesPerCaller, "json");
  } finally {
    [...sent, vic].forEach(release);
  }
});

Deno.test("drainBody reads the rest of a body that exceeded the limit of readBody", async () => {
  let pulls = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (++pulls === 5) controller.close();
      else controller.enqueue(new Uint8Array(10));
    },
  }, { highWaterMark: 0 });
  const large = request(body);
  assert.equal((await readBody(large, 15, "uploads")).size, 16);
  await drainBody(large);
  assert.equal(pulls, 5);
});

Deno.test("a connection answers the next request after readBody has read a whole body", async () => {
  await using server = startHttpServer(async (request) => {
    const { size } = await readBody(request, 1000, "uploads");
    await drainBody(request);
    return new Response(String(size));
  });
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(server.url).port) });
  const decoder = new TextDecoder(), buffer = new Uint8Array(1000);
  for (const body of ["four", "fifteen letters", "x"]) {
    const head = `PUT / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n`;
    await connection.write(new TextEncoder().encode(head + body));
    let response = "";
    while (!response.endsWith(`\r\n\r\n${body.length}`)) {
      const bytes = await connection.read(buffer);
      assert.ok(bytes, "the server closed the connection");
      response += decoder.decode(buffer.subarray(0, bytes));
    }
  }
});

Deno.test("readBody reads streams without a BYOB reader", async () => {
  const chunks = () => ReadableStream.from([Uint8Array.of(1, 2), Uint8Array.of(3)]);
  assert.deepEqual((await readBody(request(chunks()), 3, "uploads")).bytes, Uint8Array.of(1, 2, 3));
  assert.deepEqual(await readBody(request(chunks()), 2, "uploads"), { size: 3, bytes: new Uint8Array() });
  await assert.rejects(readBody(request(new ReadableStream()), 3, "uploads", 50), { status: 408 });
});

const MB = 1024 * 1024;
const sample = Uint8Array.from({ length: MB + 77 }, (_, n) => n * 31 >> 3);

/** `bytes` in chunks of this size. */
function* cut(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

const whole = async (content: Uint8Array | ReadableStream<Uint8Array>) =>
  new Uint8Array(await new Response(content).arrayBuffer());
const assertSame = (actual: Uint8Array, expected: Uint8Array) => assert.ok(Buffer.from(actual).equals(expected));

/** A stream of bytes with or without a BYOB reader. */
function byteStream(bytes: Uint8Array): ReadableStream<Uint8Array> {
  const chunks = cut(bytes, 70_000);
  return new ReadableStream({
    type: "bytes",
    pull(controller) {
      const { value } = chunks.next();
      if (value) return controller.enqueue(value);
      controller.close();
      controller.byobRequest?.respond(0);
    },
  });
}

const BODIES: [what: string, body: (bytes: Uint8Array) => ReadableStream<Uint8Array>][] = [
  ["in chunks larger than a piece", (bytes) => ReadableStream.from(cut(bytes, 300_000))],
  ["in one chunk", (bytes) => ReadableStream.from([bytes])],
  ["in tiny chunks", (bytes) => ReadableStream.from(cut(bytes, 997))],
  ["with empty chunks", (bytes) => ReadableStream.from([new Uint8Array(), bytes, new Uint8Array()])],
  ["of a stream of bytes", byteStream],
];

for (const [what, body] of BODIES) {
  Deno.test(`openBody forwards a body ${what} completely, in chunks of 256 KB`, async () => {
    for (const size of [1, 262_143, 262_144, 262_145, 524_288, sample.length]) {
      const bytes = sample.subarray(0, size);
      const { content, getError } = await openBody(request(body(bytes), size), size);
      const lengths: number[] = [], pieces: Uint8Array[] = [];
      for await (const piece of content as ReadableStream<Uint8Array>) {
        lengths.push(piece.length);
        pieces.push(piece);
      }
      assertSame(Buffer.concat(pieces), bytes);
      assert.deepEqual(lengths.slice(0, -1), Array(lengths.length - 1).fill(262_144));
      assert.equal(getError(), undefined);
    }
  });

  Deno.test(`openBody ends a body ${what} at its declared length`, async () => {
    const { size, content } = await openBody(request(body(sample), 300_001), MB);
    assert.equal(size, 300_001);
    assertSame(await whole(content), sample.subarray(0, 300_001));
  });

  Deno.test(`openBody reports 400 for a body ${what} that is shorter than declared`, async () => {
    const { content, getError } = await openBody(request(body(sample), sample.length + 1), 2 * MB);
    await assert.rejects(whole(content));
    assert.deepEqual([getError()?.status, getError()?.message], [400, "The request body was incomplete"]);
  });

  Deno.test(`openBody buffers a body ${what} without a length, up to the limit`, async () => {
    assertSame(await whole((await openBody(request(body(sample)), sample.length)).content), sample);
    const { size, content } = await openBody(request(body(sample)), sample.length - 1);
    assert.deepEqual([size > sample.length - 1, content], [true, new Uint8Array()]);
  });
}

Deno.test("openBody forwards an empty body", async () => {
  const { size, content } = await openBody(request(ReadableStream.from([new Uint8Array()]), 0), MB);
  assert.deepEqual([size, await whole(content)], [0, new Uint8Array()]);
});

Deno.test("openBody cancels a forwarded body with 408 at its time limit", async () => {
  let reason: unknown = "never";
  const silent = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(sample),
    cancel: (cause) => void (reason = cause),
  });
  const { content, getError } = await openBody(request(silent, MB + 78), 2 * MB, 50);
  await assert.rejects(whole(content));
  assert.deepEqual([getError()?.status, reason], [408, undefined]);
});

Deno.test("openBody reports 400 with its cause when a forwarded body fails", async () => {
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error("connection reset")),
  });
  const { content, getError } = await openBody(request(broken, 10), MB);
  await assert.rejects(whole(content));
  assert.equal(getError()?.status, 400);
  assert.match(String(getError()?.cause), /connection reset/);
});

const settled = () => new Promise((resolve) => setTimeout(resolve));

Deno.test("canceling a forwarded body cancels its source, even while it waits, without an error of the body", async () => {
  for (const pulls of [0, 1, 2]) {
    let reason: unknown = "never";
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(sample.subarray(0, 262_144)),
      cancel: (cause) => void (reason = cause),
    });
    const { content, getError } = await openBody(request(body, MB), MB);
    const reader = (content as ReadableStream<Uint8Array>).getReader();
    const reads = Array.from({ length: pulls }, () => reader.read());
    await reads[0];
    await settled(); // the second one waits for the body now
    await reader.cancel("storage is full");
    await Promise.all(reads);
    await settled(); // the readers of the body have been notified
    assert.deepEqual([reason, getError()], ["storage is full", undefined]);
  }
});

Deno.test("peekBody detects from the beginning of a body and forwards the whole body", async () => {
  for (const [needed, read] of [[1, 262_144], [262_145, 524_288], [sample.length, sample.length]]) {
    let pulled = 0;
    const body = ReadableStream.from((function* () {
      for (const chunk of cut(sample, 65_536)) {
        pulled += chunk.length;
        yield chunk;
      }
    })());
    const received = request(body, sample.length);
    const look = (beginning: Uint8Array) => beginning.length >= needed ? beginning.length : undefined;
    const { detected, content, getError } = await peekBody(received, await openBody(received, 2 * MB), look);
    assert.deepEqual([detected, pulled - read < 65_536], [read, true]);
    assertSame(await whole(content), sample);
    assert.equal(getError(), undefined);
    release(received);
  }
});

/** Bytes that can still be reserved by a caller without a login or an address, as in these tests. */
function room(): number {
  const received = request(ReadableStream.from([]), 0);
  let bytes = 0;
  for (let step = 2 ** 25; step >= 1; step /= 2) {
    try {
      reserve(received, step);
      bytes += step;
    } catch { /* There is less room than that */ }
  }
  release(received);
  return bytes;
}

Deno.test("peekBody reads a body without a match to its end and reserves its memory", async () => {
  const before = room(), received = request(ReadableStream.from([sample]), sample.length);
  const { detected, content } = await peekBody(received, await openBody(received, 2 * MB), () => undefined);
  assert.equal(detected, undefined);
  assertSame(await whole(content), sample);
  assert.equal(before - room(), sample.length);
  release(received);
});

Deno.test("peekBody detects from a buffered body", async () => {
  const received = request(ReadableStream.from([sample]));
  const { detected, content } = await peekBody(received, await openBody(received, 2 * MB), (bytes) => bytes.length);
  assert.equal(detected, sample.length);
  assertSame(await whole(content), sample);
  release(received);
});

Deno.test("peekBody throws 400 for a body that ends early", async () => {
  const received = request(ReadableStream.from([sample]), sample.length + 1);
  await assert.rejects(peekBody(received, await openBody(received, 2 * MB), () => undefined), { status: 400 });
  release(received);
});

Deno.test("a body can be canceled or drained after peekBody", async () => {
  for (const pulls of [undefined, 0, 1]) {
    let reason: unknown = "never", chunks = 4;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => chunks-- ? controller.enqueue(sample.slice(0, 262_144)) : controller.close(),
      cancel: (cause) => void (reason = cause),
    });
    const received = request(body, MB);
    const { content } = await peekBody(received, await openBody(received, MB), (bytes) => bytes.length);
    if (pulls === undefined) await drainBody(received);
    else {
      const reader = (content as ReadableStream<Uint8Array>).getReader();
      for (let n = 0; n < pulls; n++) await reader.read();
      await reader.cancel("storage is full");
    }
    await settled();
    assert.deepEqual([pulls, chunks < 0, reason === "never"], [pulls, pulls === undefined, pulls === undefined]);
    release(received);
  }
});
