/** Serves HTTP on a port of the loopback interface. `close` does not wait for idle connections. */
export function listen(port: number, handler: Deno.ServeHandler<Deno.NetAddr>): { close(): Promise<void> } {
  const abort = new AbortController();
  const server = Deno.serve({ port, hostname: "127.0.0.1", signal: abort.signal, onListen() {} }, handler);
  return {
    async close() {
      abort.abort();
      await server.finished;
    },
  };
}
