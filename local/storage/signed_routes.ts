// Signed URLs: routes that sign, and those that a signature opens.
import type { ObjectRow } from "./database.ts";
import { serve } from "./download.ts";
import { ERRORS } from "./errors.ts";
import { requireKey, requireValidBucketName, requireValidKey } from "./keys.ts";
import { noTransformation } from "./missing_routes.ts";
import { handle, type RequestContext, type Route } from "./route.ts";
import { array, integer, object, oneOf, type Schema, string } from "./schema.ts";
import { requireExpiration, UPLOAD_URL_SECONDS } from "./signing.ts";
import { requireWriteAccess, store } from "./upload.ts";

const transformation: Schema = object({
  height: integer(0),
  width: integer(0),
  resize: oneOf("cover", "contain", "fill"),
  format: oneOf("origin", "avif", "webp"),
  quality: integer(20, 100),
});

const signing = object({ expiresIn: integer(1), transform: transformation }, ["expiresIn"]);
const signingMany = object(
  { expiresIn: integer(1), paths: array(string, { minItems: 1, maxItems: 1000 }) },
  ["expiresIn", "paths"],
);
const signed = object({ token: string }, ["token"]);

async function serveSigned({ request, query, database, signing, bucket, key, files }: RequestContext) {
  requireValidBucketName(bucket);
  const { exp } = await signing.verify("download", query.token as string, `${bucket}/${key}`);
  const [found] = await database.sql<ObjectRow[]>`
    select * from storage.objects where bucket_id = ${bucket} and name = ${requireValidKey(key)}`;
  if (!found) throw ERRORS.noSuchKey();
  return await serve(request, found, files, new Date(exp * 1000));
}

interface SignRequest {
  expiresIn: number;
  transform?: Record<string, unknown>;
}

async function sign({ input, database, signing, caller, bucket, key }: RequestContext<SignRequest>) {
  const { expiresIn, transform: { format = "origin", ...transform } = {} } = input;
  requireExpiration(expiresIn);
  requireValidBucketName(bucket);
  if (Object.keys(transform).length > 0 || format !== "origin") throw noTransformation();
  const [found] = await database.as(
    caller,
    (transaction) =>
      transaction`select from storage.objects where bucket_id = ${bucket} and name = ${requireValidKey(key)}`,
  );
  if (!found) throw ERRORS.noSuchKey();
  const url = `${bucket}/${key}`;
  return { signedURL: `/object/sign/${url}?token=${await signing.sign("download", { url }, expiresIn)}` };
}

async function signMany(
  { input, database, signing, caller, bucket }: RequestContext<{ expiresIn: number; paths: string[] }>,
) {
  const { expiresIn, paths } = input;
  requireExpiration(expiresIn);
  requireValidBucketName(bucket);
  const rows = await database.as(
    caller,
    (transaction) =>
      transaction`select name from storage.objects where bucket_id = ${bucket} and name = any (${paths})`,
  );
  const names = new Set(rows.map((row) => row.name));
  return await Promise.all(paths.map(async (path) => {
    const url = `${bucket}/${path}`;
    return names.has(path)
      ? {
        error: null,
        path,
        signedURL: `/object/sign/${url}?token=${await signing.sign("download", { url }, expiresIn)}`,
      }
      : { error: "Either the object does not exist or you do not have access to it", path, signedURL: null };
  }));
}

async function signUpload({ request, database, signing, caller, bucket, key }: RequestContext) {
  const owner = caller.claims.sub;
  const upsert = request.headers.get("x-upsert") === "true";
  requireValidBucketName(bucket);
  requireKey(key);
  await requireWriteAccess({ bucket, key, owner, isUpsert: upsert }, { metadata: {} }, caller, database);
  const url = `${bucket}/${key}`;
  const token = await signing.sign("upload", { url, owner, upsert }, UPLOAD_URL_SECONDS);
  return { url: `/object/upload/sign/${url}?token=${token}`, token };
}

async function uploadSigned(context: RequestContext) {
  const { body, query, signing, bucket, key, caller } = context;
  requireValidBucketName(bucket);
  const { owner, upsert = false } = await signing.verify("upload", query.token as string, `${bucket}/${key}`);
  const asService = { ...caller, role: "service_role", claims: { role: "service_role" } };
  const { Key } = await store(body, { bucket, key: requireValidKey(key), owner, isUpsert: upsert }, asService, context);
  return { Key };
}

export const signedRoutes: Route[] = [
  handle("GET", "/object/sign/:b/*", "storage.object.get_signed", "public", serveSigned, { query: signed }),
  handle("PUT", "/object/upload/sign/:b/*", "storage.object.upload_signed", "public", uploadSigned, {
    query: signed,
    streams: true,
  }),
  handle("POST", "/object/sign/:b/*", "storage.object.sign", "authenticated", sign, { json: signing }),
  handle("POST", "/object/sign/:b", "storage.object.sign_many", "authenticated", signMany, { json: signingMany }),
  handle("POST", "/object/upload/sign/:b/*", "storage.object.sign_upload_url", "authenticated", signUpload),
];
