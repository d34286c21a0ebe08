// /functions/v1: hands requests to the process of the edge functions and streams both bodies.
import type { Project } from "../project.ts";
import { keepFunctions } from "./keep.ts";

export interface Functions {
  fetch(request: Request): Promise<Response>;
  /** Resolves when they answer, or when it is known that they do not. */
  started: Promise<unknown>;
  close(): Promise<void>;
}

const PREFIX = "/functions/v1/";

export function createFunctions(
  project: Project,
  env: Record<string, string>,
  options: { watch?: boolean },
): Functions {
  const known = new Set(project.functions.map(({ name }) => name));
  const kept = keepFunctions(project, env, options);

  return {
    started: kept.port(),
    close: kept.close,
    async fetch(request) {
      const path = request.url.slice(request.url.indexOf(PREFIX, "http://".length) + PREFIX.length);
      const name = /^[^/?]*/.exec(path)![0];
      if (!known.has(name)) return refusal(404, "NOT_FOUND", "Requested function was not found");
      const port = await kept.port();
      if (port === undefined) return refusal(503, "BOOT_ERROR", "Function failed to start (please check logs)");
      try {
        return forClient(await fetch(`http://127.0.0.1:${port}/${path}`, forHost(request)));
      } catch (error) {
        if (request.signal.aborted) return new Response(null, { status: 499 }); // nobody is there to read it
        console.error(`Function ${name}:`, error);
        return refusal(500, "WORKER_ERROR", "Function exited due to an error (please check logs)");
      }
    },
  };
}

function forHost(request: Request): RequestInit {
  const headers = new Headers(request.headers);
  headers.delete("host");
  // fetch would otherwise ask for encodings that the client may not understand
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "identity");
  const length = headers.get("content-length");
  if (length !== null) headers.set("x-gateway-content-length", length);
  return { method: request.method, headers, body: request.body, redirect: "manual", signal: request.signal };
}

/** Undoes what the host does to the encoding for the way between the two. */
function forClient(response: Response): Response {
  const headers = new Headers(response.headers);
  const encoding = headers.get("x-gateway-content-encoding");
  headers.delete("x-gateway-content-encoding");
  if (encoding === null) headers.delete("content-encoding");
  else headers.set("content-encoding", encoding);
  return new Response(response.body, { status: response.status, headers });
}

function refusal(status: number, code: string, message: string): Response {
  return Response.json({ code, message }, { status });
}
