// The process in which the edge functions run: what the platform's Edge Runtime is to them. Only the gateway calls it.
// argv[0] is the list of functions as JSON; a line on stdout says the port; it ends when its stdin does.
import type { EdgeFunction } from "../project.ts";

type Handler = (request: Request) => Response | Promise<Response>;

const functions: EdgeFunction[] = JSON.parse(Deno.args[0]);
const handlers = new Map(
  await Promise.all(functions.map(async (fn): Promise<[string, Handler]> => [fn.name, await load(fn)])),
);

const server = Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => console.log(`listening on ${port}`),
}, answer);
for await (const _ of Deno.stdin.readable);
setTimeout(() => Deno.exit(0), 5000); // requests in flight get so long to end
await server.shutdown();
Deno.exit(0);

async function load({ name, entrypoint }: EdgeFunction): Promise<Handler> {
  try {
    const { fetch } = (await import(`file://${entrypoint}`)).default;
    return (request) => fetch(request);
  } catch (error) {
    console.error(`Function ${name} failed to start:`, error);
    const refusal = { code: "BOOT_ERROR", message: "Function failed to start (please check logs)" };
    return () => Response.json(refusal, { status: 503 });
  }
}

async function answer(request: Request): Promise<Response> {
  const start = request.url.indexOf("/", "http://".length) + 1;
  const name = /[^/?]*/.exec(request.url.slice(start))![0];
  try {
    return forGateway(await handlers.get(name)!(withLength(request)));
  } catch (error) {
    console.error(`Function ${name}:`, error);
    return Response.json({ code: "WORKER_ERROR", message: "Function exited due to an error (please check logs)" }, {
      status: 500,
    });
  }
}

/** A streamed body travels to us in chunks: the length that the client declared is handed over beside it. */
function withLength(request: Request): Request {
  const length = request.headers.get("x-gateway-content-length");
  if (length === null) return request;
  const headers = new Headers(request.headers);
  headers.delete("x-gateway-content-length");
  headers.set("content-length", length);
  return new Request(request, { headers });
}

/** Names the encoding otherwise on this hop: fetch would unpack the body, and Deno.serve would pack one of its own. */
function forGateway(response: Response): Response {
  const encoding = response.headers.get("content-encoding");
  const marked = isMutable(response) ? response : new Response(response.body, response);
  if (encoding !== null) marked.headers.set("x-gateway-content-encoding", encoding);
  marked.headers.set("content-encoding", "identity");
  return marked;
}

/** The headers of a response that came from fetch cannot be changed. */
function isMutable({ headers }: Response): boolean {
  try {
    headers.delete("x-gateway-content-encoding");
    return true;
  } catch {
    return false;
  }
}
