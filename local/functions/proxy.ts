// /functions/v1: forwards requests to the process of the edge functions and streams both bodies.
import type { Project } from "../project.ts";
import { preflight, readable } from "../rest/cors.ts";
import { type HttpConnection, openConnection, sendRequest } from "./http_connection.ts";
import { superviseFunctions } from "./supervisor.ts";

export interface Functions {
  /** `address` is the client's IP address. */
  fetch(request: Request, address: string): Promise<Response>;
  /** Resolves when the functions listen, or have failed to start. */
  started: Promise<unknown>;
  close(): Promise<void>;
}

const PREFIX = "/functions/v1";

export function createFunctions(
  project: Project,
  env: Record<string, string>,
  options: { watch?: boolean; envFile?: string },
): Functions {
  const known = new Set(project.functions.map(({ name }) => name));
  const supervisor = superviseFunctions(project, env, options);
  const idle: HttpConnection[] = [];

  return {
    started: supervisor.port(),
    async close() {
      for (const connection of idle.splice(0)) connection.tcp.close();
      await supervisor.close();
    },
    async fetch(request, address) {
      const path = request.url.slice(request.url.indexOf(PREFIX, "http://".length) + PREFIX.length);
      const name = /^\/([^/?]*)/.exec(path)?.[1] ?? "";
      const errorResponse = (status: number, code: string, message: string) =>
        preflight(request) ?? readable(Response.json({ code, message }, { status }));
      if (!known.has(name)) return errorResponse(404, "NOT_FOUND", "Requested function was not found");
      try {
        const connection = await takeConnection();
        if (!connection) return errorResponse(503, "BOOT_ERROR", "Function failed to start (please check logs)");
        return await forward(connection, path, request, address).catch(async (error) => {
          closeIdle(connection.port); // if the process has died, its other connections are about to close
          if (!request.signal.aborted) await supervisor.waitForEnd(connection.port); // a dying process still accepts connections
          throw error;
        });
      } catch (error) {
        if (request.signal.aborted) return new Response(null, { status: 499 }); // the client has disconnected
        console.error(`Function ${name}:`, error);
        return errorResponse(500, "WORKER_ERROR", "Function exited due to an error (please check logs)");
      }
    },
  };

  async function takeConnection(): Promise<HttpConnection | undefined> {
    for (;;) {
      const port = await supervisor.port();
      if (port === undefined) return undefined;
      try {
        return takeIdle(port) ?? await openConnection(port);
      } catch (error) {
        if (!(error instanceof Deno.errors.ConnectionRefused)) throw error;
        await new Promise((resolve) => setTimeout(resolve, 10)); // the process has just died; the next one starts
      }
    }
  }

  async function forward(
    connection: HttpConnection,
    path: string,
    request: Request,
    address: string,
  ): Promise<Response> {
    const { method, body, signal } = request;
    let isOpen = true;
    const hangUp = () => {
      isOpen = false;
      connection.tcp.close();
    };
    signal.addEventListener("abort", hangUp); // aborts the function's request
    return await sendRequest(connection, { method, path, headers: withClient(request, address), body }, (reusable) => {
      signal.removeEventListener("abort", hangUp);
      if (!isOpen) return; // the client disconnected after the last byte
      if (reusable) keepIdle(connection);
      else hangUp();
    });
  }

  function keepIdle(connection: HttpConnection) {
    idle.push(connection);
    const close = () => drop(connection) && connection.tcp.close();
    connection.firstRead = connection.tcp.read(connection.buffer);
    connection.firstRead.then((read) => read === null && close(), close);
  }

  function closeIdle(port: number) {
    for (const connection of idle.filter((connection) => connection.port === port)) drop(connection)?.tcp.close();
  }

  function takeIdle(port: number): HttpConnection | undefined {
    const connection = idle.findLast((connection) => connection.port === port);
    return connection && drop(connection);
  }

  /** Removes an idle connection and returns it. */
  function drop(connection: HttpConnection): HttpConnection | undefined {
    const at = idle.indexOf(connection);
    return at < 0 ? undefined : idle.splice(at, 1)[0];
  }
}

/** Appends the client's IP address to its own X-Forwarded-For, as the platform does. */
function* withClient({ headers }: Request, address: string): Generator<[string, string]> {
  let forwarded = "";
  for (const header of headers) {
    if (header[0] === "x-forwarded-for") forwarded = `${header[1]}, `;
    else yield header;
  }
  yield ["x-forwarded-for", forwarded + address];
}
