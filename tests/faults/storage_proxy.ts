// A proxy between functions and the stack's storage that fails for a test.
import { startHttpServer } from "../http_server.ts";
import type { StackInfo } from "../stack.ts";

/** Responds to a request for an object; undefined forwards it. */
export type Fault = (request: Request, forward: () => Promise<Response>) => Response | Promise<Response> | undefined;

export interface StorageProxy extends AsyncDisposable {
  url: string;
  /** Replace it to change the faults. */
  fault: Fault;
}

export function startStorageProxy(at: StackInfo): StorageProxy {
  const server = startHttpServer((request) => {
    const { pathname, search } = new URL(request.url);
    const forward = () =>
      fetch(at.url + pathname + search, { method: request.method, headers: request.headers, body: request.body });
    return proxy.fault(request, forward) ?? forward();
  });
  const proxy: StorageProxy = { ...server, fault: () => undefined };
  return proxy;
}
