// /functions/v1: hands requests to the process of the edge functions and streams both bodies.
import type { Project } from "../project.ts";
import { preflight, readable } from "../rest/cors.ts";
import { exchange, type Line, openLine } from "./http_connection.ts";
import { superviseFunctions } from "./supervisor.ts";

export interface Functions {
  /** `address` is the client's. */
  fetch(request: Request, address: string): Promise<Response>;
  /** Resolves when they answer, or when it is known that they do not. */
  started: Promise<unknown>;
  close(): Promise<void>;
}

const PREFIX = "/functions/v1";

export function createFunctions(
  project: Project,
  env: Record<string, string>,
  options: { watch?: boolean },
): Functions {
  const known = new Set(project.functions.map(({ name }) => name));
  const kept = superviseFunctions(project, env, options);
  const idle: Line[] = [];

  return {
    started: kept.port(),
    async close() {
      for (const line of idle.splice(0)) line.connection.close();
      await kept.close();
    },
    async fetch(request, address) {
      const path = request.url.slice(request.url.indexOf(PREFIX, "http://".length) + PREFIX.length);
      const name = /^\/([^/?]*)/.exec(path)?.[1] ?? "";
      const refusal = (status: number, code: string, message: string) =>
        preflight(request) ?? readable(Response.json({ code, message }, { status }));
      if (!known.has(name)) return refusal(404, "NOT_FOUND", "Requested function was not found");
      try {
        const line = await takeLine();
        if (!line) return refusal(503, "BOOT_ERROR", "Function failed to start (please check logs)");
        return await ask(line, path, request, address).catch(async (error) => {
          forgetIdle(line.port); // when the process has died, its other lines are about to say so
          if (!request.signal.aborted) await kept.waitForEnd(line.port); // it may still take connections, and lose them
          throw error;
        });
      } catch (error) {
        if (request.signal.aborted) return new Response(null, { status: 499 }); // nobody is there to read it
        console.error(`Function ${name}:`, error);
        return refusal(500, "WORKER_ERROR", "Function exited due to an error (please check logs)");
      }
    },
  };

  async function takeLine(): Promise<Line | undefined> {
    for (;;) {
      const port = await kept.port();
      if (port === undefined) return undefined;
      try {
        return takeIdle(port) ?? await openLine(port);
      } catch (error) {
        if (!(error instanceof Deno.errors.ConnectionRefused)) throw error;
        await new Promise((resolve) => setTimeout(resolve, 10)); // it died just now: the next one is on its way
      }
    }
  }

  async function ask(line: Line, path: string, request: Request, address: string): Promise<Response> {
    const { method, body, signal } = request;
    const hangUp = () => line.connection.close();
    signal.addEventListener("abort", hangUp); // the function hears of a client that leaves
    return await exchange(line, { method, path, headers: withClient(request, address), body }, (reusable) => {
      signal.removeEventListener("abort", hangUp);
      if (reusable) keepIdle(line);
      else if (!signal.aborted) hangUp();
    });
  }

  function keepIdle(line: Line) {
    idle.push(line);
    const close = () => drop(line) && line.connection.close();
    line.firstRead = line.connection.read(line.buffer);
    line.firstRead.then((read) => read === null && close(), close);
  }

  function forgetIdle(port: number) {
    for (const line of idle.filter((line) => line.port === port)) drop(line)?.connection.close();
  }

  function takeIdle(port: number): Line | undefined {
    const line = idle.findLast((line) => line.port === port);
    return line && drop(line);
  }

  /** The line itself, when it was idle. */
  function drop(line: Line): Line | undefined {
    const at = idle.indexOf(line);
    return at < 0 ? undefined : idle.splice(at, 1)[0];
  }
}

/** What a client says about its own address stays on the left, as the platform leaves it; the true one follows. */
function* withClient({ headers }: Request, address: string): Generator<[string, string]> {
  let said = "";
  for (const header of headers) {
    if (header[0] === "x-forwarded-for") said = `${header[1]}, `;
    else yield header;
  }
  yield ["x-forwarded-for", said + address];
}
