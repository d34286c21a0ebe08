// Buckets. The secret key may do everything; policies on storage.buckets decide for other callers.
import type { Database, StorageCaller, Transaction } from "./database.ts";
import { ERRORS } from "./errors.ts";
import type { Service } from "./upload.ts";
import { parseByteLimit, requireValidBucketName } from "./keys.ts";

interface BucketRequest {
  id?: string;
  name?: string;
  public?: boolean;
  file_size_limit?: number | string | null;
  allowed_mime_types?: string[] | null;
}

const sortable = ["id", "name", "created_at", "updated_at"];

// deno-lint-ignore no-explicit-any
const serialize = (bucket: any) => ({
  ...bucket,
  file_size_limit: bucket.file_size_limit === null ? null : Number(bucket.file_size_limit),
});
const columns = (sql: Transaction) =>
  sql`id, name, owner, public, type, file_size_limit, allowed_mime_types, created_at, updated_at`;

/** The columns that a request changes. */
function toColumns(input: BucketRequest): Record<string, unknown> {
  const { file_size_limit: limit, allowed_mime_types: types } = input;
  return {
    ...input.public !== undefined && { public: input.public },
    ...limit !== undefined && { file_size_limit: limit === null ? null : parseByteLimit(limit) },
    ...types !== undefined && { allowed_mime_types: types?.filter(Boolean) ?? null },
  };
}

export async function createBucket(input: BucketRequest, caller: StorageCaller, database: Database) {
  const id = requireValidBucketName(input.id || input.name);
  const owner = caller.claims.sub ?? null;
  const row = { id, name: requireValidBucketName(input.name ?? id), owner, owner_id: owner, ...toColumns(input) };
  await database.as(caller, (sql) => sql`insert into storage.buckets ${sql(row)}`);
  return { name: row.name };
}

export async function listBuckets(query: URLSearchParams, caller: StorageCaller, database: Database) {
  const sort = query.get("sortColumn") ?? "id";
  if (!sortable.includes(sort)) throw ERRORS.invalidRequest("querystring/sortColumn is not a column to sort by");
  const search = (query.get("search") ?? "").replace(/[\\%_]/g, "\\$&");
  const rows = await database.as(caller, (sql) =>
    sql`
      select ${columns(sql)} from storage.buckets where name ilike ${`%${search}%`}
      order by ${sql(sort)} ${query.get("sortOrder") === "desc" ? sql`desc` : sql`asc`}
      limit ${query.get("limit")} offset ${query.get("offset") ?? 0}`);
  return rows.map(serialize);
}

export async function getBucket(id: string, caller: StorageCaller, database: Database) {
  const [bucket] = await database.as(
    caller,
    (sql) => sql`select ${columns(sql)} from storage.buckets where id = ${id}`,
  );
  if (!bucket) throw ERRORS.noSuchBucket();
  return serialize(bucket);
}

export async function updateBucket(id: string, input: BucketRequest, caller: StorageCaller, database: Database) {
  const changes = toColumns(input);
  if (Object.keys(changes).length === 0) throw ERRORS.invalidRequest("body must NOT have fewer than 1 properties");
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
