// Load on one URL from a process of its own: keep-alive connections that send the next request after each response.
// A minimal HTTP/1.1 client, so that it costs little beside the measured server: responses need a Content-Length.

export interface LoadTest {
  port: number;
  /** The whole request as bytes on the wire; of several, each connection sends one. */
  request: string | string[];
  connections: number;
  milliseconds: number;
}

export interface LoadResult {
  requestsPerSecond: number;
  /** Responses by status. */
  statuses: Record<string, number>;
}

/** Runs the load in another process and returns its result. */
export async function runLoad(test: LoadTest): Promise<LoadResult> {
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-net", "--no-check", import.meta.filename!, JSON.stringify(test)],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("The load process failed");
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** `GET /path HTTP/1.1` with these headers and this body. */
export function requestText(method: string, path: string, headers: Record<string, string> = {}, body = ""): string {
  const lines = Object.entries({ host: "127.0.0.1", "content-length": String(body.length), ...headers });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`;
}

async function requestUntil(end: number, port: number, request: string, count: (status: string) => void) {
  const connection = await Deno.connect({ port, hostname: "127.0.0.1" });
  const bytes = new TextEncoder().encode(request),
    decoder = new TextDecoder("latin1"),
    buffer = new Uint8Array(1 << 20);
  while (performance.now() < end) {
    await connection.write(bytes);
    let size = 0, whole = Infinity, status = "";
    while (size < whole) {
      const read = await connection.read(buffer.subarray(size));
      if (read === null) throw new Error("The server closed the connection");
      size += read;
      if (whole !== Infinity) continue;
      const head = decoder.decode(buffer.subarray(0, Math.min(size, 4096)));
      const headEnd = head.indexOf("\r\n\r\n");
      if (headEnd < 0) continue;
      status = head.slice(9, 12);
      const length = /\r\ncontent-length: (\d+)/i.exec(head.slice(0, headEnd));
      if (!length && status !== "304") throw new Error(`Response without a Content-Length:\n${head.slice(0, headEnd)}`);
      whole = headEnd + 4 + Number(length?.[1] ?? 0);
    }
    count(status);
  }
  connection.close();
}

if (import.meta.main) {
  const loadTest: LoadTest = JSON.parse(Deno.args[0]);
  const statuses: Record<string, number> = {};
  const startedAt = performance.now(), end = startedAt + loadTest.milliseconds;
  const count = (status: string) => statuses[status] = (statuses[status] ?? 0) + 1;
  const requests = [loadTest.request].flat();
  await Promise.all(
    Array.from(
      { length: loadTest.connections },
      (_, n) => requestUntil(end, loadTest.port, requests[n % requests.length], count),
    ),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const responses = Object.values(statuses).reduce((sum, n) => sum + n, 0);
  console.log(JSON.stringify({ requestsPerSecond: responses / seconds, statuses }));
}
