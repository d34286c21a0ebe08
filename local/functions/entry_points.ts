// How a module declares its function: `export default { fetch }`, Deno.serve, or the `serve` of Deno's old standard
// library, which listens itself. The last two are redirected here while the module loads.

export type Handler = (request: Request) => Response | Promise<Response>;

type ServeHandler = (request: Request, info: object) => Response | Promise<Response>;

const LOCAL = { transport: "tcp", hostname: "127.0.0.1", port: 0 } as const;
const never = new Promise<never>(() => {});

/** Loads a module and returns its handler. Call it for one module at a time. */
export async function loadHandler(entrypoint: string): Promise<Handler> {
  let served: ServeHandler | undefined;
  const real = { serve: Deno.serve, listen: Deno.listen };
  Object.assign(Deno, {
    serve(...args: unknown[]) {
      served = args.find((arg) => typeof arg === "function") as ServeHandler ??
        (args[0] as { handler?: ServeHandler })?.handler;
      return { finished: never, addr: LOCAL, ref() {}, unref() {}, shutdown: () => never };
    },
    listen() {
      const listener = createListener();
      served = listener.handle;
      return listener;
    },
  });
  try {
    const { default: exported } = await import(`file://${entrypoint}`);
    if (typeof exported?.fetch === "function") return (request) => exported.fetch(request); // with one argument
  } finally {
    Object.assign(Deno, real);
  }
  if (!served) throw new Error("The module neither exports default { fetch } nor calls Deno.serve while it loads");
  const handle = served;
  return (request) => handle(request, { remoteAddr: LOCAL, completed: never });
}

interface Connection {
  localAddr: object;
  remoteAddr: object;
  next?: { request: Request; respondWith(response: Response | Promise<Response>): Promise<void> };
}

/** A listener whose connections are the requests of the host, each with one request. */
function createListener() {
  const waiting: ((connection: Connection) => void)[] = [];
  const queue: Connection[] = [];
  Object.assign(Deno, {
    serveHttp: (connection: Connection) => ({
      nextRequest() {
        const { next } = connection;
        connection.next = undefined;
        return Promise.resolve(next ?? null);
      },
      close() {},
    }),
  });
  return {
    addr: LOCAL,
    accept: () => new Promise<Connection>((resolve) => queue.length ? resolve(queue.shift()!) : waiting.push(resolve)),
    close() {},
    handle: (request: Request) =>
      new Promise<Response>((resolve, reject) => {
        const respondWith = (response: Response | Promise<Response>) => Promise.resolve(response).then(resolve, reject);
        const connection = { localAddr: LOCAL, remoteAddr: LOCAL, next: { request, respondWith } };
        const accept = waiting.shift();
        if (accept) accept(connection);
        else queue.push(connection);
      }),
  };
}
