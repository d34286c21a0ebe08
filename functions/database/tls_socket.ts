/**
 * An encrypted connection to Postgres, as a socket for the driver. The driver's own upgrade to TLS waits forever on Deno
 * 2.1, whose node:tls cannot take over a socket that has been read; Deno.startTls can.
 */
import { Buffer } from "node:buffer";
import { Duplex } from "node:stream";
import { startTimeLimit } from "../runtime/start_time_limit.ts";

/** https://www.postgresql.org/docs/17/protocol-message-formats.html: its length, and the code of SSLRequest. */
const SSL_REQUEST = new Uint8Array([0, 0, 0, 8, 4, 210, 22, 47]);
const ACCEPTED = 83; // S
const READ_BYTES = 64 * 1024;

/** Connects and verifies the server's certificate and name with these certificates, in PEM. */
export async function connectTls(url: string, certificates: string, timeoutMs: number): Promise<TlsSocket> {
  const { hostname, port } = new URL(url);
  const plain = await Deno.connect({ hostname, port: Number(port || 5432) });
  const clearLimit = startTimeLimit(timeoutMs, () => plain.close()); // which ends the steps below with an error
  try {
    await plain.write(SSL_REQUEST);
    const response = new Uint8Array(1);
    if (await plain.read(response) !== 1 || response[0] !== ACCEPTED) throw new Error("The database offers no TLS");
    const connection = await Deno.startTls(plain, { hostname, caCerts: [certificates] });
    await connection.handshake();
    return new TlsSocket(connection);
  } catch (error) {
    try {
      plain.close();
    } catch {
      // the connection of TLS has taken it over, or the limit has closed it
    }
    const { message, code = "TLS_FAILED" } = error as Error & { code?: string };
    throw Object.assign(new Error(`The database's TLS connection failed: ${message}`, { cause: error }), { code });
  } finally {
    clearLimit();
  }
}

class TlsSocket extends Duplex {
  readonly #connection: Deno.TlsConn;
  readonly #buffer = new Uint8Array(READ_BYTES);

  constructor(connection: Deno.TlsConn) {
    super();
    this.#connection = connection;
  }

  /** As of a socket of node:net; the driver says goodbye only on an open one. */
  get readyState() {
    return this.destroyed || this.writableEnded ? "closed" : "open";
  }

  override _read() {
    this.#connection.read(this.#buffer).then(
      (size) => this.push(size === null ? null : Buffer.from(this.#buffer.subarray(0, size))), // a copy
      (error) => this.destroy(error),
    );
  }

  override _write(chunk: Uint8Array, _encoding: string, done: (error?: Error | null) => void) {
    writeAll(this.#connection, chunk).then(() => done(), done);
  }

  override _final(done: (error?: Error | null) => void) {
    this.destroy();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void) {
    try {
      this.#connection.close();
    } catch {
      // the server has closed it
    }
    done(error);
  }
}

async function writeAll(connection: Deno.TlsConn, bytes: Uint8Array) {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await connection.write(rest));
}
