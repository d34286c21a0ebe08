// HTTP/1.1 to the process of the edge functions. fetch would decompress bodies, hide their length from the function,
// request encodings that the client did not, and cost four times as much.

/** A persistent connection. */
export interface HttpConnection {
  port: number;
  tcp: Deno.TcpConn;
  /** Holds the head of a response and the start of its body. */
  buffer: Uint8Array;
  /** The read of the next response, which is pending while the connection is idle, to detect that it closes. */
  firstRead?: Promise<number | null>;
}

interface ProxyRequest {
  method: string;
  path: string;
  headers: Iterable<[string, string]>;
  body: ReadableStream<Uint8Array> | null;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("latin1");
const HEAD_END = encoder.encode("\r\n\r\n");
const MAX_HEAD_BYTES = 64 * 1024;
/** Headers of one hop. The gateway's server handles `expect` itself. */
const PER_HOP = new Set(["connection", "expect", "keep-alive", "transfer-encoding", "upgrade"]);

const CLOSED = "The functions' process closed the connection";

/** The connection closed before a byte of the response arrived. */
export class UnansweredError extends Error {}

/** The client left within the body of its request. */
class IncompleteBodyError extends Error {}

export async function openConnection(port: number): Promise<HttpConnection> {
  const tcp = await Deno.connect({ hostname: "127.0.0.1", port });
  tcp.setNoDelay();
  return { port, tcp, buffer: new Uint8Array(MAX_HEAD_BYTES) };
}

/**
 * Sends a request and returns the response when its head has arrived. Calls `onEnd` once: when the connection is free, or
 * when it can no longer be used.
 */
export async function sendRequest(
  connection: HttpConnection,
  request: ProxyRequest,
  onEnd: (reusable: boolean) => void,
): Promise<Response> {
  const body = request.body?.getReader();
  let hasEnded = false;
  // A request body that was not read to its end makes the connection unusable
  const end = (isComplete: boolean) => {
    if (hasEnded) return;
    hasEnded = true;
    body?.cancel().catch(() => {});
    onEnd(isComplete && !body);
  };
  send(connection, request, body).catch((error) => {
    if (error instanceof IncompleteBodyError) end(false); // else the function waits for the rest
    // else the function has closed the connection; it may have responded before it has read all
  });
  try {
    const { status, headers, rest } = await readHead(connection);
    const length = headers.get("content-length");
    const isChunked = headers.has("transfer-encoding");
    for (const name of PER_HOP) headers.delete(name);
    if (headers.get("content-encoding") === "identity") headers.delete("content-encoding"); // added by host.ts

    if (request.method === "HEAD" || status === 204 || status === 304) {
      end(rest.length === 0);
      return new Response(null, { status, headers });
    }
    if (!isChunked && rest.length >= Number(length)) {
      const bytes = rest.slice(0, Number(length)); // a copy: the next response reuses the buffer
      end(rest.length === bytes.length);
      return new Response(bytes, { status, headers });
    }
    const parts = isChunked
      ? readChunked(connection, rest.slice())
      : readFixed(connection, rest.slice(), Number(length));
    return new Response(ReadableStream.from(untilEnd(parts, end)), { status, headers });
  } catch (error) {
    end(false);
    throw error;
  }
}

async function send(
  connection: HttpConnection,
  { method, path, headers }: ProxyRequest,
  body: ReadableStreamDefaultReader<Uint8Array> | undefined,
) {
  let head = `${method} ${path} HTTP/1.1\r\n`;
  let hasLength = false;
  for (const [name, value] of headers) {
    if (PER_HOP.has(name)) continue;
    if (name === "content-length") {
      if (!body && value !== "0") continue; // of a GET or HEAD, whose body Deno discards: the function would wait for it
      hasLength = true;
    }
    head += `${name}: ${value}\r\n`;
  }
  if (body && !hasLength) head += "transfer-encoding: chunked\r\n";
  await writeAll(connection, latin1(`${head}\r\n`));
  if (!body) return;
  const read = () =>
    body.read().catch((cause) => {
      throw new IncompleteBodyError(undefined, { cause });
    });
  for (let chunk; (chunk = (await read()).value);) {
    if (!hasLength) await writeAll(connection, encoder.encode(`${chunk.length.toString(16)}\r\n`));
    await writeAll(connection, chunk);
    if (!hasLength) await writeAll(connection, encoder.encode("\r\n"));
  }
  if (!hasLength) await writeAll(connection, encoder.encode("0\r\n\r\n"));
}

/** Encodes header values: each character is a byte. */
function latin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

async function writeAll({ tcp }: HttpConnection, bytes: Uint8Array) {
  for (let written = 0; written < bytes.length;) written += await tcp.write(bytes.subarray(written));
}

async function readHead(connection: HttpConnection) {
  const { tcp, buffer } = connection;
  let start = 0;
  for (let size = 0; size < buffer.length;) {
    const read = await (connection.firstRead ?? tcp.read(buffer.subarray(size))).catch((error) => {
      throw size === 0 ? new UnansweredError(CLOSED, { cause: error }) : error;
    });
    connection.firstRead = undefined;
    if (read === null) throw size === 0 ? new UnansweredError(CLOSED) : new Error(CLOSED);
    size += read;
    for (let end; (end = indexOf(buffer.subarray(0, size), HEAD_END, start)) >= 0; start = end + HEAD_END.length) {
      const [statusLine, ...lines] = decoder.decode(buffer.subarray(start, end)).split("\r\n");
      const status = Number(statusLine.slice(9, 12));
      if (status < 200) continue; // an interim response
      const headers = new Headers(lines.map((line): [string, string] => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon), line.slice(colon + 1).trim()];
      }));
      return { status, headers, rest: buffer.subarray(end + HEAD_END.length, size) };
    }
  }
  throw new Error("The head of a function's response is too long");
}

function indexOf(bytes: Uint8Array, pattern: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(pattern[0], from); at >= 0; at = bytes.indexOf(pattern[0], at + 1)) {
    if (pattern.every((byte, offset) => bytes[at + offset] === byte)) return at;
  }
  return -1;
}

/** A body in parts, which returns the number of bytes that came after its end. */
type Parts = AsyncGenerator<Uint8Array, number>;

/** Forwards the parts. A reader that stops before the end makes the connection unusable, and so do further bytes. */
async function* untilEnd(parts: Parts, end: (isComplete: boolean) => void) {
  let surplus: number | undefined;
  try {
    surplus = yield* parts;
  } finally {
    end(surplus === 0);
  }
}

async function* readFixed(connection: HttpConnection, first: Uint8Array, length: number): Parts {
  let left = length - first.length;
  if (first.length) yield first;
  while (left > 0) {
    const bytes = await readSome(connection), part = bytes.subarray(0, left);
    left -= part.length;
    yield part;
    if (left === 0) return bytes.length - part.length;
  }
  return 0;
}

async function* readChunked(connection: HttpConnection, first: Uint8Array): Parts {
  let bytes = first;
  const readMore = async () => {
    const read = await readSome(connection);
    const joined = new Uint8Array(bytes.length + read.length);
    joined.set(bytes);
    joined.set(read, bytes.length);
    bytes = joined;
  };
  const CRLF = HEAD_END.subarray(0, 2);
  for (;;) {
    let lineEnd;
    while ((lineEnd = indexOf(bytes, CRLF, 0)) < 0) await readMore();
    let left = Number.parseInt(decoder.decode(bytes.subarray(0, lineEnd)), 16);
    bytes = bytes.subarray(lineEnd + 2);
    const isLast = left === 0;
    while (left > 0) {
      if (!bytes.length) bytes = await readSome(connection);
      const part = bytes.subarray(0, left);
      bytes = bytes.subarray(part.length);
      left -= part.length;
      yield part;
    }
    while (bytes.length < 2) await readMore();
    bytes = bytes.subarray(2);
    if (isLast) return bytes.length;
  }
}

async function readSome({ tcp }: HttpConnection): Promise<Uint8Array> {
  const buffer = new Uint8Array(64 * 1024);
  const read = await tcp.read(buffer);
  if (read === null) throw new Error(CLOSED);
  return buffer.subarray(0, read);
}
