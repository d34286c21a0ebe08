/** One connection for one request: to an address that was checked, with TLS for the name that was asked for. */
import type { IpAddress } from "./ip_address.ts";
import { type Deadline, raceAbort } from "./deadline.ts";
import { FetchError } from "./fetch_error.ts";
import { type Resolve, resolveName } from "./resolve.ts";
import type { Target } from "./target.ts";

/** The way out. The runtime's own by default; another one for tests, or for an installation with its own authorities. */
export interface Network {
  resolve: Resolve;
  /** Connects to an IP address, never to a name. */
  connect(address: string, port: number): Promise<Deno.TcpConn>;
  /** Certificates (PEM) that are trusted besides the runtime's. */
  caCerts?: string[];
}

export const systemNetwork: Network = {
  resolve: resolveName,
  connect: (hostname, port) => Deno.connect({ hostname, port }),
};

export interface Connection {
  /** The next bytes, which are the caller's to change, and to keep unless they are lent; null when the peer has closed. */
  read(): Promise<Uint8Array | null>;
  write(bytes: Uint8Array): Promise<void>;
  /** May be called more than once; also done when the deadline ends. A read that waits fails. */
  close(): void;
}

/** Long enough for a slow line, short enough to try the next address. Milliseconds. */
const CONNECT_TIMEOUT_MS = 5000;

/** Connects to the first of the addresses that takes us, in their order. `isLent`: each read takes back what the one before gave. */
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
    throw new FetchError("FETCH_FAILED", `No secure connection to ${host} is possible`, { cause });
  }
}

async function connectToFirst(addresses: IpAddress[], port: number, network: Network, deadline: Deadline) {
  const causes = [];
  for (const { text } of addresses) {
    const connecting = network.connect(text, port);
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(new Error("no answer")), CONNECT_TIMEOUT_MS);
    try {
      const conn = await deadline.race(raceAbort(connecting, patience.signal));
      conn.setNoDelay(); // a small body does not wait until its head is acknowledged
      return conn;
    } catch (cause) {
      connecting.then((late) => late.close(), () => {}); // Deno 2.1 cannot take a connect back
      deadline.signal.throwIfAborted();
      causes.push(new Error(text, { cause }));
    } finally {
      clearTimeout(timer);
    }
  }
  throw new FetchError("FETCH_FAILED", "The address cannot be reached", { cause: new AggregateError(causes) });
}

/**
 * The certificate must be one for the host that was asked for, name or address, whatever was connected to. A handshake
 * that is given up here is given up by Deno 2.1 only when the peer closes: until then the socket stays, unused.
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
/** A read into less than this is not worth it. */
const MIN_READ_BYTES = 4096;

function toConnection(conn: Deno.Conn, { signal }: Deadline, reusesBuffers: boolean): Connection {
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    signal.removeEventListener("abort", close);
    conn.close();
  };
  signal.addEventListener("abort", close);

  // Each read goes to a place of its own, so that nothing is copied and small reads share their memory
  let block = new Uint8Array();
  return {
    async read() {
      if (block.length < MIN_READ_BYTES) block = new Uint8Array(BLOCK_BYTES);
      let size: number | null;
      try {
        size = await conn.read(block);
      } catch (cause) {
        throw new FetchError("FETCH_FAILED", "The connection broke before all of the answer was there", { cause });
      }
      if (size === null) return null;
      const bytes = block.subarray(0, size);
      if (!reusesBuffers) block = block.subarray(size);
      return bytes;
    },
    async write(bytes) {
      for (let written = 0; written < bytes.length;) written += await conn.write(bytes.subarray(written));
    },
    close,
  };
}
