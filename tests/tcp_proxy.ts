// A TCP proxy in front of a database, for tests that cut or pause its connections.

/** Receives what a client sends, before it is forwarded. */
export type Observer = (sent: Uint8Array) => unknown;

export interface TcpProxy extends AsyncDisposable {
  /** The database's URL through the proxy. */
  url: string;
  /** The connections' ports, as pg_stat_activity.client_port shows them. */
  ports(): number[];
  /** Closes all connections. */
  cut(): void;
}

/** `observe` returns the observer of a connection. */
export function startTcpProxy(dbUrl: string, observe: () => Observer): TcpProxy {
  const { hostname, port } = new URL(dbUrl);
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connections = new Map<number, () => void>();
  const forwarding: Promise<unknown>[] = [];
  let isEnding = false;
  const accepting = (async () => {
    for await (const client of listener) forwarding.push(forward(client));
  })();

  async function forward(client: Deno.TcpConn) {
    const server = await Deno.connect({ hostname, port: Number(port) });
    const close = () => {
      if (!connections.delete(server.localAddr.port)) return;
      client.close();
      server.close();
    };
    connections.set(server.localAddr.port, close);
    if (isEnding) close(); // the end came while it was connecting
    await Promise.allSettled([
      pump(client, server, observe()).finally(close),
      pump(server, client, () => {}).finally(close),
    ]);
  }

  const cut = () => {
    for (const close of connections.values()) close();
  };
  return {
    url: Object.assign(new URL(dbUrl), { host: `127.0.0.1:${listener.addr.port}` }).href,
    ports: () => [...connections.keys()],
    cut,
    async [Symbol.asyncDispose]() {
      isEnding = true;
      listener.close();
      cut();
      await accepting;
      await Promise.all(forwarding);
    },
  };
}

async function pump(from: Deno.TcpConn, to: Deno.TcpConn, observer: Observer) {
  const buffer = new Uint8Array(64 * 1024);
  for (let read; (read = await from.read(buffer)) !== null;) {
    await observer(buffer.subarray(0, read));
    for (let written = 0; written < read;) written += await to.write(buffer.subarray(written, read));
  }
}
