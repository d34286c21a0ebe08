// The process in which the edge functions run: what the platform's Edge Runtime is to them. Only the gateway calls it.
// argv[0] is the list of functions as JSON; a line on stdout says the port; SIGTERM ends it.
import type { EdgeFunction } from "../project.ts";

const ANY_PAGE = { "access-control-allow-origin": "*" };

type Handler = (request: Request) => Response | Promise<Response>;

// What functions print goes straight to the terminal: handing every line on costs our parent half a request
console.log = console.info = console.debug = console.error;
const functions: EdgeFunction[] = JSON.parse(Deno.args[0]);
const handlers = new Map(
  await Promise.all(functions.map(async (fn): Promise<[string, Handler]> => [fn.name, await load(fn)])),
);

const server = Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => Deno.stdout.writeSync(new TextEncoder().encode(`listening on ${port}\n`)),
}, answer);
for (const signal of ["SIGINT", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, () => {}); // a terminal sends them to all its processes: the stack says when to end
}
await new Promise<void>((resolve) => Deno.addSignalListener("SIGTERM", resolve));
setTimeout(() => Deno.exit(0), 5000); // requests in flight get so long to end
await server.shutdown();
Deno.exit(0);

async function load({ name, entrypoint }: EdgeFunction): Promise<Handler> {
  try {
    const { fetch } = (await import(`file://${entrypoint}`)).default;
    return (request) => fetch(request); // with the one argument that the platform gives
  } catch (error) {
    console.error(`Function ${name} failed to start:`, error);
    const refusal = { code: "BOOT_ERROR", message: "Function failed to start (please check logs)" };
    return () => Response.json(refusal, { status: 503, headers: ANY_PAGE });
  }
}

async function answer(request: Request): Promise<Response> {
  const name = /^\/([^/?]*)/.exec(request.url.slice(request.url.indexOf("/", "http://".length)))![1];
  try {
    return unpacked(await handlers.get(name)!(request));
  } catch (error) {
    console.error(`Function ${name}:`, error);
    const refusal = { code: "WORKER_ERROR", message: "Function exited due to an error (please check logs)" };
    return Response.json(refusal, { status: 500, headers: ANY_PAGE });
  }
}

/** Deno.serve would pack what is not packed yet, and lose its length; the platform's runtime leaves it alone. */
function unpacked(response: Response): Response {
  if (response.headers.has("content-encoding")) return response;
  try {
    response.headers.set("content-encoding", "identity");
    return response;
  } catch { // the headers of an answer that a function fetched elsewhere
    const headers = new Headers(response.headers);
    headers.set("content-encoding", "identity");
    return new Response(response.body, { status: response.status, headers });
  }
}
