// The requests of a resumable upload: create, append, read the offset, terminate. The last byte creates the object.
import { ERRORS } from "./errors.ts";
import { checkBucketName, checkKey } from "./keys.ts";
import { idOf, parseCount, parseId, parseMetadata, partType, TUS_ERRORS, writeMetadata } from "./resumable_protocol.ts";
import { during, type UploadLock } from "./resumable_locks.ts";
import { expiresAt, isExpired, type Upload } from "./resumable_uploads.ts";
import type { RequestContext } from "./route.ts";
import { parseMetadataJson } from "./upload_body.ts";
import { checkType, complete, objectMetadata, readBucketLimits, requireWriteAccess, type Target } from "./upload.ts";

/** `isSigned`: the token of a signed upload URL authenticates the request. */
export type Step = (context: RequestContext, isSigned: boolean) => Promise<Response>;

/** POST: 201 with the upload's URL. The body may be the first part. */
export async function create(context: RequestContext, isSigned: boolean): Promise<Response> {
  const { request, url, uploads, lockUpload } = context;
  const { upload, limit, types } = await parseCreation(context);
  if (upload.size !== undefined && upload.size > limit) throw TUS_ERRORS.tooLarge();
  const target = await requireTarget(context, upload, isSigned);
  if (upload.metadata.contentType) checkType(upload.metadata.contentType, types);

  using lock = await lockUpload(upload.version);
  await uploads.create(upload);
  const headers = new Headers({ location: `${url.origin}${url.pathname.replace(/\/$/, "")}/${idOf(upload)}` });
  let offset = 0;
  if (request.headers.get("content-type") === partType) {
    offset = await receive(context, upload, 0, limit, lock);
    headers.set("upload-offset", String(offset));
  }
  await finish(context, upload, offset, target, headers);
  return new Response(null, { status: 201, headers });
}

/** PATCH: 204 with the new offset. */
export async function append(context: RequestContext, isSigned: boolean): Promise<Response> {
  const { request, uploads, lockUpload } = context;
  const id = parseId(context.key);
  const from = parseCount(request, "upload-offset");
  if (from === undefined) throw TUS_ERRORS.noOffset();
  if (!request.headers.has("content-type")) throw TUS_ERRORS.noContentType();
  const target = await requireTarget(context, (await uploads.find(id)).upload, isSigned);
  const { limit } = await readBucketLimits(id.bucket, context);

  using lock = await lockUpload(id.version);
  const { upload, offset, isObject } = await uploads.find(id);
  if (isExpired(upload)) throw TUS_ERRORS.expired();
  if (offset !== from) throw TUS_ERRORS.offsetConflict();
  if (isObject) throw TUS_ERRORS.unknown();
  const size = parseCount(request, "upload-length");
  if (size !== undefined) {
    if (upload.size !== undefined || size < offset) throw TUS_ERRORS.invalidLength();
    if (size > limit) throw TUS_ERRORS.tooLarge();
    upload.size = size;
    await uploads.save(upload);
  }
  const reached = await receive(context, upload, offset, limit, lock);
  const headers = new Headers({ "upload-offset": String(reached) });
  if (lock.signal.aborted) headers.set("connection", "close"); // the rest of the body is not read
  await finish(context, upload, reached, target, headers);
  return new Response(null, { status: 204, headers });
}

/** HEAD: the offset. Any token may read it. */
export async function headUpload(context: RequestContext, isSigned: boolean): Promise<Response> {
  const id = parseId(context.key);
  if (isSigned) await signedTarget(context, id);
  using _lock = await context.lockUpload(id.version);
  const { upload, offset } = await context.uploads.find(id);
  if (isExpired(upload)) throw TUS_ERRORS.expired();
  const { size, metadata } = upload;
  return new Response(null, {
    headers: {
      "cache-control": "no-store",
      "upload-offset": String(offset),
      "upload-metadata": writeMetadata(metadata),
      ...size === undefined ? { "upload-defer-length": "1" } : { "upload-length": String(size) },
    },
  });
}

/** DELETE: 204; deletes the received bytes. */
export async function terminate(context: RequestContext, isSigned: boolean): Promise<Response> {
  const { uploads, lockUpload } = context;
  const id = parseId(context.key);
  await requireTarget(context, (await uploads.find(id)).upload, isSigned);
  using _lock = await lockUpload(id.version);
  const { upload, offset } = await uploads.find(id);
  if (offset === upload.size) throw TUS_ERRORS.isComplete();
  await uploads.remove(id.version);
  return new Response(null, { status: 204 });
}

/** Parses the upload of a POST and reads the limits of its bucket. */
async function parseCreation(context: RequestContext) {
  const { request } = context;
  if (request.headers.has("upload-concat")) throw TUS_ERRORS.noConcatenation();
  const size = parseCount(request, "upload-length");
  if ((size === undefined) !== request.headers.has("upload-defer-length")) throw TUS_ERRORS.invalidLength();
  const metadata = parseMetadata(request.headers.get("upload-metadata") ?? "");
  if (!metadata) throw TUS_ERRORS.noMetadata();
  const bucket = checkBucketName(metadata.bucketName), key = checkKey(metadata.objectName);
  // Only seconds, unlike the header of a plain upload
  metadata.cacheControl = /^-?\d+$/.test(metadata.cacheControl ?? "") ? `max-age=${metadata.cacheControl}` : "no-cache";
  const upload: Upload = { version: crypto.randomUUID(), bucket, key, size, metadata, createdAt: Date.now() };
  return { upload, ...await readBucketLimits(bucket, context) };
}

/** Checks write access and returns the target. A signed upload ignores an existing object. */
async function requireTarget(context: RequestContext, upload: Upload, isSigned: boolean): Promise<Target> {
  if (isSigned) return await signedTarget(context, upload);
  const { request, caller, database } = context;
  const { bucket, key, size, metadata } = upload;
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

async function signedTarget({ request, signing }: RequestContext, { bucket, key }: Pick<Upload, "bucket" | "key">) {
  const token = request.headers.get("x-signature");
  if (!token) throw ERRORS.invalidSignature("Missing x-signature header");
  const { owner, upsert = false } = await signing.verify("upload", token, `${bucket}/${key}`);
  return { bucket, key, owner, isUpsert: upsert };
}

/** Appends the request's body and returns the new offset. */
async function receive(
  context: RequestContext,
  upload: Upload,
  offset: number,
  limit: number,
  lock: UploadLock,
): Promise<number> {
  const maxBytes = (upload.size ?? limit) - offset;
  if ((parseCount(context.request, "content-length") ?? 0) > maxBytes) throw TUS_ERRORS.sizeExceeded();
  return await context.uploads.append(upload.version, offset, during(lock, context.body), maxBytes);
}

/** Creates the object of a complete upload; an incomplete one gets its expiry. */
async function finish(context: RequestContext, upload: Upload, offset: number, target: Target, headers: Headers) {
  const { uploads, caller } = context;
  if (offset !== upload.size) return headers.set("upload-expires", expiresAt(upload).toUTCString());
  const { version, metadata: { contentType, cacheControl, metadata } } = upload;
  try {
    const stored = await uploads.publish(version);
    const row = objectMetadata(stored, contentType || "application/octet-stream", cacheControl!);
    await complete(target, { version, metadata: row, userMetadata: parseMetadataJson(metadata) }, caller, context);
  } catch (error) {
    await uploads.remove(version);
    throw error;
  }
  await uploads.forget(version);
  headers.set("tus-complete", "1");
}
