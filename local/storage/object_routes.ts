// What can be asked of objects, most particular path first.
import type { ObjectRow } from "./database.ts";
import { refusals } from "./errors.ts";
import { checkKey } from "./keys.ts";
import { list, type ListRequest } from "./listing.ts";
import { copy, type Journey, move, remove, removeOne } from "./copy_move.ts";
import { serve, serveHead, serveInfo } from "./download.ts";
import { handle, type Handling, json, type Route } from "./route.ts";
import { checkSeconds, uploadSeconds } from "./signing.ts";
import { mayWrite, store } from "./upload.ts";

/** The object, past RLS, in a bucket that is public: one query, for this is what every listener asks for. */
async function publicObject({ database, bucket, key }: Handling): Promise<ObjectRow> {
  checkKey(key);
  const [found] = await database.sql<(ObjectRow & { public: boolean })[]>`
    select b.public, o.* from storage.buckets b left join storage.objects o on o.bucket_id = b.id and o.name = ${key}
    where b.id = ${bucket}`;
  if (!found?.public) throw refusals.noSuchBucket();
  if (!found.id) throw refusals.noSuchKey();
  return found;
}

/** The object that the caller may read: any in a public bucket, else what the policies show. */
async function readableObject(handling: Handling): Promise<ObjectRow> {
  const { database, bucket, key, visitor } = handling;
  const [about] = await database.sql`select public from storage.buckets where id = ${bucket}`;
  if (!about || !visitor.isKnown && !about.public) throw refusals.noSuchBucket();
  if (about.public) return await publicObject(handling);
  checkKey(key);
  const [found] = await database.as(
    visitor,
    (transaction) =>
      transaction<ObjectRow[]>`select * from storage.objects where bucket_id = ${bucket} and name = ${key}`,
  );
  if (!found) throw refusals.noSuchKey();
  return found;
}

async function signedObject({ request, database, signing, bucket, key, files, url }: Handling): Promise<Response> {
  const { exp } = await signing.verify("download", url.searchParams.get("token"), `${bucket}/${key}`);
  const [found] = await database.sql<ObjectRow[]>`
    select * from storage.objects where bucket_id = ${bucket} and name = ${checkKey(key)}`;
  if (!found) throw refusals.noSuchKey();
  return await serve(request, found, files, new Date(exp * 1000));
}

async function sign({ request, database, signing, visitor, bucket, key }: Handling) {
  const seconds = checkSeconds((await json<{ expiresIn: number }>(request)).expiresIn);
  const [found] = await database.as(
    visitor,
    (transaction) => transaction`select from storage.objects where bucket_id = ${bucket} and name = ${checkKey(key)}`,
  );
  if (!found) throw refusals.noSuchKey();
  const url = `${bucket}/${key}`;
  return { signedURL: `/object/sign/${url}?token=${await signing.sign("download", { url }, seconds)}` };
}

async function signMany({ request, database, signing, visitor, bucket }: Handling) {
  const { expiresIn, paths } = await json<{ expiresIn: number; paths: string[] }>(request);
  const seconds = checkSeconds(expiresIn);
  if (!Array.isArray(paths)) throw refusals.invalidRequest("body must have required property 'paths'");
  const rows = await database.as(
    visitor,
    (transaction) =>
      transaction`select name from storage.objects where bucket_id = ${bucket} and name = any (${paths.map(String)})`,
  );
  const known = new Set(rows.map((row) => row.name));
  return await Promise.all(paths.map(async (path) => {
    const url = `${bucket}/${path}`;
    return known.has(path)
      ? {
        error: null,
        path,
        signedURL: `/object/sign/${url}?token=${await signing.sign("download", { url }, seconds)}`,
      }
      : { error: "Either the object does not exist or you do not have access to it", path, signedURL: null };
  }));
}

async function signUpload({ request, database, signing, visitor, bucket, key }: Handling) {
  const owner = visitor.claims.sub;
  const upsert = request.headers.get("x-upsert") === "true";
  checkKey(key);
  await mayWrite({ bucket, key, owner, isUpsert: upsert }, { metadata: {} }, visitor, database);
  const url = `${bucket}/${key}`;
  const token = await signing.sign("upload", { url, owner, upsert }, uploadSeconds);
  return { url: `/object/upload/sign/${url}?token=${token}`, token };
}

async function uploadSigned(handling: Handling) {
  const { body, signing, bucket, key, visitor, url } = handling;
  const { owner, upsert = false } = await signing.verify("upload", url.searchParams.get("token"), `${bucket}/${key}`);
  const asService = { ...visitor, role: "service_role", claims: { role: "service_role" } };
  const { Key } = await store(body, { bucket, key, owner, isUpsert: upsert }, asService, handling);
  return { Key };
}

function upload(handling: Handling, isUpsert: boolean) {
  const { body, bucket, key, visitor } = handling;
  return store(body, { bucket, key, owner: visitor.claims.sub, isUpsert }, visitor, handling);
}

const upserts = ({ request }: Handling) => request.headers.get("x-upsert") === "true";

export const objectRoutes: Route[] = [
  handle(
    "GET",
    "/object/public/:b/*",
    "storage.object.get_public",
    "open",
    async (h) => serve(h.request, await publicObject(h), h.files),
  ),
  handle(
    "HEAD",
    "/object/public/:b/*",
    "storage.object.info_public",
    "open",
    async (h) => serveHead(h.request, await publicObject(h)),
  ),
  handle(
    "GET",
    "/object/info/public/:b/*",
    "storage.object.info_public",
    "open",
    async (h) => serveInfo(await publicObject(h)),
  ),
  handle("GET", "/object/sign/:b/*", "storage.object.get_signed", "open", signedObject),
  handle("PUT", "/object/upload/sign/:b/*", "storage.object.upload_signed", "open", uploadSigned),

  handle("POST", "/object/list/:b", "storage.object.list", "known", async (h) => {
    const asked = await json<ListRequest>(h.request);
    return await h.database.as(h.visitor, (transaction) => list(transaction, h.bucket, asked));
  }),
  handle(
    "POST",
    "/object/move",
    "storage.object.move",
    "known",
    async (h) => move(await json<Journey>(h.request), h.visitor, h),
  ),
  handle(
    "POST",
    "/object/copy",
    "storage.object.copy",
    "known",
    async (h) => copy(await json<Journey>(h.request), h.visitor, h),
  ),
  handle("POST", "/object/sign/:b/*", "storage.object.sign", "known", sign),
  handle("POST", "/object/sign/:b", "storage.object.sign_many", "known", signMany),
  handle("POST", "/object/upload/sign/:b/*", "storage.object.sign_upload_url", "known", signUpload),

  handle(
    "GET",
    "/object/info/authenticated/:b/*",
    "object.get_authenticated_info",
    "known",
    async (h) => serveInfo(await readableObject(h)),
  ),
  handle(
    "GET",
    "/object/info/:b/*",
    "object.get_authenticated_info",
    "lenient",
    async (h) => serveInfo(await readableObject(h)),
  ),
  handle(
    "GET",
    "/object/authenticated/:b/*",
    "storage.object.get_authenticated",
    "known",
    async (h) => serve(h.request, await readableObject(h), h.files),
  ),
  handle(
    "HEAD",
    "/object/authenticated/:b/*",
    "object.head_authenticated_info",
    "known",
    async (h) => serveHead(h.request, await readableObject(h)),
  ),

  handle("POST", "/object/:b/*", "storage.object.upload", "known", (h) => upload(h, upserts(h))),
  handle("PUT", "/object/:b/*", "storage.object.upload_update", "known", (h) => upload(h, true)),
  handle(
    "GET",
    "/object/:b/*",
    "storage.object.get_authenticated",
    "lenient",
    async (h) => serve(h.request, await readableObject(h), h.files),
  ),
  handle(
    "HEAD",
    "/object/:b/*",
    "object.head_authenticated_info",
    "lenient",
    async (h) => serveHead(h.request, await readableObject(h)),
  ),
  handle("DELETE", "/object/:b/*", "storage.object.delete", "known", (h) => removeOne(h.bucket, h.key, h.visitor, h)),
  handle(
    "DELETE",
    "/object/:b",
    "storage.object.delete_many",
    "known",
    async (h) => remove(h.bucket, (await json<{ prefixes: unknown }>(h.request)).prefixes, h.visitor, h),
  ),
];
