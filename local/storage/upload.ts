// Storing an object: ask whether the caller may, write the bytes, then point the row at them.
import { type Asking, type Database, type Metadata, type ObjectRow, ownerOf, type Transaction } from "./database.ts";
import { refusals } from "./errors.ts";
import type { Files, Stored } from "./files.ts";
import { checkKey } from "./keys.ts";
import type { RequestBody } from "./request_body.ts";
import { type Upload, uploadOf } from "./upload_body.ts";

/** What the operations work with. */
export interface Service {
  database: Database;
  files: Files;
  /** The project's own limit in bytes, which no bucket can raise. */
  fileSizeLimit: number;
}

export interface Target {
  bucket: string;
  key: string;
  isUpsert: boolean;
  /** The sub of whoever the object belongs to. */
  owner: string | undefined;
}

/** The row as it is offered to the policies before there are bytes. */
interface Draft {
  version: string;
  metadata: Partial<Metadata>;
  userMetadata?: Record<string, unknown> | null;
}

/** Stores the request's body. `asking` is whose rights count: for a signed upload, the service's. */
export async function store(body: RequestBody, target: Target, asking: Asking, service: Service) {
  const { database, files } = service;
  const { limit, types } = await limitsOf(target.bucket, service);
  const upload = await uploadOf(asking.request, body);
  checkType(upload.mimetype, types);
  if (upload.length !== undefined && upload.length > limit) throw refusals.tooLarge();
  checkKey(target.key);
  const { mimetype, userMetadata } = upload;
  await mayWrite(target, { metadata: { mimetype, contentLength: upload.length }, userMetadata }, asking, database);

  const version = crypto.randomUUID();
  const stored = await files.write(version, limited(upload.body, limit));
  const metadata = metadataOf(stored, mimetype, upload.cacheControl);
  const { id } = await complete(target, { version, metadata, userMetadata }, asking, service);
  return { Id: id, Key: `${target.bucket}/${target.key}` };
}

/** What a bucket takes: so many bytes, of these types (any, when there are none). */
export async function limitsOf(id: string, { database, fileSizeLimit }: Service) {
  const [bucket] = await database.sql`
    select allowed_mime_types, file_size_limit from storage.buckets where id = ${id}`;
  if (!bucket) throw refusals.noSuchBucket();
  return {
    limit: Math.min(fileSizeLimit, Number(bucket.file_size_limit ?? Infinity)),
    types: (bucket.allowed_mime_types ?? []) as string[],
  };
}

export function metadataOf({ size, md5 }: Stored, mimetype: string, cacheControl: string): Metadata {
  return {
    eTag: `"${md5}"`,
    size,
    mimetype,
    cacheControl,
    lastModified: thisSecond(),
    contentLength: size,
    httpStatusCode: 200,
  };
}

/** HTTP dates are whole seconds. */
export const thisSecond = () => new Date(Math.floor(Date.now() / 1000) * 1000).toISOString();

export function checkType(mimetype: string, allowed: string[]) {
  const [type, subtype] = mimetype.split("/");
  const fits = (pattern: string) => pattern === `${type}/*` || pattern === `${type}/${subtype}`;
  if (allowed.length > 0 && !allowed.some(fits)) throw refusals.invalidMimeType(mimetype);
}

async function* limited(body: Upload["body"], limit: number) {
  let size = 0;
  for await (const chunk of body) {
    if ((size += chunk.length) > limit) throw refusals.tooLarge();
    yield chunk;
  }
}

/** Asks the policies and the unique key; nothing is written. */
export function mayWrite(target: Target, draft: Omit<Draft, "version">, asking: Asking, database: Database) {
  return database.probe(asking, (transaction) => write(transaction, target, { version: "1", ...draft }));
}

/** Points the key at its new bytes, in one step for whoever reads it, and lets the former ones go. */
export async function complete(target: Target, draft: Draft, asking: Asking, { database, files }: Service) {
  try {
    const { row, former } = await database.asService(asking, async (transaction) => {
      await transaction`select pg_advisory_xact_lock(hashtextextended(${`${target.bucket}/${target.key}`}, 0))`;
      const [former] = await transaction`
        select version from storage.objects where bucket_id = ${target.bucket} and name = ${target.key} for update`;
      // two uploads of a new key may both have been allowed: the later one counts, as in the service
      return { row: await write(transaction, { ...target, isUpsert: true }, draft), former };
    });
    // an upload in parts may come to its end twice, when a crash came between
    if (former?.version !== draft.version) await files.remove([former?.version]);
    return row;
  } catch (error) {
    await files.remove([draft.version]);
    throw error;
  }
}

async function write(transaction: Transaction, target: Target, draft: Draft): Promise<ObjectRow> {
  const row = {
    bucket_id: target.bucket,
    name: target.key,
    ...ownerOf(target.owner),
    version: draft.version,
    metadata: transaction.json(draft.metadata as never),
    user_metadata: draft.userMetadata ? transaction.json(draft.userMetadata as never) : null,
  };
  const [written] = target.isUpsert
    ? await transaction<ObjectRow[]>`
      insert into storage.objects ${transaction(row)}
      on conflict (bucket_id, name) do update set owner = excluded.owner, owner_id = excluded.owner_id,
        version = excluded.version, metadata = excluded.metadata, user_metadata = excluded.user_metadata
      returning *`
    : await transaction<ObjectRow[]>`insert into storage.objects ${transaction(row)} returning *`;
  return written;
}
