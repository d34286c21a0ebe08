// /storage/v1: the storage service as storage-js, browsers and podcast apps meet it.
import { join } from "node:path";
import type { Credentials } from "../rest/caller.ts";
import { preflight, readable } from "../rest/cors.ts";
import { visitorOf } from "./authentication.ts";
import { bucketRoutes } from "./bucket_routes.ts";
import { connect } from "./database.ts";
import { errorResponse, noRoute, StorageError } from "./errors.ts";
import { openFiles } from "./files.ts";
import { decoded } from "./keys.ts";
import { objectRoutes } from "./object_routes.ts";
import { bodyOf, type RequestBody } from "./request_body.ts";
import { resumableRoutes } from "./resumable_routes.ts";
import { createTurns } from "./resumable_locks.ts";
import { openUploads } from "./resumable_uploads.ts";
import { createSigning } from "./signing.ts";

export interface StorageOptions extends Credentials {
  /** Connects as supabase_storage_admin, who owns the tables and may become any caller. */
  databaseUrl: string;
  /** Where the bytes are kept. */
  directory: string;
  /** Signs the URLs that carry their own permission. */
  signingSecret: string;
  /** In bytes, for every bucket. */
  fileSizeLimit?: number;
  /** Bytes are on the disk before the row says so. Stacks that tests throw away go without. */
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
  const service = {
    database,
    files,
    uploads: await openUploads(join(options.directory, "resumable"), files, options.durable),
    turns: createTurns(),
    signing: createSigning(options.signingSecret),
    fileSizeLimit: options.fileSizeLimit ?? 500 * 2 ** 20,
  };

  async function answer(request: Request, body: RequestBody): Promise<Response> {
    const url = new URL(request.url);
    const path = url.pathname.replace(/^\/storage\/v1/, "").replace(/(?<=\/bucket)\/$/, "");
    const route = routes.find(({ method, pattern }) => method === request.method && pattern.test(path));
    if (!route) return noRoute(request.method, path);
    const { bucket = "", key = "" } = route.pattern.exec(path)!.groups ?? {};
    const visitor = await visitorOf(request, route.operation, options, route.access !== "known");
    const handling = { ...service, request, body, url, bucket: decoded(bucket), key: decoded(key), visitor };
    const result = await route.run(handling);
    return result instanceof Response ? result : Response.json(result);
  }

  async function guarded(request: Request): Promise<Response> {
    const body = bodyOf(request);
    try {
      return await answer(request, body);
    } catch (error) {
      await body.pass();
      if (error instanceof StorageError) return errorResponse(error);
      if (error instanceof Deno.errors.Http) return errorResponse(new StorageError(499, "Aborted", "Request aborted"));
      console.error("storage", request.method, new URL(request.url).pathname, error);
      return errorResponse(new StorageError(500, "InternalError", "Internal server error"));
    }
  }

  return {
    fetch: async (request) => preflight(request) ?? shown(await guarded(request)),
    close: () => database.close(),
  };
}

/** A route may let a page read more headers than the gateway does. */
function shown(answer: Response): Response {
  const response = readable(answer);
  const more = answer.headers.get("access-control-expose-headers");
  if (more) response.headers.append("access-control-expose-headers", more);
  return response;
}
