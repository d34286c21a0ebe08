/** Answers HTTP on a port of this machine until it is closed; idle connections are not waited for. */
export function listen(port: number, answer: Deno.ServeHandler<Deno.NetAddr>): { close(): Promise<void> } {
  const abort = new AbortController();
  const server = Deno.serve({ port, hostname: "127.0.0.1", signal: abort.signal, onListen() {} }, answer);
  return {
    async close() {
      abort.abort();
      await server.finished;
    },
  };
}
