// The steps of an upload that comes in parts: create it, add to it, ask how far it is, give it up. The last byte
// makes the object.
import { refusals } from "./errors.ts";
import { checkBucketName, checkKey } from "./keys.ts";
import {
  countOf,
  idOf,
  parseId,
  parseMetadata,
  partType,
  protocolRefusals,
  writeMetadata,
} from "./resumable_protocol.ts";
import { during, type Turn } from "./resumable_locks.ts";
import { endOf, isOver, type Upload } from "./resumable_uploads.ts";
import type { Handling } from "./route.ts";
import { metadataFrom } from "./upload_body.ts";
import { checkType, complete, limitsOf, mayWrite, metadataOf, type Target } from "./upload.ts";

/** `isSigned`: the token of a signed upload URL stands for the caller. */
export type Step = (handling: Handling, isSigned: boolean) => Promise<Response>;

/** POST: 201 with the upload's URL; the first part may come along. */
export async function create(handling: Handling, isSigned: boolean): Promise<Response> {
  const { request, url, uploads, turns } = handling;
  const { upload, limit, types } = await asked(handling);
  if (upload.size !== undefined && upload.size > limit) throw protocolRefusals.tooLarge();
  const target = await permitted(handling, upload, isSigned);
  if (upload.metadata.contentType) checkType(upload.metadata.contentType, types);

  using turn = await turns(upload.version);
  await uploads.create(upload);
  const headers = new Headers({ location: `${url.origin}${url.pathname.replace(/\/$/, "")}/${idOf(upload)}` });
  let offset = 0;
  if (request.headers.get("content-type") === partType) {
    offset = await receive(handling, upload, 0, limit, turn);
    headers.set("upload-offset", String(offset));
  }
  await conclude(handling, upload, offset, target, headers);
  return new Response(null, { status: 201, headers });
}

/** PATCH: 204 with the new offset. */
export async function append(handling: Handling, isSigned: boolean): Promise<Response> {
  const { request, uploads, turns } = handling;
  const id = parseId(handling.key);
  const from = countOf(request, "upload-offset");
  if (from === undefined) throw protocolRefusals.noOffset();
  if (!request.headers.has("content-type")) throw protocolRefusals.noContentType();
  const target = await permitted(handling, (await uploads.find(id)).upload, isSigned);
  const { limit } = await limitsOf(id.bucket, handling);

  using turn = await turns(id.version);
  const { upload, offset, isObject } = await uploads.find(id);
  if (isOver(upload)) throw protocolRefusals.over();
  if (offset !== from) throw protocolRefusals.otherOffset();
  if (isObject) throw protocolRefusals.unknown();
  const size = countOf(request, "upload-length");
  if (size !== undefined) {
    if (upload.size !== undefined || size < offset) throw protocolRefusals.invalidLength();
    if (size > limit) throw protocolRefusals.tooLarge();
    upload.size = size;
    await uploads.save(upload);
  }
  const reached = await receive(handling, upload, offset, limit, turn);
  const headers = new Headers({ "upload-offset": String(reached) });
  if (turn.signal.aborted) headers.set("connection", "close"); // nobody reads what is still on its way
  await conclude(handling, upload, reached, target, headers);
  return new Response(null, { status: 204, headers });
}

/** HEAD: where to go on. Whoever has any token may ask. */
export async function tell(handling: Handling, isSigned: boolean): Promise<Response> {
  const id = parseId(handling.key);
  if (isSigned) await signedTarget(handling, id);
  using _turn = await handling.turns(id.version);
  const { upload, offset } = await handling.uploads.find(id);
  if (isOver(upload)) throw protocolRefusals.over();
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

/** DELETE: 204, and what has arrived is gone. */
export async function terminate(handling: Handling, isSigned: boolean): Promise<Response> {
  const { uploads, turns } = handling;
  const id = parseId(handling.key);
  await permitted(handling, (await uploads.find(id)).upload, isSigned);
  using _turn = await turns(id.version);
  const { upload, offset } = await uploads.find(id);
  if (offset === upload.size) throw protocolRefusals.isComplete();
  await uploads.remove(id.version);
  return new Response(null, { status: 204 });
}

/** The upload that a POST wants, and what its bucket allows. */
async function asked(handling: Handling) {
  const { request } = handling;
  if (request.headers.has("upload-concat")) throw protocolRefusals.noConcatenation();
  const size = countOf(request, "upload-length");
  if ((size === undefined) !== request.headers.has("upload-defer-length")) throw protocolRefusals.invalidLength();
  const metadata = parseMetadata(request.headers.get("upload-metadata") ?? "");
  if (!metadata) throw protocolRefusals.noMetadata();
  const bucket = checkBucketName(metadata.bucketName), key = checkKey(metadata.objectName);
  // seconds and nothing else, unlike the header of a plain upload
  metadata.cacheControl = /^-?\d+$/.test(metadata.cacheControl ?? "") ? `max-age=${metadata.cacheControl}` : "no-cache";
  const upload: Upload = { version: crypto.randomUUID(), bucket, key, size, metadata, createdAt: Date.now() };
  return { upload, ...await limitsOf(bucket, handling) };
}

/** Whose object it will be, when the caller may store it. A signed upload is not asked about an object in its place. */
async function permitted(handling: Handling, upload: Upload, isSigned: boolean): Promise<Target> {
  if (isSigned) return await signedTarget(handling, upload);
  const { request, visitor, database } = handling;
  const { bucket, key, size, metadata } = upload;
  const target = { bucket, key, owner: visitor.claims.sub, isUpsert: request.headers.get("x-upsert") === "true" };
  const draft = { mimetype: metadata.contentType ?? undefined, contentLength: size };
  await mayWrite(target, { metadata: draft, userMetadata: metadataFrom(metadata.metadata) }, visitor, database);
  return target;
}

async function signedTarget({ request, signing }: Handling, { bucket, key }: Pick<Upload, "bucket" | "key">) {
  const token = request.headers.get("x-signature");
  if (!token) throw refusals.invalidSignature("Missing x-signature header");
  const { owner, upsert = false } = await signing.verify("upload", token, `${bucket}/${key}`);
  return { bucket, key, owner, isUpsert: upsert };
}

/** Takes the request's body in, and says how far the upload is then. */
async function receive(handling: Handling, upload: Upload, offset: number, limit: number, turn: Turn): Promise<number> {
  const room = (upload.size ?? limit) - offset;
  if ((countOf(handling.request, "content-length") ?? 0) > room) throw protocolRefusals.longerThanSaid();
  return await handling.uploads.append(upload.version, offset, during(turn, handling.body), room);
}

/** Makes the object when all has arrived; until then the client hears how long it may go on. */
async function conclude(handling: Handling, upload: Upload, offset: number, target: Target, headers: Headers) {
  const { uploads, visitor } = handling;
  if (offset !== upload.size) return headers.set("upload-expires", endOf(upload).toUTCString());
  const { version, metadata: { contentType, cacheControl, metadata } } = upload;
  try {
    const stored = await uploads.place(version);
    const about = metadataOf(stored, contentType || "application/octet-stream", cacheControl!);
    await complete(target, { version, metadata: about, userMetadata: metadataFrom(metadata) }, visitor, handling);
  } catch (error) {
    await uploads.remove(version);
    throw error;
  }
  await uploads.settle(version);
  headers.set("tus-complete", "1");
}
