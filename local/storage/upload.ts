// Stores an object: checks write access, writes the bytes, then points the row at them.
import {
  type Database,
  type Metadata,
  type ObjectRow,
  ownerColumns,
  type StorageCaller,
  type Transaction,
} from "./database.ts";
import { ERRORS } from "./errors.ts";
import type { Files, Stored } from "./files.ts";
import { requireValidMediaType } from "./json_body.ts";
import { requireValidKey } from "./keys.ts";
import type { RequestBody } from "./request_body.ts";
import { requireValidRobotsTag } from "./robots_tag.ts";
import { parseUpload, type Upload } from "./upload_body.ts";

/** The dependencies of every operation. */
export interface Service {
  database: Database;
  files: Files;
  /** The project's limit in bytes, which no bucket can raise. */
  fileSizeLimit: number;
}

export interface Target {
  bucket: string;
  key: string;
  isUpsert: boolean;
  /** The subject (user id) of the owner. */
  owner: string | undefined;
}

/** The row that policies check before any byte is written. */
interface Draft {
  version: string;
  metadata: Partial<Metadata>;
  /** Undefined leaves that of an existing object. */
  userMetadata?: Record<string, unknown> | null;
}

/** Stores the request's body with the rights of `caller`: for a signed upload, those of the service. */
export async function store(body: RequestBody, target: Target, caller: StorageCaller, service: Service) {
  const { database, files } = service;
  requireValidMediaType(caller.request);
  const bucket = await readBucketLimits(target.bucket, service);
  // The service's own mark of an empty folder has no bytes, in a bucket of any type
  const { limit, types } = target.key.endsWith(".emptyFolderPlaceholder") ? { limit: 0, types: [] } : bucket;
  const robots = caller.request.headers.get("x-robots-tag");
  if (robots) requireValidRobotsTag(robots);
  const upload = await parseUpload(caller.request, body);
  requireAllowedType(upload.mimetype, types);
  if (upload.length !== undefined && upload.length > limit) throw ERRORS.tooLarge();
  requireValidKey(target.key);
  const { mimetype, userMetadata } = upload;
  await requireWriteAccess(
    target,
    { metadata: { mimetype, contentLength: upload.length }, userMetadata },
    caller,
    database,
  );

  const version = crypto.randomUUID();
  // As in the service: nothing limits a body of unknown length
  const stored = await files.write(version, upload.isForm ? limitBytes(upload.body, limit) : upload.body);
  const metadata = objectMetadata(stored, mimetype, upload.cacheControl, robots);
  const { id } = await complete(target, { version, metadata, userMetadata: { ...userMetadata } }, caller, service);
  return { Id: id, Key: `${target.bucket}/${target.key}` };
}

/** The size limit of a bucket, and its MIME types: an empty list allows every type. */
export async function readBucketLimits(id: string, { database, fileSizeLimit }: Service) {
  const [bucket] = await database.sql`
    select allowed_mime_types, file_size_limit from storage.buckets where id = ${id}`;
  if (!bucket) throw ERRORS.noSuchBucket();
  return {
    limit: Math.min(fileSizeLimit, Number(bucket.file_size_limit) || Infinity),
    types: (bucket.allowed_mime_types ?? []) as string[],
  };
}

export function objectMetadata(
  { size, md5 }: Stored,
  mimetype: string,
  cacheControl: string,
  robots?: string | null,
): Metadata {
  return {
    eTag: `"${md5}"`,
    size,
    mimetype,
    cacheControl,
    lastModified: nowToSecond(),
    contentLength: size,
    httpStatusCode: 200,
    ...robots && { xRobotsTag: robots },
  };
}

/** The current time in whole seconds, as in HTTP dates. */
export const nowToSecond = () => new Date(Math.floor(Date.now() / 1000) * 1000).toISOString();

export function requireAllowedType(mimetype: string, allowed: string[]) {
  const [type, subtype] = mimetype.split("/");
  const fits = (pattern: string) => pattern === `${type}/*` || pattern === `${type}/${subtype}`;
  if (allowed.length > 0 && !allowed.some(fits)) throw ERRORS.invalidMimeType(mimetype);
}

async function* limitBytes(body: Upload["body"], limit: number) {
  let size = 0;
  for await (const chunk of body) {
    if ((size += chunk.length) > limit) throw ERRORS.tooLarge();
    yield chunk;
  }
}

/** Checks policies and the unique key by a write that is rolled back. Throws accessDenied or alreadyExists. */
export function requireWriteAccess(
  target: Target,
  draft: Omit<Draft, "version">,
  caller: StorageCaller,
  database: Database,
) {
  return database.probe(caller, async (transaction) => {
    await lockKey(transaction, target);
    return await write(transaction, target, { version: "1", ...draft });
  });
}

/** The table has several unique indexes: concurrent inserts of a key could fail on one that `on conflict` does not name. */
const lockKey = (transaction: Transaction, { bucket, key }: Target) =>
  transaction`select pg_advisory_xact_lock(hashtextextended(${`${bucket}/${key}`}, 0))`;

/** Points the key at its new bytes atomically, then deletes the former ones. */
export async function complete(target: Target, draft: Draft, caller: StorageCaller, { database, files }: Service) {
  try {
    const { row, former } = await database.asService(caller, async (transaction) => {
      await lockKey(transaction, target);
      const [former] = await transaction`
        select version from storage.objects where bucket_id = ${target.bucket} and name = ${target.key} for update`;
      // Two uploads of a new key may both have passed the check: as in the service, the later one wins
      return { row: await write(transaction, { ...target, isUpsert: true }, draft), former };
    });
    // A resumable upload finishes twice if the stack crashed in between
    if (former?.version !== draft.version) await files.remove([former?.version]);
    return row;
  } catch (error) {
    await files.remove([draft.version]);
    throw error;
  }
}

async function write(transaction: Transaction, target: Target, draft: Draft): Promise<ObjectRow> {
  const { metadata, userMetadata, version } = draft;
  const content = {
    ...ownerColumns(target.owner),
    version,
    metadata: transaction.json(metadata as never),
    ...userMetadata !== undefined &&
      { user_metadata: userMetadata === null ? null : transaction.json(userMetadata as never) },
  };
  const row = { bucket_id: target.bucket, name: target.key, ...content };
  const [written] = target.isUpsert
    ? await transaction<ObjectRow[]>`
      insert into storage.objects ${transaction(row)}
      on conflict (bucket_id, name collate "C") where archived_at is null do update set ${transaction(content)}
      returning *`
    : await transaction<ObjectRow[]>`insert into storage.objects ${transaction(row)} returning *`;
  return written;
}
