// Limits of reading a feed: memory, size, compression, bombs, and failing sources.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { FetchError } from "../../functions/safe_fetch/fetch_error.ts";
import { batchItems, batchJson, parseFeed } from "../../functions/feed_reader/parse.ts";
import { assertFeedError, inChunks, item, readFeedText, rss, toBytes } from "./reading.ts";

const about = { url: "https://show.example/feed.xml" };
const manyItems = (count: number) => Array.from({ length: count }, (_, n) => item(`Episode ${n}`)).join("");
const feed = toBytes(rss(manyItems(500)));
const titles = Array.from({ length: 500 }, (_, n) => `Episode ${n}`);

Deno.test("parseFeed passes items on in batches of at most 200 and waits for each batch", async () => {
  const sizes: number[] = [];
  let underWay = 0;
  const sink = batchItems(async (items) => {
    assert.equal(++underWay, 1);
    await new Promise((resolve) => setTimeout(resolve));
    underWay--;
    sizes.push(items.length);
  });
  const { itemCount } = await parseFeed(inChunks(feed, feed.length), about, sink);
  assert.deepEqual([sizes, itemCount], [[200, 200, 100], 500]);
});

Deno.test("batchJson passes on the items of batchItems without their empty members, each GUID once", async () => {
  const again = item("Episode 7").replace("01 May", "02 May").replace("<title>Episode 7", "<title>Ünï \\ 7");
  const document = rss(manyItems(150) + again + manyItems(450).slice(manyItems(150).length));
  const { read } = await readFeedText(document);
  const staged: { guid: string }[][] = [];
  const sink = batchJson((json, items) => {
    staged.push(JSON.parse(json));
    assert.equal(staged.at(-1)!.length, items);
    return Promise.resolve();
  });
  await parseFeed(inChunks(toBytes(document)), about, sink);
  assert.deepEqual(staged.map(({ length }) => length), [200, 200, 50]);
  const byGuid = (list: { guid: string }[]) => list.toSorted((a, b) => a.guid < b.guid ? -1 : 1);
  const isEmpty = (value: unknown) => value === null || Array.isArray(value) && value.length === 0;
  const withoutEmpty = read.map((one) =>
    Object.fromEntries(Object.entries(one).filter(([, value]) => !isEmpty(value))) as { guid: string }
  );
  assert.deepEqual(byGuid(staged.flat()), byGuid(withoutEmpty));
});

Deno.test("parseFeed ends and closes the source when the receiver throws", async () => {
  let isLeft = false;
  async function* source() {
    try {
      yield* inChunks(feed);
    } finally {
      isLeft = true;
    }
  }
  const sink = batchItems(() => Promise.reject(new Error("no room")));
  await assert.rejects(parseFeed(source(), about, sink), /no room/);
  assert.ok(isLeft);
});

Deno.test("parseFeed closes the source as soon as the content turns out not to be a feed", async () => {
  let kilobytes = 0;
  async function* endless() {
    for (;; kilobytes++) yield toBytes("<html><body>".padEnd(1000));
  }
  await assertFeedError("NOT_XML", parseFeed(endless(), about, batchItems(() => Promise.resolve())));
  assert.ok(kilobytes < 40, `${kilobytes} KB were read`); // one chunk and the text that identifies the content
});

Deno.test("parseFeed rejects a feed over the size limit and reads one of exactly that size", async () => {
  assert.equal((await readFeedText(feed, { maxBytes: feed.length })).itemCount, 500);
  await assertFeedError("TOO_LARGE", readFeedText(feed, { maxBytes: feed.length - 1 }));
});

Deno.test("parseFeed rejects a feed of more than 25,000 items and reads one of exactly 25,000", async () => {
  let made = 0;
  async function* source(itemCount: number) {
    yield toBytes("<rss><channel>");
    for (made = 0; made < itemCount; made += 1000) {
      yield toBytes(Array.from({ length: 1000 }, (_, n) => `<item><guid>${made + n}</guid></item>`).join(""));
    }
    yield toBytes("</channel></rss>");
  }
  const read = (itemCount: number) => parseFeed(source(itemCount), about, batchItems(() => Promise.resolve()));
  assert.equal((await read(25_000)).itemCount, 25_000);
  await assertFeedError("TOO_LARGE", read(200_000));
  assert.ok(made <= 26_000);
});

// Deno 2.1's compressor reads the whole buffer behind a subarray
const brotli = (bytes: Uint8Array) =>
  new Uint8Array(
    brotliCompressSync(Buffer.from(bytes.slice().buffer), { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  );

const packed: Record<string, [bytes: Uint8Array, contentEncoding: string]> = {
  "gzip": [gzipSync(feed), "gzip"],
  "gzip by its old name": [gzipSync(feed), "x-gzip"],
  "undeclared gzip": [gzipSync(feed), ""],
  "gzip within gzip, declared once": [gzipSync(gzipSync(feed)), "gzip"],
  "deflate": [deflateSync(feed), "deflate"],
  "raw deflate": [deflateRawSync(feed), "Deflate"],
  "Brotli": [brotli(feed), "br"],
  "gzip, then Brotli": [brotli(gzipSync(feed)), "gzip, br"],
  "nothing, declared as gzip": [feed, "gzip"],
  "nothing, declared as deflate": [feed, "deflate"],
  "nothing, declared as identity": [feed, "identity"],
};

for (const [how, [bytes, contentEncoding]] of Object.entries(packed)) {
  Deno.test(`parseFeed reads a feed compressed with ${how}`, async () => {
    for (const piece of [1, 1000, 1_000_000]) {
      const { read, codes } = await readFeedText(new Uint8Array(bytes), { contentEncoding, piece });
      assert.deepEqual(read.map(({ title }) => title), titles);
      assert.deepEqual(codes, []);
    }
  });
}

function bomb(size: number): Uint8Array {
  const blanks = new Uint8Array(size).fill(32);
  blanks.set(toBytes("<rss><channel><title>"));
  return blanks;
}

Deno.test("parseFeed stops reading a gzip bomb at the size limit", async () => {
  const bytes = new Uint8Array(gzipSync(bomb(100_000_000)));
  let bytesRead = 0;
  async function* source() {
    for await (const piece of inChunks(bytes)) {
      bytesRead += piece.length;
      yield piece;
    }
  }
  const options = { ...about, contentEncoding: "gzip" }, maxBytes = 10_000_000;
  await assertFeedError(
    "TOO_LARGE",
    parseFeed(source(), options, batchItems(() => Promise.resolve()), { maxBytes }),
  );
  assert.ok(bytesRead < bytes.length * 0.15, `${bytesRead} of ${bytes.length} bytes were read`);
});

Deno.test("parseFeed stops decompressing a Brotli bomb at the limit of Brotli", async () => {
  const bytes = brotli(bomb(60_000_000));
  const { message } = await assertFeedError("TOO_LARGE", readFeedText(bytes, { contentEncoding: "br" }));
  assert.match(message, /compressed with Brotli and larger than 16,000,000 bytes/);
});

Deno.test("parseFeed rejects endless compressed data that expands to nothing at the size limit", async () => {
  const nothing = gzipSync(new Uint8Array());
  const many = new Uint8Array(50_000 * nothing.length).map((_, at) => nothing[at % nothing.length]);
  const bytes = new Uint8Array(gzipSync(many));
  await assertFeedError("TOO_LARGE", readFeedText(bytes, { contentEncoding: "gzip", maxBytes: 500_000 }));
  await assertFeedError("TOO_LARGE", readFeedText(many, { contentEncoding: "gzip", maxBytes: 500_000 }));
});

for (const contentEncoding of ["gzip", "deflate"]) {
  const bytes = contentEncoding === "gzip" ? gzipSync(feed) : deflateSync(feed);
  Deno.test(`parseFeed keeps the complete items of a truncated feed compressed with ${contentEncoding}`, async () => {
    const { codes, itemCount } = await readFeedText(new Uint8Array(bytes.subarray(0, bytes.length * 0.8)), {
      contentEncoding,
    });
    assert.ok(itemCount > 100 && itemCount < 500, `${itemCount}`);
    assert.deepEqual(codes, ["DOCUMENT_TRUNCATED"]);
  });
}

Deno.test("parseFeed rejects data that cannot be decompressed as NOT_XML", async () => {
  const noise = toBytes("\u001f\u008b".repeat(500));
  await assertFeedError("NOT_XML", readFeedText(new Uint8Array([0x1f, 0x8b, ...noise])));
  await assertFeedError("NOT_XML", readFeedText(noise, { contentEncoding: "br" }));
  await assertFeedError("NOT_XML", readFeedText(feed, { contentEncoding: "zstd" }));
  await assertFeedError("NOT_XML", readFeedText(feed, { contentEncoding: "gzip, ".repeat(1000) }));
});

const brokenOff = new FetchError("FETCH_FAILED", "The response was incomplete");

const document = rss(manyItems(500));
const wide = new Uint8Array(Uint16Array.from(document, (character) => character.charCodeAt(0)).buffer);
const latin1 = Uint8Array.from(document.replace("<title>Show", "<title>Caf\u00e9"), (one) => one.charCodeAt(0));

/** The bytes and their decoding. Stored gzip begins with the text itself. */
const forms: Record<string, [bytes: Uint8Array, charset: string]> = {
  "UTF-8": [feed, "utf-8"],
  "UTF-16": [wide, "utf-16le"],
  "windows-1252": [latin1, "windows-1252"],
  "gzip": [new Uint8Array(gzipSync(feed, { level: 0 })), "windows-1252"],
};

/** Sizes of all buffers on the way: the detection of the character set, a chunk, and held text. */
const CUTS = [1023, 1500, 2049, 3000, 4000, 4095, 4096, 4097, 4500, 6000, 9001, 20_000, 31_000, 32_760, 32_768]
  .concat([32_769, 32_800, 33_333, 40_000, 60_001, 65_535, 65_536, 65_537, 65_800, 70_000, 77_777]);

for (const [form, [bytes, charset]] of Object.entries(forms)) {
  Deno.test(`parseFeed keeps every complete item of a body in ${form} that breaks off or ends anywhere`, async () => {
    for (const cut of CUTS.flatMap((cut) => [cut, cut + 101])) {
      const begun = bytes.subarray(0, cut);
      const whole = new TextDecoder(charset).decode(begun).split("</item>").length - 1;
      assert.ok(whole > 0);
      for (const error of [brokenOff, undefined]) {
        const { itemCount, codes } = await readFeedText(begun, { error });
        assert.deepEqual([cut, itemCount, codes.at(-1)], [cut, whole, "DOCUMENT_TRUNCATED"]);
      }
    }
  });
}

Deno.test("parseFeed reads channel elements after the items when the body breaks off after them", async () => {
  const whole = rss(item("One") + '<podcast:locked owner="a@a.example">yes</podcast:locked>' + " ".repeat(5000));
  const { channel, itemCount } = await readFeedText(whole, { error: brokenOff });
  assert.deepEqual([itemCount, channel.locked], [1, true]);
});

Deno.test("parseFeed rejects a body that breaks off before the first complete item with the cause", async () => {
  for (const contentEncoding of ["", "gzip", "deflate", "br"]) {
    for (const body of ["", feed.subarray(0, 100)]) {
      await assert.rejects(readFeedText(body, { contentEncoding, error: brokenOff }), brokenOff);
    }
  }
});

Deno.test("parseFeed throws TIMEOUT instead of accepting a truncated feed", async () => {
  const error = new FetchError("TIMEOUT", "It took too long");
  await assert.rejects(readFeedText(feed.subarray(0, feed.length / 2), { error }), error);
});

function append(bytes: Uint8Array, more: string): Uint8Array {
  return new Uint8Array([...bytes, ...toBytes(more)]);
}

Deno.test("parseFeed keeps all items when data follows a compressed feed or its checksum is damaged", async () => {
  for (const count of [3, 500]) {
    const bytes = new Uint8Array(gzipSync(toBytes(rss(manyItems(count)))));
    const damaged = bytes.slice();
    damaged[bytes.length - 6] ^= 1;
    const bodies = [
      damaged,
      bytes.subarray(0, bytes.length - 1),
      bytes.subarray(0, bytes.length - 8),
      append(bytes, "\n"),
      append(bytes, "\r\n0\r\n"),
      append(bytes, `<!-- cached ${"by a proxy ".repeat(40)}-->`),
    ];
    for (const body of bodies) {
      for (const piece of [1, 1000, 1_000_000]) assert.equal((await readFeedText(body, { piece })).itemCount, count);
      const twice = new Uint8Array(gzipSync(body));
      assert.equal((await readFeedText(twice, { contentEncoding: "gzip" })).itemCount, count);
    }
  }
});

Deno.test("parseFeed accepts a Brotli feed whose source breaks off after the last byte", async () => {
  assert.equal((await readFeedText(brotli(feed), { contentEncoding: "br", error: brokenOff })).itemCount, 500);
});

Deno.test("parseFeed rejects an empty body as EMPTY_FEED, regardless of its declared encoding", async () => {
  for (const contentEncoding of ["", "gzip", "deflate", "br", "gzip, br", "deflate, gzip"]) {
    await assertFeedError("EMPTY_FEED", readFeedText("", { contentEncoding }));
  }
});

Deno.test("parseFeed closes the source when its encoding is unsupported", async () => {
  let isLeft = false;
  const body = new ReadableStream<Uint8Array>({ cancel: () => void (isLeft = true) });
  const sink = batchItems(() => Promise.resolve());
  await assertFeedError("NOT_XML", parseFeed(body, { ...about, contentEncoding: "zstd" }, sink));
  assert.ok(isLeft);
});

Deno.test("parseFeed leaves exponential and external entities unexpanded", async () => {
  const lol = Array.from({ length: 9 }, (_, n) => `<!ENTITY lol${n + 1} "${`&lol${n};`.repeat(10)}">`).join("\n");
  const type = `<!DOCTYPE rss [\n<!ENTITY lol0 "lol">\n${lol}\n<!ENTITY file SYSTEM "file:///etc/passwd">\n]>`;
  const { read, codes } = await readFeedText(rss(item("&lol9; &file;")).replace("?>", `?>${type}`));
  assert.equal(read[0].title, "&lol9; &file;");
  assert.deepEqual(codes, ["DTD_SKIPPED", "ENTITY_UNKNOWN"]);
});

Deno.test("parseFeed reads floods of any construct in bounded memory and linear time", async () => {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--allow-all",
      "--no-check",
      "--v8-flags=--max-old-space-size=24",
      `${import.meta.dirname}/read_floods.ts`,
    ],
    signal: AbortSignal.timeout(120_000), // quadratic reading takes longer
  }).output();
  const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  assert.equal(code, 0, output); // the last line names the flood before the one that failed
});
