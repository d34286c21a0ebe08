// A server on the loopback interface that sends exactly the bytes of a test.
import { atMost } from "../wait_for.ts";

export interface Visit {
  /** The head of the request, with the bytes of its body that arrived with it. */
  request: string;
  send(data: string | Uint8Array): Promise<void>;
  /** The next bytes of the client; null once it has closed. */
  receive(): Promise<string | null>;
  /** Resolves when the client has closed. */
  left(): Promise<void>;
  close(): void;
  /** Tells the client that nothing follows. */
  end(): Promise<void>;
}

export interface Peer extends AsyncDisposable {
  /** `127.0.0.1:port`, an entry of allowedHosts. */
  host: string;
  port: number;
  url: string;
  /** The heads of the requests, in order. */
  requests: string[];
  /** Number of connections on which a request arrived. */
  connections: number;
}

interface Listening {
  hostname?: string;
  /** Certificate and key for TLS, in PEM. */
  tls?: { cert: string; key: string };
  /** Responds to each request of a connection, and closes it when the client has. */
  keepsConnections?: boolean;
}

/** Sends `response`, or runs it, for each connection, then closes the connection. */
export function startPeer(
  response: string | ((visit: Visit) => Promise<unknown> | unknown),
  { hostname = "127.0.0.1", tls, keepsConnections = false }: Listening = {},
): Peer {
  const listener = tls ? Deno.listenTls({ hostname, port: 0, ...tls }) : Deno.listen({ hostname, port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const requests: string[] = [];
  const visits: Promise<void>[] = [];
  const open = new Set<Deno.Conn>();
  const respond = typeof response === "string" ? ({ send }: Visit) => send(response) : response;

  async function serve(conn: Deno.Conn) {
    open.add(conn);
    const close = () => void (open.delete(conn) && conn.close());
    try {
      for (let isFirst = true; isFirst || keepsConnections; isFirst = false) {
        const visit = await visitOn(conn, close);
        if (!visit) return;
        if (isFirst) peer.connections++;
        requests.push(visit.request);
        await respond(visit);
      }
    } catch (error) {
      // A client may disconnect at any time; other errors are bugs of the test
      if (!(error instanceof Deno.errors.BrokenPipe || error instanceof Deno.errors.ConnectionReset)) throw error;
    } finally {
      close();
    }
  }

  const accepting = (async () => {
    for await (const conn of listener) {
      const visit = serve(conn);
      visit.catch(() => {}); // reported at the end
      visits.push(visit);
    }
  })();

  const peer: Peer = {
    host: `${hostname}:${port}`,
    port,
    url: `${tls ? "https" : "http"}://${hostname}:${port}/`,
    requests,
    connections: 0,
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      // A client that keeps a connection closes it when its peer does
      if (keepsConnections) { for (const conn of open) conn.closeWrite().catch(() => {}); }
      try {
        await atMost(5, Promise.all(visits));
      } finally {
        for (const conn of open) conn.close();
        open.clear();
      }
    },
  };
  return peer;
}

async function visitOn(conn: Deno.Conn, close: () => void): Promise<Visit | undefined> {
  const buffer = new Uint8Array(65_536);
  const receive = async () => {
    const size = await conn.read(buffer).catch(() => null); // TLS that ends without a word, or a reset
    return size === null ? null : new TextDecoder().decode(buffer.subarray(0, size));
  };
  let request = "";
  while (!request.includes("\r\n\r\n")) {
    const more = await receive();
    if (more === null) return;
    request += more;
  }
  return {
    request,
    receive,
    async send(data) {
      const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
      for (let sent = 0; sent < bytes.length;) sent += await conn.write(bytes.subarray(sent));
    },
    async left() {
      while (await receive() !== null);
    },
    close,
    end: () => conn.closeWrite(),
  };
}
