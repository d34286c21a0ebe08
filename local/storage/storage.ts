// /storage/v1: the storage service.
import { join } from "node:path";
import type { Credentials } from "../rest/caller.ts";
import { preflight, readable } from "../rest/cors.ts";
import { authenticate } from "./authentication.ts";
import { bucketRoutes } from "./bucket_routes.ts";
import { connect } from "./database.ts";
import { errorResponse, noRoute, StorageError } from "./errors.ts";
import { openFiles } from "./files.ts";
import { decodePart } from "./keys.ts";
import { objectRoutes } from "./object_routes.ts";
import { readableBody, type RequestBody } from "./request_body.ts";
import { createTusServer, resumableRoutes } from "./resumable.ts";
import { openUploads } from "./resumable_store.ts";
import { createSigning } from "./signing.ts";

export interface StorageOptions extends Credentials {
  /** Connects as supabase_storage_admin, which owns the tables and may become any caller. */
  databaseUrl: string;
  /** Holds the stored bytes. */
  directory: string;
  /** Signs URLs. */
  signingSecret: string;
  /** In bytes, for every bucket. */
  fileSizeLimit?: number;
  /** Bytes are on the disk before the row is committed. */
  durable: boolean;
}

export interface Storage {
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

const routes = [...bucketRoutes, ...objectRoutes, ...resumableRoutes];

export async function createStorage(options: StorageOptions): Promise<Storage> {
  const database = connect(options.databaseUrl);
  const files = await openFiles(options.directory, options.durable);
  const uploads = await openUploads(join(options.directory, "resumable"), files, options.durable);
  const fileSizeLimit = options.fileSizeLimit ?? 500 * 2 ** 20;
  const service = {
    database,
    files,
    tus: createTusServer(uploads, fileSizeLimit),
    signing: createSigning(options.signingSecret),
    fileSizeLimit,
  };

  async function respond(request: Request, body: RequestBody): Promise<Response> {
    const url = new URL(request.url);
    const path = url.pathname.replace(/^\/storage\/v1/, "").replace(/(?<=\/bucket)\/$/, "");
    const route = routes.find(({ method, pattern }) => method === request.method && pattern.test(path));
    if (!route) return noRoute(request.method, path);
    const { bucket = "", key = "" } = route.pattern.exec(path)!.groups ?? {};
    const caller = await authenticate(request, route.operation, options, route.access !== "authenticated");
    const context = { ...service, request, body, url, bucket: decodePart(bucket), key: decodePart(key), caller };
    const result = await route.run(context);
    return result instanceof Response ? result : Response.json(result);
  }

  async function respondSafely(request: Request): Promise<Response> {
    const body = readableBody(request);
    try {
      return await respond(request, body);
    } catch (error) {
      await body.drain();
      if (error instanceof StorageError) return errorResponse(error);
      if (error instanceof Deno.errors.Http) return errorResponse(new StorageError(499, "Aborted", "Request aborted"));
      console.error("storage", request.method, new URL(request.url).pathname, error);
      return errorResponse(new StorageError(500, "InternalError", "Internal server error"));
    }
  }

  return {
    fetch: async (request) => preflight(request) ?? exposeHeaders(await respondSafely(request)),
    close: () => database.close(),
  };
}

/** A route may expose more headers to browsers than the gateway. */
function exposeHeaders(original: Response): Response {
  const response = readable(original);
  const more = original.headers.get("access-control-expose-headers");
  if (more) response.headers.append("access-control-expose-headers", more);
  return response;
}
