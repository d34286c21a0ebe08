// /functions/v1 on kept connections: the body of one request is never read as the beginning of another.
import assert from "node:assert/strict";
import { waitFor } from "../../wait_for.ts";
import { startTestStack } from "../../stack.ts";
import { probeProject } from "../host/probe_project.ts";

const project = await probeProject();
const stack = await startTestStack({ project: project.folder });
const encoder = new TextEncoder(), decoder = new TextDecoder("latin1");

interface Received {
  status: number;
  text: string;
}

/** A client that sends bytes as they are: fetch sends no body with GET, and chooses the connection. */
async function connect() {
  const tcp = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(stack.url).port) });
  let received = "";
  const buffer = new Uint8Array(65536);

  /** The text up to the end that `findEnd` finds, or undefined if the server closed the connection before it. */
  async function readUntil(findEnd: (text: string) => number): Promise<string | undefined> {
    while (findEnd(received) < 0) {
      const read = await tcp.read(buffer).catch(() => null);
      if (read === null) {
        assert.equal(received, "", "the connection closed within a response");
        return undefined;
      }
      received += decoder.decode(buffer.subarray(0, read));
    }
    const text = received.slice(0, findEnd(received));
    received = received.slice(text.length);
    return text;
  }

  return {
    async write(text: string) {
      const bytes = encoder.encode(text);
      for (let sent = 0; sent < bytes.length;) sent += await tcp.write(bytes.subarray(sent));
    },
    /** The next response, or undefined if the server closed the connection instead. */
    async read(method: string): Promise<Received | undefined> {
      const head = await readUntil((text) => text.includes("\r\n\r\n") ? text.indexOf("\r\n\r\n") + 4 : -1);
      if (head === undefined) return undefined;
      const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
      assert.ok(status, `no response: ${head.slice(0, 100)}`);
      if (status === 100) return this.read(method);
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1]);
      if (method === "HEAD") return { status, text: "" };
      const text = await readUntil((text) => text.length >= length ? length : -1);
      return { status, text: text ?? "" };
    },
    close: () => tcp.close(),
  };
}
type Client = Awaited<ReturnType<typeof connect>>;

/** A body that a server which reads it as a request would serve. */
const SMUGGLED = "GET /probe/text?smuggled HTTP/1.1\r\nhost: x\r\n\r\n";

const FRAMES: Record<string, (body: string) => [header: string, body: string]> = {
  "Content-Length": (body) => [`content-length: ${body.length}`, body],
  chunks: (body) => ["transfer-encoding: chunked", `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`],
};

const headOf = (method: string, path: string, ...headers: string[]) =>
  [`${method} /functions/v1/probe/${path} HTTP/1.1`, "host: x", ...headers, "", ""].join("\r\n");

/** What the function `request` says of a plain GET with this id. */
function assertOwn(response: Received, id: string) {
  assert.equal(response.status, 200, response.text);
  const { method, url, body } = JSON.parse(response.text);
  assert.deepEqual([method, url, body], ["GET", `/probe/request?id=${id}`, ""]);
}

/** Plain requests of others, which use the connections that the gateway keeps. */
async function assertOthersServed(count: number) {
  await Promise.all(Array.from({ length: count }, async () => {
    const id = crypto.randomUUID();
    const response = await fetch(`${stack.functionsUrl}/probe/request?id=${id}`);
    assertOwn({ status: response.status, text: await response.text() }, id);
  }));
}

/** A plain GET after another request on the same connection, or on a new one if the server has closed it. */
async function assertNextServed(client: Client, id: string, isSent: boolean) {
  const head = headOf("GET", `request?id=${id}`);
  if (!isSent) await client.write(head).catch(() => {});
  const response = await client.read("GET");
  if (response) return assertOwn(response, id);
  const next = await connect();
  await next.write(head);
  assertOwn((await next.read("GET"))!, id);
  next.close();
}

for (const [frame, framed] of Object.entries(FRAMES)) {
  Deno.test(`a function learns of no body of a GET whose body in ${frame} the gateway discards`, async () => {
    const client = await connect(), [header, body] = framed(SMUGGLED);
    await client.write(headOf("GET", "request?id=first", header) + body);
    const { headers, body: received } = JSON.parse((await client.read("GET"))!.text);
    assert.deepEqual([headers["content-length"], headers["transfer-encoding"], received], [undefined, undefined, ""]);
    client.close();
  });
}

const BODIES = { small: SMUGGLED, large: SMUGGLED.repeat(6000) };

for (const method of ["GET", "HEAD", "DELETE", "POST", "PUT"]) {
  for (const [frame, framed] of Object.entries(FRAMES)) {
    for (const [size, content] of Object.entries(BODIES)) {
      for (const path of ["text", "request?id=first"]) {
        const reads = path === "text" ? "ignores" : "reads";
        Deno.test(`requests after a ${method} with a ${size} body in ${frame} that the function ${reads} are served`, async () => {
          const [header, body] = framed(content);
          for (const isPipelined of [false, true, false, true]) {
            const client = await connect(), id = crypto.randomUUID();
            const others = assertOthersServed(3);
            const next = isPipelined ? headOf("GET", `request?id=${id}`) : "";
            const sent = client.write(headOf(method, path, header) + body + next).catch(() => {});
            const first = await client.read(method);
            assert.equal(first?.status ?? 200, 200, first?.text);
            if (path === "text" && first && method !== "HEAD") assert.equal(first.text, "text ".repeat(1000));
            await sent;
            await assertNextServed(client, id, isPipelined);
            await others;
            client.close();
          }
          await assertOthersServed(10);
        });
      }
    }
  }

  Deno.test(`requests beside a ${method} whose client waits for 100 Continue are served`, async () => {
    const client = await connect(), id = crypto.randomUUID();
    await client.write(
      headOf(method, "request?id=first", `content-length: ${SMUGGLED.length}`, "expect: 100-continue"),
    );
    await assertOthersServed(3);
    await client.write(SMUGGLED).catch(() => {});
    const first = await client.read(method);
    assert.equal(first?.status ?? 200, 200, first?.text);
    await assertNextServed(client, id, false);
    client.close();
    await assertOthersServed(10);
  });

  Deno.test(`requests after a ${method} whose client left within its body are served`, async () => {
    for (const [, framed] of Object.entries(FRAMES)) {
      const [header, body] = framed(BODIES.large);
      for (const path of ["text", "request?id=first"]) {
        const client = await connect();
        await client.write(headOf(method, path, header) + body.slice(0, 100_000)).catch(() => {});
        client.close();
        await assertOthersServed(10);
      }
    }
  });
}

Deno.test("a response that arrives before the body was sent is forwarded, and later requests are served", async () => {
  const client = await connect();
  await client.write(headOf("POST", "text", `content-length: ${BODIES.large.length}`));
  const early = await client.read("POST");
  assert.deepEqual([early?.status, early?.text], [200, "text ".repeat(1000)]);
  await client.write(BODIES.large).catch(() => {});
  await assertNextServed(client, crypto.randomUUID(), false);
  client.close();
  await assertOthersServed(10);
});

Deno.test("the function's request is aborted when its client leaves within the body", async () => {
  const name = crypto.randomUUID();
  const client = await connect();
  await client.write(headOf("POST", `upload?name=${name}`, "content-length: 1000") + "part");
  const list = async (which: string): Promise<string[]> =>
    await (await fetch(`${stack.functionsUrl}/probe/${which}`)).json();
  await waitFor("the request's arrival", async () => (await list("arrived")).includes(name));
  client.close();
  await waitFor("the end of its body", async () => (await list("aborted")).includes(name));
});
