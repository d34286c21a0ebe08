// An HTTP server of a test's own on the loopback interface.
import { listen } from "../local/listen.ts";

export interface HttpServer extends AsyncDisposable {
  url: string;
}

/** Ends with its scope, and closes its connections, also those whose response a failed test waits for. */
export function startHttpServer(handler: Deno.ServeHandler<Deno.NetAddr>): HttpServer {
  const { port, close } = listen(0, handler);
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close };
}
