// Buckets. The secret key may do everything; policies on storage.buckets decide for other callers.
import { type Database, ownerColumns, type StorageCaller, type Transaction } from "./database.ts";
import { ERRORS } from "./errors.ts";
import { requireValidBucketName } from "./keys.ts";
import type { Service } from "./upload.ts";

export interface BucketRequest {
  id?: string;
  name: string;
  type?: string;
  public?: boolean;
  /** In bytes. */
  file_size_limit?: number | null;
  allowed_mime_types?: string[] | null;
}

// deno-lint-ignore no-explicit-any
const serialize = (bucket: any) => ({
  ...bucket,
  owner: bucket.owner ?? "",
  file_size_limit: bucket.file_size_limit === null ? null : Number(bucket.file_size_limit),
});
const columns = (sql: Transaction) =>
  sql`id, name, owner, public, file_size_limit, allowed_mime_types, created_at, updated_at`;

const mimeType = /^([a-zA-Z0-9+.-]+)\/([a-zA-Z0-9+.-]+)(;\s*charset=[a-zA-Z0-9-]+)?$|\*$/;

/** The columns that a request changes. Throws tooLarge or invalidMimeType. */
function toColumns(input: BucketRequest, fileSizeLimit: number): Record<string, unknown> {
  const { file_size_limit: limit, allowed_mime_types } = input;
  if (limit && limit > fileSizeLimit) throw ERRORS.tooLarge();
  const types = allowed_mime_types?.filter(Boolean) ?? allowed_mime_types;
  const wrong = types?.find((type) => type.length > 1000 || !mimeType.test(type));
  if (wrong !== undefined) throw ERRORS.invalidMimeType(wrong);
  return {
    ...input.public !== undefined && { public: input.public },
    ...limit !== undefined && { file_size_limit: limit },
    ...types !== undefined && { allowed_mime_types: types },
  };
}

/** The service's own names of table buckets. */
const reservedSuffix = "--table-s3";

export async function createBucket(input: BucketRequest, caller: StorageCaller, { database, fileSizeLimit }: Service) {
  const { name, id = name, type } = input;
  if (name.trim() !== name || name.endsWith(reservedSuffix)) throw ERRORS.invalidBucketName();
  requireValidBucketName(name);
  if (type === "ANALYTICS") throw ERRORS.missing("Analytics buckets are", "Create a bucket of type STANDARD.");
  const row = {
    id: requireValidBucketName(id || name),
    name,
    ...ownerColumns(caller.claims.sub),
    ...toColumns(input, fileSizeLimit),
  };
  await database.as(caller, (sql) => sql`insert into storage.buckets ${sql(row)}`);
  return { name };
}

export async function listBuckets(
  { limit, offset, sortColumn, sortOrder, search }: Record<string, unknown>,
  caller: StorageCaller,
  database: Database,
) {
  const pattern = `%${String(search ?? "").replace(/[\\%_]/g, "\\$&")}%`;
  const rows = await database.as(caller, (sql) =>
    sql`
      select ${columns(sql)}, type from storage.buckets where name ilike ${pattern}
      order by ${sql(String(sortColumn ?? "id"))} ${sortOrder === "desc" ? sql`desc` : sql`asc`}
      limit ${bigint(limit)} offset ${bigint(offset ?? 0)}`);
  return rows.map(serialize);
}

/** A number for `limit`, at most the largest bigint. */
const bigint = (value: unknown) =>
  value === undefined ? null : String(BigInt(Math.min(Number(value), Number.MAX_SAFE_INTEGER)));

export async function getBucket(id: string, caller: StorageCaller, database: Database) {
  const [bucket] = await database.as(
    caller,
    (sql) => sql`select ${columns(sql)} from storage.buckets where id = ${id}`,
  );
  if (!bucket) throw ERRORS.noSuchBucket();
  return serialize(bucket);
}

export async function updateBucket(
  id: string,
  input: BucketRequest,
  caller: StorageCaller,
  { database, fileSizeLimit }: Service,
) {
  const changes = toColumns(input, fileSizeLimit);
  requireValidBucketName(id);
  const changed = await database.as(
    caller,
    (sql) => sql`update storage.buckets set ${sql(changes)} where id = ${id} returning id`,
  );
  if (changed.length === 0) throw ERRORS.noSuchBucket();
  return { message: "Successfully updated" };
}

export async function emptyBucket(id: string, caller: StorageCaller, { database, files }: Service) {
  await getBucket(id, caller, database);
  const deleted = await database.as(
    caller,
    (sql) => sql`delete from storage.objects where bucket_id = ${id} returning version`,
  );
  await files.remove(deleted.map((row) => row.version));
  return { message: "Empty bucket has been queued. Completion may take up to an hour." };
}

export async function deleteBucket(id: string, caller: StorageCaller, database: Database) {
  const [used] = await database.sql`select from storage.objects where bucket_id = ${id} limit 1`;
  if (used) throw ERRORS.bucketNotEmpty();
  const deleted = await database.as(caller, (sql) => sql`delete from storage.buckets where id = ${id} returning id`);
  if (deleted.length === 0) throw ERRORS.noSuchBucket();
  return { message: "Successfully deleted" };
}
