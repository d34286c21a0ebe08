// Routes of objects, most specific path first.
import { copy, move, type MoveRequest, remove, removeOne } from "./copy_move.ts";
import type { ObjectRow } from "./database.ts";
import { serve, serveHead, serveInfo } from "./download.ts";
import { ERRORS } from "./errors.ts";
import { requireValidBucketName, requireValidKey } from "./keys.ts";
import { list, listPage, type ListPageRequest, type ListRequest } from "./listing.ts";
import { handle, type RequestContext, type Route } from "./route.ts";
import { array, boolean, integer, object, oneOf, string } from "./schema.ts";
import { signedRoutes } from "./signed_routes.ts";
import { store } from "./upload.ts";

/**
 * Reads an object of a public bucket without RLS, in one query, because every listener needs it. For a download the
 * service looks for bucket and object at once: without an object the bucket does not matter.
 */
async function publicObject({ database, bucket, key }: RequestContext, isDownload = false): Promise<ObjectRow> {
  requireValidBucketName(bucket);
  requireValidKey(key);
  const [found] = await database.sql<(ObjectRow & { public: boolean })[]>`
    select b.public, o.* from storage.buckets b left join storage.objects o on o.bucket_id = b.id and o.name = ${key}
    where b.id = ${bucket}`;
  if (isDownload && !found?.id) throw ERRORS.noSuchKey();
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

function upload(context: RequestContext, isUpsert: boolean) {
  const { body, bucket, key, caller } = context;
  requireValidBucketName(bucket);
  return store(body, { bucket, key, owner: caller.claims.sub, isUpsert }, caller, context);
}

const isUpsert = ({ request }: RequestContext) => request.headers.get("x-upsert") === "true";

/** Ignored, because images are not transformed here; the service checks them nevertheless. */
const transformation = object({ width: integer(0), height: integer(0), quality: integer(20, 100) });

const order = oneOf("asc", "desc");
const listing = object({
  prefix: string,
  limit: integer(1),
  offset: integer(0),
  search: string,
  sortBy: object({ column: oneOf("name", "updated_at", "created_at", "last_accessed_at"), order }, ["column"]),
}, ["prefix"]);
const pageListing = object({
  prefix: string,
  limit: integer(1),
  cursor: string,
  with_delimiter: boolean,
  sortBy: object({ column: oneOf("name", "updated_at", "created_at"), order }, ["column"]),
});
const place = { bucketId: string, sourceKey: string, destinationBucket: string, destinationKey: string };
const moving = object(place, ["bucketId", "sourceKey", "destinationKey"]);
const copying = object({
  ...place,
  metadata: object({ cacheControl: string, mimetype: string }),
  copyMetadata: boolean,
}, ["sourceKey", "bucketId", "destinationKey"]);
const deletion = object({ prefixes: array(string, { minItems: 1 }) }, ["prefixes"]);

const publicRoutes: Route[] = [
  handle(
    "GET",
    "/object/public/:b/*",
    "storage.object.get_public",
    "public",
    async (h) => serve(h.request, await publicObject(h, true), h.files),
    { hasNoHead: true },
  ),
  handle(
    "HEAD",
    "/object/public/:b/*",
    "storage.object.info_public",
    "public",
    async (h) => serveHead(h.request, await publicObject(h)),
    { query: transformation },
  ),
  handle(
    "GET",
    "/object/info/public/:b/*",
    "storage.object.info_public",
    "public",
    async (h) => serveInfo(await publicObject(h)),
    { query: transformation, hasNoHead: true },
  ),
];

const actionRoutes: Route[] = [
  handle<ListRequest>("POST", "/object/list/:b", "storage.object.list", "authenticated", (h) => {
    requireValidBucketName(h.bucket);
    return h.database.as(h.caller, (transaction) => list(transaction, h.bucket, h.input));
  }, { json: listing }),
  handle<ListPageRequest>("POST", "/object/list-v2/:b", "storage.object.list_v2", "token", (h) => {
    requireValidBucketName(h.bucket);
    return h.database.as(h.caller, (transaction) => listPage(transaction, h.bucket, h.input));
  }, { json: pageListing }),
  handle<MoveRequest>(
    "POST",
    "/object/move",
    "storage.object.move",
    "authenticated",
    (h) => move(h.input, h.caller, h),
    { json: moving },
  ),
  handle<MoveRequest>(
    "POST",
    "/object/copy",
    "storage.object.copy",
    "authenticated",
    (h) => copy(h.input, h.caller, h),
    { json: copying },
  ),
];

const authenticatedRoutes: Route[] = [
  handle(
    "GET",
    "/object/info/authenticated/:b/*",
    "object.get_authenticated_info",
    "authenticated",
    async (h) => serveInfo(await readableObject(h)),
    { query: transformation },
  ),
  handle(
    "GET",
    "/object/info/:b/*",
    "object.get_authenticated_info",
    "optional",
    async (h) => serveInfo(await readableObject(h)),
    { query: transformation },
  ),
  handle(
    "GET",
    "/object/authenticated/:b/*",
    "storage.object.get_authenticated",
    "authenticated",
    async (h) => serve(h.request, await readableObject(h), h.files),
    { hasNoHead: true },
  ),
  handle(
    "HEAD",
    "/object/authenticated/:b/*",
    "object.head_authenticated_info",
    "authenticated",
    async (h) => serveHead(h.request, await readableObject(h)),
    { query: transformation },
  ),
];

const keyRoutes: Route[] = [
  handle("POST", "/object/:b/*", "storage.object.upload", "authenticated", (h) => upload(h, isUpsert(h)), {
    streams: true,
  }),
  handle("PUT", "/object/:b/*", "storage.object.upload_update", "authenticated", (h) => upload(h, true), {
    streams: true,
  }),
  handle(
    "GET",
    "/object/:b/*",
    "storage.object.get_authenticated",
    "optional",
    async (h) => serve(h.request, await readableObject(h), h.files),
    { hasNoHead: true },
  ),
  handle(
    "HEAD",
    "/object/:b/*",
    "object.head_authenticated_info",
    "optional",
    async (h) => serveHead(h.request, await readableObject(h)),
    { query: transformation },
  ),
  handle(
    "DELETE",
    "/object/:b/*",
    "storage.object.delete",
    "authenticated",
    (h) => removeOne(requireValidBucketName(h.bucket), h.key, h.caller, h),
  ),
  handle<{ prefixes: string[] }>(
    "DELETE",
    "/object/:b",
    "storage.object.delete_many",
    "authenticated",
    (h) => remove(requireValidBucketName(h.bucket), h.input.prefixes, h.caller, h),
    { json: deletion },
  ),
];

export const objectRoutes: Route[] = [
  ...publicRoutes,
  ...signedRoutes,
  ...actionRoutes,
  ...authenticatedRoutes,
  ...keyRoutes,
];
