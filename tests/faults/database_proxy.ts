// A proxy between functions and the stack's database that cuts connections for a test.
import type { StackInfo } from "../stack.ts";
import { startTcpProxy, type TcpProxy } from "../tcp_proxy.ts";

export interface DatabaseProxy extends TcpProxy {
  /** Called with each message of a client; if it returns true, all connections are cut and the message is lost. */
  cuts: (sent: string) => boolean;
  /** Bytes that the clients have sent. */
  bytes: number;
}

export function startDatabaseProxy(at: Pick<StackInfo, "dbUrl">): DatabaseProxy {
  const tcp = startTcpProxy(at.dbUrl, () => (sent) => {
    proxy.bytes += sent.length;
    if (proxy.cuts(new TextDecoder("latin1").decode(sent))) proxy.cut();
  });
  const proxy: DatabaseProxy = { ...tcp, cuts: () => false, bytes: 0 };
  return proxy;
}
