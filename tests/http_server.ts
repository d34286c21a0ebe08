// An HTTP server of a test's own on the loopback interface.
import { atMost } from "./wait_for.ts";

export interface HttpServer extends AsyncDisposable {
  url: string;
}

/** Ends with its scope. A response that still waits for a failed test is ended after some seconds. */
export function startHttpServer(handler: (request: Request) => Response | Promise<Response>): HttpServer {
  const ending = Promise.withResolvers<void>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const ended = ending.promise.then(() => new Response(null, { status: 503 }));
    return Promise.race([handler(request), ended]);
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    async [Symbol.asyncDispose]() {
      const closed = server.shutdown();
      await atMost(5, closed);
      ending.resolve();
      await closed;
    },
  };
}
