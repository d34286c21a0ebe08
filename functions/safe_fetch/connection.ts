/** Connections: to a checked IP address, with TLS for the requested host. */
import type { IpAddress } from "./ip_address.ts";
import { type Deadline, raceAbort } from "./deadline.ts";
import { FetchError } from "./fetch_error.ts";
import { type Resolve, resolveName } from "./resolve.ts";
import type { Target } from "./target.ts";

/** Name resolution and connections: the runtime's by default, others in tests or with private authorities. */
export interface Network {
  resolve: Resolve;
  /** Connects to an IP address, never to a name. */
  connect(address: string, port: number): Promise<Deno.TcpConn>;
  /** Certificates (PEM) to trust besides the runtime's. */
  caCerts?: string[];
}

export const systemNetwork: Network = {
  resolve: resolveName,
  connect: (hostname, port) => Deno.connect({ hostname, port }),
};

export interface Connection {
  /** The next bytes; null when the peer has closed. With reused buffers they are valid until the next read. */
  read(): Promise<Uint8Array | null>;
  write(bytes: Uint8Array): Promise<void>;
  /** Closes the connection; a pending read fails. The request's deadline also closes it. Repeated calls do nothing. */
  close(): void;
  /** As Date.now(). */
  connectedAt: number;
  /** Ends a request. The result settles when the peer sends or closes, which the next read returns. */
  release(): Promise<unknown>;
  /** Begins another request: its deadline closes the connection. */
  bind(deadline: Deadline): void;
}

/** Long enough for a slow line, short enough to try the next address. */
const CONNECT_TIMEOUT_MS = 5000;

/**
 * Connects to the first address that accepts, in their order. With `reusesBuffers` a read overwrites the previous one.
 */
export async function connect(
  { host, port, url }: Target,
  addresses: IpAddress[],
  network: Network,
  deadline: Deadline,
  reusesBuffers = false,
): Promise<Connection> {
  const conn = await connectToFirst(addresses, port, network, deadline);
  if (url.protocol === "http:") return toConnection(conn, deadline, reusesBuffers);
  try {
    return toConnection(await startTls(conn, host, network, deadline), deadline, reusesBuffers);
  } catch (cause) {
    deadline.signal.throwIfAborted();
    // rustls; a handshake that breaks off may succeed later
    const isLasting = /invalid peer certificate/.test(String(cause));
    throw new FetchError("FETCH_FAILED", `Could not establish a secure connection to ${host}`, { cause, isLasting });
  }
}

async function connectToFirst(addresses: IpAddress[], port: number, network: Network, deadline: Deadline) {
  const causes = [];
  for (const { text } of addresses) {
    const connecting = network.connect(text, port);
    const connectLimit = new AbortController();
    const timer = setTimeout(() => connectLimit.abort(new Error("no response")), CONNECT_TIMEOUT_MS);
    try {
      const conn = await deadline.race(raceAbort(connecting, connectLimit.signal));
      conn.setNoDelay(); // send a small body before its head is acknowledged
      return conn;
    } catch (cause) {
      connecting.then((late) => late.close(), () => {}); // Deno 2.1 cannot cancel a connect
      deadline.signal.throwIfAborted();
      causes.push(new Error(text, { cause }));
    } finally {
      clearTimeout(timer);
    }
  }
  throw new FetchError("FETCH_FAILED", "Could not connect to the server", {
    cause: new AggregateError(causes, causes.map(({ message, cause }) => `${message}: ${cause}`).join("; ")),
  });
}

/**
 * The certificate must match the requested host, not the IP address that was connected to. Deno 2.1 ends an abandoned
 * handshake only when the peer closes; the socket stays unused until then.
 */
async function startTls(conn: Deno.TcpConn, hostname: string, { caCerts }: Network, { race }: Deadline) {
  let open: { close(): void } = conn;
  try {
    const secure = await Deno.startTls(conn, { hostname, caCerts, alpnProtocols: ["http/1.1"] });
    open = secure;
    await race(secure.handshake());
    return secure;
  } catch (error) {
    open.close();
    throw error;
  }
}

const BLOCK_BYTES = 65_536;
/** A reused block that a read filled becomes this long: each read leaves garbage, and large files have thousands. */
const LONG_BLOCK_BYTES = 262_144;
/** A block with less free space is replaced before the next read. */
const MIN_READ_BYTES = 4096;

function toConnection(conn: Deno.Conn, deadline: Deadline, reusesBuffers: boolean): Connection {
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    unbind();
    conn.close();
  };
  let unbind = () => {};
  const bind = ({ signal }: Deadline) => {
    signal.addEventListener("abort", close);
    unbind = () => signal.removeEventListener("abort", close);
  };
  bind(deadline);

  // Reads fill a block one after another, so that nothing is copied and small reads share memory
  let block = new Uint8Array();
  async function readBlock() {
    if (block.length < MIN_READ_BYTES) block = new Uint8Array(BLOCK_BYTES);
    let size: number | null;
    try {
      size = await conn.read(block);
    } catch (cause) {
      throw new FetchError("FETCH_FAILED", "The connection was lost before the response was complete", { cause });
    }
    if (size === null) return null;
    const bytes = block.subarray(0, size);
    if (!reusesBuffers) block = block.subarray(size);
    else if (size === block.length && size < LONG_BLOCK_BYTES) block = new Uint8Array(LONG_BLOCK_BYTES);
    return bytes;
  }

  let nextRead: Promise<Uint8Array | null> | undefined;
  return {
    read() {
      const reading = nextRead ?? readBlock();
      nextRead = undefined;
      return reading;
    },
    async write(bytes) {
      for (let written = 0; written < bytes.length;) written += await conn.write(bytes.subarray(written));
    },
    close,
    connectedAt: Date.now(),
    release() {
      unbind();
      block = new Uint8Array(); // the reader may still have the last bytes
      return nextRead = readBlock();
    },
    bind,
  };
}
