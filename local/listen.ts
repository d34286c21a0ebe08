export interface Listening {
  port: number;
  /** Closes all connections at once. */
  close(): Promise<void>;
}

/**
 * Serves HTTP on a port of the loopback interface; 0 is any free one. Deno's own `shutdown()` would wait for connections
 * that have not sent a request, and fetch keeps such connections for up to three minutes.
 */
export function listen(port: number, handler: Deno.ServeHandler<Deno.NetAddr>): Listening {
  const abort = new AbortController();
  const server = Deno.serve({ port, hostname: "127.0.0.1", signal: abort.signal, onListen() {} }, handler);
  return {
    port: server.addr.port,
    async close() {
      abort.abort();
      await server.finished;
    },
  };
}
