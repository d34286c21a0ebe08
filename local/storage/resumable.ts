// /upload/resumable: large objects in parts by @tus/server, which the service also uses. This file decides who may upload
// what, and creates the object after the last byte. Below /sign, the token of a signed upload URL authenticates.
import { ERRORS as TUS_ERRORS, MemoryLocker, Server, type Upload } from "@tus/server";
import { ERRORS, StorageError } from "./errors.ts";
import { requireValidBucketName, requireValidKey } from "./keys.ts";
import { decodeUploadId, encodeUploadId, parseUploadId } from "./resumable_id.ts";
import type { UploadStore } from "./resumable_store.ts";
import { handle, type RequestContext, type Route } from "./route.ts";
import { parseMetadataJson } from "./upload_body.ts";
import {
  complete,
  objectMetadata,
  readBucketLimits,
  requireAllowedType,
  requireWriteAccess,
  type Target,
} from "./upload.ts";

const LOCK_TIMEOUT_MS = 5000;

type TusRequest = Parameters<Server["handleWeb"]>[0];
type Context = RequestContext & { isSigned: boolean };
const contexts = new WeakMap<object, Context>();
const contextOf = (request: unknown) => contexts.get(request as object)!;

export function createTusServer(uploads: UploadStore, fileSizeLimit: number): Server {
  return new Server({
    path: "/upload/resumable",
    datastore: uploads,
    locker: new MemoryLocker({ acquireLockTimeout: LOCK_TIMEOUT_MS }),
    disableTerminationForFinishedUploads: true,
    allowedHeaders: ["X-Upsert", "Upload-Expires", "ApiKey", "x-signature"],
    generateUrl(request, { id }) {
      const { isSigned, url: { origin, pathname } } = contextOf(request);
      const base = pathname.slice(0, pathname.indexOf("/upload/resumable"));
      return `${origin}${base}/upload/resumable${isSigned ? "/sign" : ""}/${encodeUploadId(id)}`;
    },
    getFileIdFromRequest(request) {
      const id = decodeUploadId(contextOf(request).key);
      parseUploadId(id);
      return id;
    },
    namingFunction(_request, metadata) {
      if (!metadata) throw new StorageError(400, "TusError", "Metadata header is required");
      return `${requireValidBucketName(metadata.bucketName)}/${
        requireValidKey(metadata.objectName)
      }/${crypto.randomUUID()}`;
    },
    async maxSize(request, id) {
      return id ? (await readBucketLimits(parseUploadId(id).bucket, contextOf(request))).limit : fileSizeLimit;
    },
    async onIncomingRequest(request, id) {
      const { isSigned, request: { method } } = contextOf(request);
      if (isSigned) await signedTarget(contextOf(request), id);
      else if (method === "PATCH" || method === "DELETE") {
        await requireTarget(contextOf(request), await uploads.getUpload(id));
      }
    },
    async onUploadCreate(request, upload) {
      const context = contextOf(request), { contentType, cacheControl } = upload.metadata!;
      if (!context.isSigned) await requireTarget(context, upload);
      const { types } = await readBucketLimits(parseUploadId(upload.id).bucket, context);
      if (contentType) requireAllowedType(contentType, types);
      // Only seconds, unlike the header of a plain upload
      const isSeconds = /^-?\d+$/.test(cacheControl ?? "");
      return { metadata: { ...upload.metadata, cacheControl: isSeconds ? `max-age=${cacheControl}` : "no-cache" } };
    },
    async onUploadFinish(request, upload) {
      await createObject(contextOf(request), upload, uploads);
      return { headers: { "tus-complete": "1" } };
    },
    onResponseError(_request, error) {
      if (error instanceof StorageError) return { status_code: error.status, body: error.message };
      if (error === TUS_ERRORS.ERR_LOCK_TIMEOUT) return { status_code: 503, body: "acquiring lock timeout" };
      if ("status_code" in error) return error;
      console.error("storage: resumable upload:", error);
      return TUS_ERRORS.UNKNOWN_ERROR;
    },
  });
}

/** Checks write access and returns the target. A signed upload ignores an existing object. */
async function requireTarget(context: Context, { id, size, metadata = {} }: Pick<Upload, "id" | "size" | "metadata">) {
  const { request, caller, database } = context, { bucket, key } = parseUploadId(id);
  const target = { bucket, key, owner: caller.claims.sub, isUpsert: request.headers.get("x-upsert") === "true" };
  const draft = { mimetype: metadata.contentType ?? undefined, contentLength: size };
  await requireWriteAccess(
    target,
    { metadata: draft, userMetadata: parseMetadataJson(metadata.metadata) },
    caller,
    database,
  );
  return target;
}

async function signedTarget({ request, signing }: Context, id: string): Promise<Target> {
  const token = request.headers.get("x-signature"), { bucket, key } = parseUploadId(id);
  if (!token) throw ERRORS.invalidSignature("Missing x-signature header");
  const { owner, upsert = false } = await signing.verify("upload", token, `${bucket}/${key}`);
  return { bucket, key, owner, isUpsert: upsert };
}

async function createObject(context: Context, upload: Upload, uploads: UploadStore) {
  const { id, metadata = {} } = upload, { version, bucket, key } = parseUploadId(id);
  const target = context.isSigned
    ? await signedTarget(context, id)
    : { bucket, key, owner: context.caller.claims.sub, isUpsert: false };
  try {
    const stored = await uploads.publish(id);
    const row = objectMetadata(stored, metadata.contentType || "application/octet-stream", metadata.cacheControl!);
    const draft = { version, metadata: row, userMetadata: { ...parseMetadataJson(metadata.metadata) } };
    await complete(target, draft, context.caller, context);
  } catch (error) {
    await uploads.remove(id);
    throw error;
  }
  await uploads.forget(id);
}

/** Errors are plain text with their own status here, unlike on the other routes. */
async function respond(context: RequestContext, isSigned: boolean): Promise<Response> {
  contexts.set(context.request, { ...context, isSigned });
  if (["PATCH", "HEAD", "DELETE"].includes(context.request.method)) {
    try {
      parseUploadId(decodeUploadId(context.key));
    } catch (error) {
      if (error instanceof StorageError) return new Response(error.message, { status: error.status });
      throw error;
    }
  }
  const response = await context.tus.handleWeb(context.request as TusRequest);
  if (response.status >= 400) await context.body.drain();
  return response;
}

/** The five methods of one path. */
function routesAt(path: string, isSigned: boolean): Route[] {
  const suffix = isSigned ? "_signed" : "";
  const route = (method: string, under: string, operation: string) =>
    handle(
      method,
      path + under,
      `storage.tus.${operation}${suffix}`,
      isSigned || method === "OPTIONS" ? "public" : "token",
      (context) => respond(context, isSigned),
      { streams: true },
    );
  return [
    route("OPTIONS", "(?:/*)?", "options"),
    route("POST", "(?:/*)?", "upload.create"),
    route("PATCH", "/*", "upload.part"),
    route("HEAD", "/*", "upload.get"),
    route("DELETE", "/*", "upload.delete"),
  ];
}

export const resumableRoutes: Route[] = [
  ...routesAt("/upload/resumable/sign", true),
  ...routesAt("/upload/resumable", false),
];
