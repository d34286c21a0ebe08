// Resumable uploads continue after lost connections and stalled requests, and never mix.
import { deepStrictEqual as same } from "node:assert";
import { waitFor } from "../../wait_for.ts";
import { storageTest } from "../../parity/storage/fixture.ts";
import { asAna, statusAndText, type, uploadUrlOf } from "../../parity/storage/tus.ts";

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

storageTest("a resumable upload continues after the bytes that arrived before a lost connection", async (at) => {
  const ana = asAna(at), key = at.ownKey("broken"), place = new URL(uploadUrlOf(await ana.create(at.open, key, 11)));
  let offset: string | null = "0";
  for (let ms = 50; offset === "0"; ms *= 2) {
    const connection = await Deno.connect({ hostname: place.hostname, port: Number(place.port) });
    await connection.write(new TextEncoder().encode(
      `PATCH ${place.pathname} HTTP/1.1\r\nhost: ${place.host}\r\nauthorization: Bearer ${at.ana.token}\r\n` +
        `tus-resumable: 1.0.0\r\ncontent-type: ${type}\r\nupload-offset: 0\r\ncontent-length: 11\r\n\r\nhello `,
    ));
    await wait(ms); // let the service begin to read
    connection.close();
    offset = (await ana.head(place.href)).headers.get("upload-offset");
  }
  same(offset, "6");
  same((await ana.send(place.href, 6, "world")).headers.get("tus-complete"), "1");
  same(await (await at.get(`${at.open}/${key}`)).text(), "hello world");
});

storageTest("a stalled part yields to the next request and keeps its bytes", async (at) => {
  const ana = asAna(at), key = at.ownKey("hanging"), place = uploadUrlOf(await ana.create(at.open, key, 11));
  const sent = new TransformStream<Uint8Array, Uint8Array>();
  const client = sent.writable.getWriter();
  const hanging = ana.send(place, 0, sent.readable);
  await client.write(new TextEncoder().encode("hello "));
  await waitFor("the bytes that came", async () => (await ana.head(place)).headers.get("upload-offset") === "6");
  const response = await hanging;
  same([response.status, response.headers.get("upload-offset")], [204, "6"]);
  await client.close().catch(() => {});
  same((await ana.send(place, 6, "world")).headers.get("tus-complete"), "1");
  same(await (await at.get(`${at.open}/${key}`)).text(), "hello world");
});

storageTest("one of several concurrent parts at the same offset succeeds", async (at) => {
  const ana = asAna(at), key = at.ownKey("raced"), place = uploadUrlOf(await ana.create(at.open, key, 200_000));
  const parts = [..."abcdefgh"].map((letter) => letter.repeat(100_000));
  async function* inTwo(part: string) {
    for (const half of [part.slice(0, 50_000), part.slice(50_000)]) {
      yield new TextEncoder().encode(half);
      await wait(100); // while the others begin
    }
  }
  const sent = await Promise.all(parts.map((part) => ana.send(place, 0, ReadableStream.from(inTwo(part)))));
  const responses = await Promise.all(sent.map(statusAndText));
  same(responses.map(([status]) => status).sort(), [204, ...Array(7).fill(409)]);
  const winner = parts[responses.findIndex(([status]) => status === 204)];
  same((await ana.send(place, 100_000, winner)).headers.get("tus-complete"), "1");
  same(await (await at.get(`${at.open}/${key}`)).text(), winner + winner);
});
