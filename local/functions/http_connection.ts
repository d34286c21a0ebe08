// HTTP/1.1 to the process of the edge functions. fetch would unpack bodies, hide their length from the function, ask for
// encodings that the client did not, and cost four times as much.

/** A connection, kept open from one request to the next. */
export interface Line {
  port: number;
  connection: Deno.TcpConn;
  /** Holds the head of an answer, and what came with it. */
  buffer: Uint8Array;
  /** Of the next answer. It is awaited while the line is idle too, so that the other end's closing is noticed. */
  firstRead?: Promise<number | null>;
}

export interface Asked {
  method: string;
  path: string;
  headers: Iterable<[string, string]>;
  body: ReadableStream<Uint8Array> | null;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("latin1");
const HEAD_END = encoder.encode("\r\n\r\n");
const MOST_HEAD = 64 * 1024;
/** Theirs is the connection, ours the one behind it. Our server has said 100 to `expect` when the body is read. */
const PER_HOP = new Set(["connection", "expect", "keep-alive", "transfer-encoding", "upgrade"]);

export async function openLine(port: number): Promise<Line> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  connection.setNoDelay();
  return { port, connection, buffer: new Uint8Array(MOST_HEAD) };
}

/**
 * Sends a request and answers as soon as the head of the answer is there. `finished` is told once, when the line is free
 * again, or when it must not be used any more.
 */
export async function exchange(line: Line, asked: Asked, finished: (reusable: boolean) => void): Promise<Response> {
  const body = asked.body?.getReader();
  send(line, asked, body).catch(() => {}); // a function may refuse without reading all: its answer counts
  let told = false;
  // a function that did not read all of a body has its connection closed behind the answer
  const end = (whole: boolean) => {
    if (told) return;
    told = true;
    body?.cancel().catch(() => {}); // nobody reads on
    finished(whole && !body);
  };
  try {
    const { status, headers, rest } = await readHead(line);
    const length = headers.get("content-length");
    const isChunked = headers.has("transfer-encoding");
    for (const name of PER_HOP) headers.delete(name);
    if (headers.get("content-encoding") === "identity") headers.delete("content-encoding"); // host.ts says why

    if (asked.method === "HEAD" || status === 204 || status === 304) {
      end(true);
      return new Response(null, { status, headers });
    }
    if (!isChunked && rest.length >= Number(length)) {
      const bytes = rest.slice(); // the buffer is the next answer's
      end(true);
      return new Response(bytes, { status, headers });
    }
    const chunks = isChunked ? unchunked(line, rest.slice()) : counted(line, rest.slice(), Number(length));
    return new Response(ReadableStream.from(untilEnd(chunks, end)), { status, headers });
  } catch (error) {
    end(false);
    throw error;
  }
}

async function send(
  line: Line,
  { method, path, headers }: Asked,
  body: ReadableStreamDefaultReader<Uint8Array> | undefined,
) {
  let head = `${method} ${path} HTTP/1.1\r\n`;
  let hasLength = false;
  for (const [name, value] of headers) {
    if (PER_HOP.has(name)) continue;
    if (name === "content-length") hasLength = true;
    head += `${name}: ${value}\r\n`;
  }
  if (body && !hasLength) head += "transfer-encoding: chunked\r\n";
  await writeAll(line, latin1(`${head}\r\n`));
  if (!body) return;
  for (let chunk; (chunk = (await body.read()).value);) {
    if (!hasLength) await writeAll(line, encoder.encode(`${chunk.length.toString(16)}\r\n`));
    await writeAll(line, chunk);
    if (!hasLength) await writeAll(line, encoder.encode("\r\n"));
  }
  if (!hasLength) await writeAll(line, encoder.encode("0\r\n\r\n"));
}

/** Header values are bytes; each character that a Request shows is one of them. */
function latin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

async function writeAll({ connection }: Line, bytes: Uint8Array) {
  for (let written = 0; written < bytes.length;) written += await connection.write(bytes.subarray(written));
}

async function readHead(line: Line) {
  const { connection, buffer } = line;
  let start = 0;
  for (let size = 0; size < buffer.length;) {
    const read = await (line.firstRead ?? connection.read(buffer.subarray(size)));
    line.firstRead = undefined;
    if (read === null) throw new Error("The functions' process closed the connection");
    size += read;
    for (let end; (end = indexOf(buffer.subarray(0, size), HEAD_END, start)) >= 0; start = end + HEAD_END.length) {
      const [statusLine, ...lines] = decoder.decode(buffer.subarray(start, end)).split("\r\n");
      const status = Number(statusLine.slice(9, 12));
      if (status < 200) continue; // on its way: the answer follows
      const headers = new Headers(lines.map((line): [string, string] => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon), line.slice(colon + 1).trim()];
      }));
      return { status, headers, rest: buffer.subarray(end + HEAD_END.length, size) };
    }
  }
  throw new Error("The head of a function's answer is too long");
}

function indexOf(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(wanted[0], from); at >= 0; at = bytes.indexOf(wanted[0], at + 1)) {
    if (wanted.every((byte, offset) => bytes[at + offset] === byte)) return at;
  }
  return -1;
}

/** Passes chunks on; a reader that leaves before the end makes the line unusable. */
async function* untilEnd(chunks: AsyncGenerator<Uint8Array>, end: (whole: boolean) => void) {
  let whole = false;
  try {
    yield* chunks;
    whole = true;
  } finally {
    end(whole);
  }
}

async function* counted(line: Line, first: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  let left = length - first.length;
  if (first.length) yield first;
  while (left > 0) {
    const chunk = await readSome(line);
    left -= chunk.length;
    yield chunk;
  }
}

async function* unchunked(line: Line, first: Uint8Array): AsyncGenerator<Uint8Array> {
  let bytes = first;
  const more = async () => {
    const read = await readSome(line);
    const joined = new Uint8Array(bytes.length + read.length);
    joined.set(bytes);
    joined.set(read, bytes.length);
    bytes = joined;
  };
  const CRLF = HEAD_END.subarray(0, 2);
  for (;;) {
    let lineEnd;
    while ((lineEnd = indexOf(bytes, CRLF, 0)) < 0) await more();
    let left = Number.parseInt(decoder.decode(bytes.subarray(0, lineEnd)), 16);
    bytes = bytes.subarray(lineEnd + 2);
    const isLast = left === 0;
    while (left > 0) {
      if (!bytes.length) bytes = await readSome(line);
      const part = bytes.subarray(0, left);
      bytes = bytes.subarray(part.length);
      left -= part.length;
      yield part;
    }
    while (bytes.length < 2) await more();
    bytes = bytes.subarray(2);
    if (isLast) return;
  }
}

async function readSome({ connection }: Line): Promise<Uint8Array> {
  const buffer = new Uint8Array(64 * 1024);
  const read = await connection.read(buffer);
  if (read === null) throw new Error("The functions' process closed the connection");
  return buffer.subarray(0, read);
}
