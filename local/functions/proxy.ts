// /functions/v1: forwards requests to the processes of the edge functions and streams both bodies. Functions with the
// same import map share a process.
import type { Project } from "../host/project.ts";
import { preflight, readable } from "../wire/cors.ts";
import { type HttpConnection, openConnection, sendRequest, UnansweredError } from "./http_connection.ts";
import { type FunctionsSupervisor, superviseFunctions } from "./supervisor.ts";

interface Functions {
  /** `address` is the client's IP address. */
  fetch(request: Request, address: string): Promise<Response>;
  /** Resolves when the functions listen, or have failed to start. */
  started: Promise<unknown>;
  close(): Promise<void>;
}

interface FunctionsOptions {
  watch?: boolean;
  envFile?: string;
  /** Verifies a user's token. Rejects invalid ones. */
  verify: (token: string) => Promise<unknown>;
}

const PREFIX = "/functions/v1";

export function createFunctions(
  project: Project,
  env: Record<string, string>,
  { verify, ...options }: FunctionsOptions,
): Functions {
  const groups = Map.groupBy(project.functions, ({ importMap }) => importMap);
  const supervisors = [...groups.values()].map((functions) => ({
    functions,
    supervisor: superviseFunctions({ ...project, functions }, env, options),
  }));
  const known = new Map(
    supervisors.flatMap(({ functions, supervisor }) =>
      functions.map(({ name, verifiesJwt }) => [name, { supervisor, verifiesJwt }])
    ),
  );
  const idle: HttpConnection[] = [];

  return {
    started: Promise.all(supervisors.map(({ supervisor }) => supervisor.port())),
    async close() {
      for (const connection of idle.splice(0)) connection.tcp.close();
      await Promise.all(supervisors.map(({ supervisor }) => supervisor.close()));
    },
    async fetch(request, address) {
      const path = request.url.slice(request.url.indexOf(PREFIX, "http://".length) + PREFIX.length);
      const name = /^\/([^/?]*)/.exec(path)?.[1] ?? "";
      const errorResponse = (status: number, code: string, message: string) =>
        preflight(request) ??
          readable(Response.json({ code, message }, { status, headers: { "sb-error-code": code } }));
      const found = known.get(name);
      if (!found) return errorResponse(404, "NOT_FOUND", "Requested function was not found");
      const { supervisor, verifiesJwt } = found;
      if (verifiesJwt && request.method !== "OPTIONS") {
        const token = request.headers.get("authorization")?.replace(/^bearer /i, "");
        if (!token) return errorResponse(401, "UNAUTHORIZED_NO_AUTH_HEADER", "Missing authorization header");
        // An API key is not a token: functions that accept keys turn verify_jwt off
        const isValid = await verify(token).then(() => true, () => false);
        if (!isValid) return errorResponse(401, "UNAUTHORIZED_INVALID_JWT_FORMAT", "Invalid JWT");
      }
      try {
        const taken = await takeConnection(supervisor);
        if (!taken) return errorResponse(503, "BOOT_ERROR", "Function failed to start (please check logs)");
        const { connection: { port }, isReused } = taken;
        return await forward(taken.connection, path, request, address).catch(async (error) => {
          closeIdle(port); // if the process has died, its other connections are about to close
          // a dying process still accepts connections
          const hasEnded = request.signal.aborted || await supervisor.waitForEnd(port);
          // a server may close an idle connection at the moment it is used again
          const isUnread = isReused && !hasEnded && !request.body && error instanceof UnansweredError;
          if (!isUnread || request.signal.aborted) throw error;
          return await forward(await openConnection(port), path, request, address);
        });
      } catch (error) {
        if (request.signal.aborted) return new Response(null, { status: 499 }); // the client has disconnected
        console.error(`Function ${name}:`, error);
        return errorResponse(500, "WORKER_ERROR", "Function exited due to an error (please check logs)");
      }
    },
  };

  async function takeConnection(supervisor: FunctionsSupervisor) {
    for (;;) {
      const port = await supervisor.port();
      if (port === undefined) return undefined;
      try {
        const reused = takeIdle(port);
        return { connection: reused ?? await openConnection(port), isReused: reused !== undefined };
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
    const close = () => drop(connection)?.tcp.close();
    connection.firstRead = connection.tcp.read(connection.buffer);
    connection.firstRead.then(close, close); // closed, or bytes that answer no request
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
