// A host with a feed and enclosures that misbehaves as the test demands. Bytes are generated while they are sent.
import { Buffer } from "node:buffer";

/** The response to a request. */
export interface Behavior {
  /** Default 200, or 206 for ranges. */
  status?: number;
  headers?: Record<string, string>;
  body?: Uint8Array | File;
  /** Stops after so many bytes of the body. */
  cut?: number;
  /** After a cut: the connection is closed, reset, or idle until the client leaves. */
  then?: "close" | "reset" | "stall";
  /** Without Content-Length; the connection's end is the body's end. */
  omitsLength?: boolean;
  /** As one HTTP chunk, which a cut may truncate. */
  chunked?: boolean;
  /** Ignores ranges. */
  ignoresRanges?: boolean;
  /** Does not announce ranges. */
  hidesRanges?: boolean;
  /** Ignores If-Range. */
  ignoresIfRange?: boolean;
  /** Declares the range but sends the whole file. */
  sendsWholeAsRange?: boolean;
}

/** A file of any length. */
export interface File {
  size: number;
  /** Bytes from this offset, as many as are available. */
  from(at: number): Uint8Array;
}

export interface SourceRequest {
  path: string;
  headers: Headers;
  /** Number of earlier requests for this path. */
  before: number;
}

export interface Source extends AsyncDisposable {
  /** `127.0.0.1:port`, a value for fetch_allowed_hosts. */
  host: string;
  url: string;
  requests: { path: string; range: string | null; sent: number }[];
  /** Highest number of concurrent requests. */
  maxConcurrent: number;
  /** Closes all connections, also stalled ones. */
  release(): void;
}

export function startSource(behave: (request: SourceRequest) => Behavior): Source {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const requests: Source["requests"] = [], open = new Set<Deno.Conn>(), serving = new Set<Promise<void>>();
  let underway = 0;

  const source: Source = {
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}/`,
    requests,
    maxConcurrent: 0,
    release() {
      for (const conn of open) close(conn);
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      source.release();
      await accepting;
      await Promise.all(serving);
    },
  };

  const accepting = (async () => {
    for await (const conn of listener) {
      conn.setNoDelay(); // a body follows its head at once
      open.add(conn);
      const served = serve(conn).catch(ignoreDisconnect).finally(() => {
        open.delete(conn);
        close(conn);
      });
      serving.add(served);
      served.finally(() => serving.delete(served));
    }
  })();

  async function serve(conn: Deno.Conn) {
    for (let head, isKept = true; isKept && (head = await readHead(conn));) {
      source.maxConcurrent = Math.max(source.maxConcurrent, ++underway);
      isKept = await respond(conn, head).finally(() => underway--);
    }
  }

  /** Returns whether another request can follow on the connection. */
  async function respond(conn: Deno.Conn, head: Omit<SourceRequest, "before">): Promise<boolean> {
    const before = requests.filter(({ path }) => path === head.path).length;
    const log = { path: head.path, range: head.headers.get("range"), sent: 0 };
    requests.push(log);
    const manner = behave({ ...head, before });
    const { headers = {}, body = new Uint8Array(), cut = Infinity, omitsLength, chunked } = manner;
    const size = body instanceof Uint8Array ? body.length : body.size;
    const { from: rangeStart, status } = responseRange(head.headers, manner, size);
    const from = manner.sendsWholeAsRange ? 0 : rangeStart;
    const lines = [`HTTP/1.1 ${status} So`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
    if (!manner.ignoresRanges && !manner.hidesRanges) lines.push("accept-ranges: bytes");
    if (status === 206) lines.push(`content-range: bytes ${rangeStart}-${size - 1}/${size}`);
    if (chunked) lines.push("transfer-encoding: chunked");
    else if (!omitsLength) lines.push(`content-length: ${size - from}`);
    lines.push("", chunked ? `${(size - from).toString(16)}\r\n` : "");
    await write(conn, new TextEncoder().encode(lines.join("\r\n")));
    for (let at = from; at < size && log.sent < cut;) {
      const piece = body instanceof Uint8Array ? body.subarray(at) : body.from(at);
      const part = piece.subarray(0, Math.min(cut - log.sent, size - at));
      await write(conn, part);
      log.sent += part.length;
      at += part.length;
    }
    if (cut === Infinity && !omitsLength && !chunked) return true;
    if (manner.then === "stall") { while (await conn.read(new Uint8Array(1024)) !== null); }
    // readHead left a byte unread, so closing now resets the connection
    if (manner.then !== "reset") await conn.read(new Uint8Array(1024));
    return false;
  }

  return source;
}

/** Reads a request's head except its last byte, which may precede the next one. */
async function readHead(conn: Deno.Conn) {
  let text = "";
  for (const byte = new Uint8Array(1); !text.endsWith("\r\n\r");) {
    if (await conn.read(byte) === null) return;
    text += String.fromCharCode(byte[0]);
  }
  const [first, ...lines] = text.trim().split("\r\n");
  const headers = new Headers(lines.map((line) => line.split(/: (.*)/, 2) as [string, string]));
  return { path: first.split(" ")[1], headers };
}

/** Offset and status of the response: a range applies if If-Range matches the file. */
function responseRange(
  requestHeaders: Headers,
  { status = 200, ignoresRanges, ignoresIfRange, headers = {} }: Behavior,
  size: number,
) {
  const from = Number(/^bytes=(\d+)-$/.exec(requestHeaders.get("range") ?? "")?.[1] ?? 0);
  const condition = requestHeaders.get("if-range");
  if (status !== 200 || ignoresRanges || !from || from >= size) return { from: 0, status };
  return !ignoresIfRange && condition !== null && condition !== headers.etag
    ? { from: 0, status }
    : { from, status: 206 };
}

async function write(conn: Deno.Conn, bytes: Uint8Array) {
  for (let sent = 0; sent < bytes.length;) sent += await conn.write(bytes.subarray(sent));
}

function close(conn: Deno.Conn) {
  try {
    conn.close();
  } catch {
    // already closed
  }
}

function ignoreDisconnect(error: unknown) {
  const { BrokenPipe, ConnectionReset, BadResource, Interrupted } = Deno.errors;
  if (![BrokenPipe, ConnectionReset, BadResource, Interrupted].some((kind) => error instanceof kind)) throw error;
}

const FRAME = 417; // of MPEG 1 layer III at 128 kbit/s and 44.1 kHz
const FRAMES_PER_READ = 628;

/** MP3 of this length; each frame contains its number. */
export function mp3(size: number, seed = 0): File {
  return {
    size,
    from(at) {
      const first = Math.floor(at / FRAME), bytes = Buffer.alloc(FRAME * FRAMES_PER_READ, seed % 128);
      for (let frame = 0; frame < FRAMES_PER_READ; frame++) {
        bytes.writeUInt32BE(0xfffb9000, frame * FRAME);
        bytes.writeUInt32BE(first + frame, frame * FRAME + 4);
      }
      return bytes.subarray(at - first * FRAME, Math.min(bytes.length, at - first * FRAME + size - at));
    },
  };
}

/** All bytes of a short file. */
export const allBytes = (file: File) => new Uint8Array(file.from(0));

export interface FeedEpisode {
  guid: string;
  /** URL of the audio, relative to the source. */
  audio: string;
  /** Additional elements. */
  more?: string;
}

/** A feed with these episodes, newest first; `channel` is further channel XML. */
export function renderFeed(items: FeedEpisode[], url: string, channel = ""): Uint8Array {
  const written = items.map(({ guid, audio, more = "" }, n) => `
<item><guid isPermaLink="false">${guid}</guid><title>Title of ${guid}</title>
<pubDate>${new Date(Date.UTC(2024, 0, 1) - n * 86_400_000).toUTCString()}</pubDate>
<enclosure url="${new URL(audio, url).href}" length="1000" type="audio/mpeg"/>${more}</item>`);
  return new TextEncoder().encode(`<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
 xmlns:podcast="https://podcastindex.org/namespace/1.0"
 xmlns:psc="http://podlove.org/simple-chapters"><channel><title>Moving house</title>${channel}${
    written.join("")
  }</channel></rss>`);
}
