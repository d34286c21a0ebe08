// Connections to the functions' process: bytes after a response would become the beginning of the next one.
import assert from "node:assert/strict";
import { openConnection, sendRequest } from "../../../local/functions/http_connection.ts";

const encoder = new TextEncoder();
const SURPLUS = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nstale";

/** What a process sends in response to a request, in parts that arrive apart. */
const RESPONSES: Record<string, { method?: string; parts: string[] }> = {
  "of a known length, in one part": { parts: ["HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbody"] },
  "of a known length, in two parts": { parts: ["HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbo", "dy"] },
  "in chunks": { parts: ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", "4\r\nbody\r\n0\r\n\r\n"] },
  "to HEAD": { method: "HEAD", parts: ["HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n"] },
};

/** Sends one request, and returns the body and whether the connection may be used again. */
async function exchange(method: string, parts: string[]) {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connection = await openConnection((listener.addr as Deno.NetAddr).port);
  const server = await listener.accept();
  let isReusable: boolean | undefined;
  try {
    await server.write(encoder.encode(parts[0]));
    const response = await sendRequest(
      connection,
      { method, path: "/", headers: [], body: null },
      (reusable) => isReusable = reusable,
    );
    if (parts.length > 1) await server.write(encoder.encode(parts[1]));
    return { text: await response.text(), isReusable };
  } finally {
    server.close();
    connection.tcp.close();
  }
}

for (const [name, { method = "GET", parts }] of Object.entries(RESPONSES)) {
  Deno.test(`after a response ${name}, the connection is used again unless more bytes came`, async () => {
    const text = method === "HEAD" ? "" : "body";
    assert.deepEqual(await exchange(method, parts), { text, isReusable: true });
    const surplus = [...parts.slice(0, -1), parts.at(-1)! + SURPLUS];
    assert.deepEqual(await exchange(method, surplus), { text, isReusable: false });
  });
}
