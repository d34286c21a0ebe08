// Routes of objects, most specific path first.
import type { ObjectRow } from "./database.ts";
import { ERRORS } from "./errors.ts";
import { requireValidKey } from "./keys.ts";
import { list, type ListRequest } from "./listing.ts";
import { copy, move, type MoveRequest, remove, removeOne } from "./copy_move.ts";
import { serve, serveHead, serveInfo } from "./download.ts";
import { handle, json, type RequestContext, type Route } from "./route.ts";
import { requireValidSeconds, UPLOAD_URL_SECONDS } from "./signing.ts";
import { requireWriteAccess, store } from "./upload.ts";

/** Reads an object of a public bucket without RLS, in one query, because every listener needs it. */
async function publicObject({ database, bucket, key }: RequestContext): Promise<ObjectRow> {
  requireValidKey(key);
  const [found] = await database.sql<(ObjectRow & { public: boolean })[]>`
    select b.public, o.* from storage.buckets b left join storage.objects o on o.bucket_id = b.id and o.name = ${key}
    where b.id = ${bucket}`;
  if (!found?.public) throw ERRORS.noSuchBucket();
  if (!found.id) throw ERRORS.noSuchKey();
  return found;
}

/** Reads an object that the caller may read: in a public bucket any object, in others those that the policies allow. */
async function readableObject(context: RequestContext): Promise<ObjectRow> {
  const { database, bucket, key, caller } = context;
  const [info] = await database.sql`select public from storage.buckets where id = ${bucket}`;
  if (!info || !caller.isAuthenticated && !info.public) throw ERRORS.noSuchBucket();
  if (info.public) return await publicObject(context);
  requireValidKey(key);
  const [found] = await database.as(
    caller,
    (transaction) =>
      transaction<ObjectRow[]>`select * from storage.objects where bucket_id = ${bucket} and name = ${key}`,
  );
  if (!found) throw ERRORS.noSuchKey();
  return found;
}

async function signedObject(
  { request, database, signing, bucket, key, files, url }: RequestContext,
): Promise<Response> {
  const { exp } = await signing.verify("download", url.searchParams.get("token"), `${bucket}/${key}`);
  const [found] = await database.sql<ObjectRow[]>`
    select * from storage.objects where bucket_id = ${bucket} and name = ${requireValidKey(key)}`;
  if (!found) throw ERRORS.noSuchKey();
  return await serve(request, found, files, new Date(exp * 1000));
}

async function sign({ request, database, signing, caller, bucket, key }: RequestContext) {
  const seconds = requireValidSeconds((await json<{ expiresIn: number }>(request)).expiresIn);
  const [found] = await database.as(
    caller,
    (transaction) =>
      transaction`select from storage.objects where bucket_id = ${bucket} and name = ${requireValidKey(key)}`,
  );
  if (!found) throw ERRORS.noSuchKey();
  const url = `${bucket}/${key}`;
  return { signedURL: `/object/sign/${url}?token=${await signing.sign("download", { url }, seconds)}` };
}

async function signMany({ request, database, signing, caller, bucket }: RequestContext) {
  const { expiresIn, paths } = await json<{ expiresIn: number; paths: string[] }>(request);
  const seconds = requireValidSeconds(expiresIn);
  if (!Array.isArray(paths)) throw ERRORS.invalidRequest("body must have required property 'paths'");
  const rows = await database.as(
    caller,
    (transaction) =>
      transaction`select name from storage.objects where bucket_id = ${bucket} and name = any (${paths.map(String)})`,
  );
  const names = new Set(rows.map((row) => row.name));
  return await Promise.all(paths.map(async (path) => {
    const url = `${bucket}/${path}`;
    return names.has(path)
      ? {
        error: null,
        path,
        signedURL: `/object/sign/${url}?token=${await signing.sign("download", { url }, seconds)}`,
      }
      : { error: "Either the object does not exist or you do not have access to it", path, signedURL: null };
  }));
}

async function signUpload({ request, database, signing, caller, bucket, key }: RequestContext) {
  const owner = caller.claims.sub;
  const upsert = request.headers.get("x-upsert") === "true";
  requireValidKey(key);
  await requireWriteAccess({ bucket, key, owner, isUpsert: upsert }, { metadata: {} }, caller, database);
  const url = `${bucket}/${key}`;
  const token = await signing.sign("upload", { url, owner, upsert }, UPLOAD_URL_SECONDS);
  return { url: `/object/upload/sign/${url}?token=${token}`, token };
}

async function uploadSigned(context: RequestContext) {
  const { body, signing, bucket, key, caller, url } = context;
  const { owner, upsert = false } = await signing.verify("upload", url.searchParams.get("token"), `${bucket}/${key}`);
  const asService = { ...caller, role: "service_role", claims: { role: "service_role" } };
  const { Key } = await store(body, { bucket, key, owner, isUpsert: upsert }, asService, context);
  return { Key };
}

function upload(context: RequestContext, isUpsert: boolean) {
  const { body, bucket, key, caller } = context;
  return store(body, { bucket, key, owner: caller.claims.sub, isUpsert }, caller, context);
}

const isUpsert = ({ request }: RequestContext) => request.headers.get("x-upsert") === "true";

export const objectRoutes: Route[] = [
  handle(
    "GET",
    "/object/public/:b/*",
    "storage.object.get_public",
    "public",
    async (h) => serve(h.request, await publicObject(h), h.files),
  ),
  handle(
    "HEAD",
    "/object/public/:b/*",
    "storage.object.info_public",
    "public",
    async (h) => serveHead(h.request, await publicObject(h)),
  ),
  handle(
    "GET",
    "/object/info/public/:b/*",
    "storage.object.info_public",
    "public",
    async (h) => serveInfo(await publicObject(h)),
  ),
  handle("GET", "/object/sign/:b/*", "storage.object.get_signed", "public", signedObject),
  handle("PUT", "/object/upload/sign/:b/*", "storage.object.upload_signed", "public", uploadSigned),

  handle("POST", "/object/list/:b", "storage.object.list", "authenticated", async (h) => {
    const input = await json<ListRequest>(h.request);
    return await h.database.as(h.caller, (transaction) => list(transaction, h.bucket, input));
  }),
  handle(
    "POST",
    "/object/move",
    "storage.object.move",
    "authenticated",
    async (h) => move(await json<MoveRequest>(h.request), h.caller, h),
  ),
  handle(
    "POST",
    "/object/copy",
    "storage.object.copy",
    "authenticated",
    async (h) => copy(await json<MoveRequest>(h.request), h.caller, h),
  ),
  handle("POST", "/object/sign/:b/*", "storage.object.sign", "authenticated", sign),
  handle("POST", "/object/sign/:b", "storage.object.sign_many", "authenticated", signMany),
  handle("POST", "/object/upload/sign/:b/*", "storage.object.sign_upload_url", "authenticated", signUpload),

  handle(
    "GET",
    "/object/info/authenticated/:b/*",
    "object.get_authenticated_info",
    "authenticated",
    async (h) => serveInfo(await readableObject(h)),
  ),
  handle(
    "GET",
    "/object/info/:b/*",
    "object.get_authenticated_info",
    "optional",
    async (h) => serveInfo(await readableObject(h)),
  ),
  handle(
    "GET",
    "/object/authenticated/:b/*",
    "storage.object.get_authenticated",
    "authenticated",
    async (h) => serve(h.request, await readableObject(h), h.files),
  ),
  handle(
    "HEAD",
    "/object/authenticated/:b/*",
    "object.head_authenticated_info",
    "authenticated",
    async (h) => serveHead(h.request, await readableObject(h)),
  ),

  handle("POST", "/object/:b/*", "storage.object.upload", "authenticated", (h) => upload(h, isUpsert(h))),
  handle("PUT", "/object/:b/*", "storage.object.upload_update", "authenticated", (h) => upload(h, true)),
  handle(
    "GET",
    "/object/:b/*",
    "storage.object.get_authenticated",
    "optional",
    async (h) => serve(h.request, await readableObject(h), h.files),
  ),
  handle(
    "HEAD",
    "/object/:b/*",
    "object.head_authenticated_info",
    "optional",
    async (h) => serveHead(h.request, await readableObject(h)),
  ),
  handle(
    "DELETE",
    "/object/:b/*",
    "storage.object.delete",
    "authenticated",
    (h) => removeOne(h.bucket, h.key, h.caller, h),
  ),
  handle(
    "DELETE",
    "/object/:b",
    "storage.object.delete_many",
    "authenticated",
    async (h) => remove(h.bucket, (await json<{ prefixes: unknown }>(h.request)).prefixes, h.caller, h),
  ),
];
