// /storage/v1: the storage service.
import { join } from "node:path";
import { decodePart } from "../wire/percent_encoding.ts";
import type { Credentials } from "../wire/caller.ts";
import { preflight, readable } from "../wire/cors.ts";
import { authenticate, hasCredentials } from "./authentication.ts";
import { bucketRoutes } from "./bucket_routes.ts";
import { connect } from "./database.ts";
import { errorResponse, invalidUrl, noRoute, StorageError } from "./errors.ts";
import { openFiles } from "./files.ts";
import { readJson } from "./json_body.ts";
import { jsonResponse } from "./json_response.ts";
import { missingRoutes } from "./missing_routes.ts";
import { objectRoutes } from "./object_routes.ts";
import { readableBody, type RequestBody } from "./request_body.ts";
import { createTusServer, resumableRoutes } from "./resumable.ts";
import { openUploads } from "./resumable_store.ts";
import { findRoute } from "./route.ts";
import { invalid, validate } from "./schema.ts";
import { createSigning } from "./signing.ts";
import { statusRoutes } from "./status_routes.ts";

interface StorageOptions extends Credentials {
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

interface Storage {
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

const routes = [...bucketRoutes, ...objectRoutes, ...resumableRoutes, ...statusRoutes, ...missingRoutes];

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
    const target = (url.pathname + url.search).replace(/^\/storage\/v1/, "");
    const path = target.split("?")[0];
    const route = findRoute(routes, request.method, path);
    const { bucket, key } = route?.pattern.exec(path)?.groups ?? {};
    const parts = [bucket, key].map((part = "") => decodePart(part));
    if (parts.includes(undefined)) return invalidUrl(target);
    if (!route) return noRoute(request.method, target);
    // As in the service: the form of a request is checked before its token
    const json = route.streams ? undefined : await readJson(request, !!route.allowsEmptyJson);
    const input = route.json && validate(route.json, json, "body");
    const query = route.query ? validate(route.query, queryOf(url), "querystring") : {};
    if (route.access === "authenticated" && !hasCredentials(request, options)) {
      throw invalid("headers must have required property 'authorization'");
    }
    const caller = await authenticate(request, route, options);
    const result = await route.run({
      ...service,
      request,
      body,
      url,
      query: query as Record<string, unknown>,
      input,
      bucket: parts[0]!,
      key: parts[1]!,
      caller,
    });
    return result instanceof Response ? result : jsonResponse(result);
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

/** A parameter that is given several times is an array. */
function queryOf({ searchParams }: URL): Record<string, unknown> {
  return Object.fromEntries([...new Set(searchParams.keys())].map((name) => {
    const values = searchParams.getAll(name);
    return [name, values.length === 1 ? values[0] : values];
  }));
}

/** A route may expose more headers to browsers than the gateway. */
function exposeHeaders(original: Response): Response {
  const response = readable(original);
  const more = original.headers.get("access-control-expose-headers");
  if (more) response.headers.append("access-control-expose-headers", more);
  return response;
}
