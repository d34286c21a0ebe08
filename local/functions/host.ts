// The process in which the edge functions run, in place of the platform's Edge Runtime. Only the gateway calls it.
// argv[0] is the list of functions as JSON. Prints the port in a line. SIGTERM ends it.
import { format } from "node:util";
import type { EdgeFunction } from "../host/project.ts";
import { type Handler, loadHandler } from "./entry_points.ts";

const OUTPUT_DELAY_MS = 10;
const ANY_PAGE = { "access-control-allow-origin": "*" };

collectOutput();
const functions: EdgeFunction[] = JSON.parse(Deno.args[0]);
const handlers = new Map<string, Handler>();
for (const edgeFunction of functions) handlers.set(edgeFunction.name, await load(edgeFunction));

const server = Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => Deno.stdout.writeSync(new TextEncoder().encode(`listening on ${port}\n`)),
}, respond);
for (const signal of ["SIGINT", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, () => {}); // a terminal sends them to all its processes; the stack decides when this one ends
}
await new Promise<void>((resolve) => Deno.addSignalListener("SIGTERM", resolve));
setTimeout(() => Deno.exit(0), 5000); // the time limit of requests in flight
await server.shutdown();
Deno.exit(0);

/**
 * Writes what functions print to the terminal in batches, because a write per line costs as much as the routing of a request.
 * The platform also collects the output outside of requests.
 */
function collectOutput() {
  const { error: print } = console;
  let output = "";
  console.log =
    console.info =
    console.debug =
    console.warn =
    console.error =
      (...data: unknown[]) => {
        if (output === "") setTimeout(write, OUTPUT_DELAY_MS);
        output += `${format(...data)}\n`;
      };
  function write() {
    if (output) print(output.slice(0, -1));
    output = "";
  }
  for (const end of ["error", "unhandledrejection", "unload"]) addEventListener(end, write);
}

async function load({ name, entrypoint }: EdgeFunction): Promise<Handler> {
  try {
    return await loadHandler(entrypoint);
  } catch (error) {
    console.error(`Function ${name} failed to start:`, error);
    const body = { code: "BOOT_ERROR", message: "Function failed to start (please check logs)" };
    return () => Response.json(body, { status: 503, headers: ANY_PAGE });
  }
}

async function respond(request: Request): Promise<Response> {
  const name = /^http:\/\/[^/]*\/([^/?]*)/.exec(request.url)?.[1] ?? "";
  try {
    const handler = handlers.get(name);
    if (!handler) return new Response("Requested function was not found", { status: 404 }); // an odd Host moved the path
    return preventCompression(await handler(request));
  } catch (error) {
    console.error(`Function ${name}:`, error);
    const body = { code: "WORKER_ERROR", message: "Function exited due to an error (please check logs)" };
    return Response.json(body, { status: 500, headers: ANY_PAGE });
  }
}

/** Deno.serve would compress the body and drop its length; the platform's runtime does neither. */
function preventCompression(response: Response): Response {
  if (response.headers.has("content-encoding")) return response;
  try {
    response.headers.set("content-encoding", "identity");
    return response;
  } catch { // the headers of a fetched response are immutable
    const headers = new Headers(response.headers);
    headers.set("content-encoding", "identity");
    return new Response(response.body, { status: response.status, headers });
  }
}
