// A proxy between functions and the stack's storage that fails for a test.
import type { StackInfo } from "../stack.ts";

/** Responds to a request for an object; undefined forwards it. */
export type Fault = (request: Request, forward: () => Promise<Response>) => Response | Promise<Response> | undefined;

export interface StorageProxy extends AsyncDisposable {
  url: string;
  /** Replace it to change the faults. */
  fault: Fault;
}

export function startStorageProxy(at: StackInfo): StorageProxy {
  const proxy: StorageProxy = { url: "", fault: () => undefined, [Symbol.asyncDispose]: () => server.shutdown() };
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen: ({ port }) => proxy.url = `http://127.0.0.1:${port}`,
  }, (request) => {
    const { pathname, search } = new URL(request.url);
    const passOn = () =>
      fetch(at.url + pathname + search, { method: request.method, headers: request.headers, body: request.body });
    return proxy.fault(request, passOn) ?? passOn();
  });
  return proxy;
}
