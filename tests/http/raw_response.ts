/** Responses as they are sent, through the gateway: fetch would decompress them. */
import { Buffer } from "node:buffer";
import { stackInfo } from "./harness.ts";

/** Sends a request without a body. An empty header is left out. */
export async function sendRaw(method: string, path: string, headers: Record<string, string> = {}) {
  const { host, pathname, search } = new URL(stackInfo.functionsUrl + path);
  const fields = Object.entries({ host, connection: "close", ...headers })
    .filter(([, value]) => value).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const all = await sendBytes(host, `${method} ${pathname}${search} HTTP/1.1\r\n${fields}\r\n`);
  const end = new TextDecoder("latin1").decode(all).indexOf("\r\n\r\n");
  const [first, ...lines] = new TextDecoder().decode(all.subarray(0, end)).split("\r\n");
  const received = new Headers(lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]));
  const body = all.subarray(end + 4);
  return {
    status: Number(first.split(" ")[1]),
    headers: received,
    body: Buffer.from(received.get("transfer-encoding") === "chunked" ? dechunked(body) : body),
  };
}

/** Sends one byte per character and returns all that the server sends until it closes the connection. */
export async function sendBytes(host: string, request: string): Promise<Uint8Array> {
  const [hostname, port] = host.split(":");
  using connection = await Deno.connect({ hostname, port: Number(port) });
  const bytes = Buffer.from(request, "latin1");
  for (let written = 0; written < bytes.length;) written += await connection.write(bytes.subarray(written));
  return new Uint8Array(await new Response(connection.readable).arrayBuffer());
}

function dechunked(body: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let at = 0;;) {
    const line = body.indexOf(10, at);
    const size = parseInt(new TextDecoder().decode(body.subarray(at, line)), 16);
    if (size === 0) return Buffer.concat(parts);
    parts.push(body.subarray(line + 1, line + 1 + size));
    at = line + 1 + size + 2;
  }
}
