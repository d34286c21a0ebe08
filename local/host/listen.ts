interface Listening {
  port: number;
  /** Closes all connections at once. */
  close(): Promise<void>;
}

/**
 * Serves HTTP on a port of the loopback interface; 0 is any free one. Deno's own `shutdown()` would wait for connections
 * that have not sent a request, and fetch keeps such connections for up to three minutes. Deno builds a request's URL
 * from its Host header unchecked: if no URL comes of it, the response is 400.
 */
export function listen(port: number, handler: Deno.ServeHandler<Deno.NetAddr>): Listening {
  const abort = new AbortController();
  const server = Deno.serve(
    { port, hostname: "127.0.0.1", signal: abort.signal, onListen() {} },
    (request, info) =>
      URL.canParse(request.url) ? handler(request, info) : new Response("Invalid Host header", { status: 400 }),
  );
  return {
    port: server.addr.port,
    async close() {
      abort.abort();
      await server.finished;
    },
  };
}
