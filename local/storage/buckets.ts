// Buckets: made and kept by the secret key; policies on storage.buckets decide for everybody else.
import type { Asking, Database, Transaction } from "./database.ts";
import { refusals } from "./errors.ts";
import type { Service } from "./upload.ts";
import { bytesOf, checkBucketName } from "./keys.ts";

interface BucketRequest {
  id?: string;
  name?: string;
  public?: boolean;
  file_size_limit?: number | string | null;
  allowed_mime_types?: string[] | null;
}

const sortable = ["id", "name", "created_at", "updated_at"];

// deno-lint-ignore no-explicit-any
const shown = (bucket: any) => ({
  ...bucket,
  file_size_limit: bucket.file_size_limit === null ? null : Number(bucket.file_size_limit),
});
const columns = (sql: Transaction) =>
  sql`id, name, owner, public, type, file_size_limit, allowed_mime_types, created_at, updated_at`;

/** The columns that a request sets; what it leaves out stays as it is. */
function settings(asked: BucketRequest): Record<string, unknown> {
  const { file_size_limit: limit, allowed_mime_types: types } = asked;
  return {
    ...asked.public !== undefined && { public: asked.public },
    ...limit !== undefined && { file_size_limit: limit === null ? null : bytesOf(limit) },
    ...types !== undefined && { allowed_mime_types: types?.filter(Boolean) ?? null },
  };
}

export async function createBucket(asked: BucketRequest, asking: Asking, database: Database) {
  const id = checkBucketName(asked.id || asked.name);
  const owner = asking.claims.sub ?? null;
  const row = { id, name: checkBucketName(asked.name ?? id), owner, owner_id: owner, ...settings(asked) };
  await database.as(asking, (sql) => sql`insert into storage.buckets ${sql(row)}`);
  return { name: row.name };
}

export async function listBuckets(query: URLSearchParams, asking: Asking, database: Database) {
  const sort = query.get("sortColumn") ?? "id";
  if (!sortable.includes(sort)) throw refusals.invalidRequest("querystring/sortColumn is not a column to sort by");
  const search = (query.get("search") ?? "").replace(/[\\%_]/g, "\\$&");
  const rows = await database.as(asking, (sql) =>
    sql`
      select ${columns(sql)} from storage.buckets where name ilike ${`%${search}%`}
      order by ${sql(sort)} ${query.get("sortOrder") === "desc" ? sql`desc` : sql`asc`}
      limit ${query.get("limit")} offset ${query.get("offset") ?? 0}`);
  return rows.map(shown);
}

export async function getBucket(id: string, asking: Asking, database: Database) {
  const [bucket] = await database.as(
    asking,
    (sql) => sql`select ${columns(sql)} from storage.buckets where id = ${id}`,
  );
  if (!bucket) throw refusals.noSuchBucket();
  return shown(bucket);
}

export async function updateBucket(id: string, asked: BucketRequest, asking: Asking, database: Database) {
  const changes = settings(asked);
  if (Object.keys(changes).length === 0) throw refusals.invalidRequest("body must NOT have fewer than 1 properties");
  const changed = await database.as(
    asking,
    (sql) => sql`update storage.buckets set ${sql(changes)} where id = ${id} returning id`,
  );
  if (changed.length === 0) throw refusals.noSuchBucket();
  return { message: "Successfully updated" };
}

export async function emptyBucket(id: string, asking: Asking, { database, files }: Service) {
  await getBucket(id, asking, database);
  const gone = await database.as(
    asking,
    (sql) => sql`delete from storage.objects where bucket_id = ${id} returning version`,
  );
  await files.remove(gone.map((row) => row.version));
  return { message: "Empty bucket has been queued. Completion may take up to an hour." };
}

export async function deleteBucket(id: string, asking: Asking, database: Database) {
  const [used] = await database.sql`select from storage.objects where bucket_id = ${id} limit 1`;
  if (used) throw refusals.bucketNotEmpty();
  const gone = await database.as(asking, (sql) => sql`delete from storage.buckets where id = ${id} returning id`);
  if (gone.length === 0) throw refusals.noSuchBucket();
  return { message: "Successfully deleted" };
}
