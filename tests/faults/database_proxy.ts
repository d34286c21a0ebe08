// A proxy between functions and the stack's database that cuts connections for a test.
import type { StackInfo } from "../stack.ts";

export interface DatabaseProxy extends AsyncDisposable {
  /** For SUPABASE_DB_URL. */
  url: string;
  /** Called with each message of a client; if it returns true, all connections are cut and the message is lost. */
  cuts: (sent: string) => boolean;
  /** Bytes that the clients have sent. */
  bytes: number;
  /** The connections' ports, as pg_stat_activity.client_port shows them. */
  ports(): number[];
  cut(): void;
}

export function startDatabaseProxy(at: Pick<StackInfo, "dbUrl">): DatabaseProxy {
  const { hostname, port } = new URL(at.dbUrl);
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Map<number, () => void>();
  const proxy: DatabaseProxy = {
    url: Object.assign(new URL(at.dbUrl), { host: `127.0.0.1:${listener.addr.port}` }).href,
    cuts: () => false,
    bytes: 0,
    ports: () => [...open.keys()],
    cut() {
      for (const close of open.values()) close();
    },
    async [Symbol.asyncDispose]() {
      proxy.cut();
      listener.close();
      await accepting;
      await Promise.all(passing);
    },
  };
  const passing: Promise<unknown>[] = [];
  const accepting = (async () => {
    for await (const client of listener) passing.push(pass(client));
  })();
  return proxy;

  async function pass(client: Deno.TcpConn) {
    const server = await Deno.connect({ hostname, port: Number(port) });
    const own = server.localAddr.port;
    open.set(own, () => {
      if (!open.delete(own)) return;
      client.close();
      server.close();
    });
    const close = () => open.get(own)?.();
    await Promise.allSettled([
      pump(client, server, (sent) => {
        proxy.bytes += sent.length;
        if (proxy.cuts(new TextDecoder("latin1").decode(sent))) proxy.cut();
      }).finally(close),
      pump(server, client, () => {}).finally(close),
    ]);
  }
}

async function pump(from: Deno.TcpConn, to: Deno.TcpConn, see: (sent: Uint8Array) => void) {
  const buffer = new Uint8Array(64 * 1024);
  for (let read; (read = await from.read(buffer)) !== null;) {
    see(buffer.subarray(0, read));
    for (let written = 0; written < read;) written += await to.write(buffer.subarray(written, read));
  }
}
