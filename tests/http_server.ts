// An HTTP server of a test's own on the loopback interface.
import { listen } from "../local/host/listen.ts";
import { atMost } from "./wait_for.ts";

export interface HttpServer extends AsyncDisposable {
  url: string;
}

/** Ends with its scope, after the requests in flight; those that still wait for a failed test end after some seconds. */
export function startHttpServer(handler: Deno.ServeHandler<Deno.NetAddr>): HttpServer {
  const inFlight = new Set<Promise<unknown>>();
  const { port, close } = listen(0, (request, info) => {
    const completed = info.completed.catch(() => {}); // the client left
    inFlight.add(completed);
    completed.then(() => inFlight.delete(completed));
    return handler(request, info);
  });
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      await atMost(5, Promise.all(inFlight));
      await close();
    },
  };
}

/** A response whose body is cut off: the client cannot know whether the request was executed. */
export const cutOff = () =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"id":'));
        controller.error(new Error("the connection is lost"));
      },
    }),
    { headers: { "content-type": "application/json" } },
  );
