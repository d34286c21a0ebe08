// Moves, copies and deletes objects.
import type { ObjectRow, StorageCaller } from "./database.ts";
import { ownerColumns } from "./database.ts";
import { ERRORS } from "./errors.ts";
import { requireValidKey } from "./keys.ts";
import { parseUserMetadata } from "./upload_body.ts";
import { complete, nowToSecond, requireWriteAccess, type Service } from "./upload.ts";

/** The body of POST /object/move and /object/copy. */
export interface MoveRequest {
  bucketId: string;
  sourceKey: string;
  destinationBucket?: string;
  destinationKey: string;
  /** For copy: whether to copy all metadata (the default), or to apply `metadata`. */
  copyMetadata?: boolean;
  /** Applies only if copyMetadata is false; absent members are copied. */
  metadata?: { cacheControl?: string; mimetype?: string };
}

/** Changes the row only: files are named by version, not by key. */
export async function move(moveRequest: MoveRequest, caller: StorageCaller, { database }: Service) {
  const bucket = moveRequest.destinationBucket ?? moveRequest.bucketId;
  const key = requireValidKey(moveRequest.destinationKey);
  return await database.as(caller, async (transaction) => {
    const [source] = await transaction`
      select id from storage.objects where bucket_id = ${moveRequest.bucketId} and name = ${
      requireValidKey(moveRequest.sourceKey)
    }`;
    if (!source) throw ERRORS.noSuchKey();
    const change = { bucket_id: bucket, name: key, ...ownerColumns(caller.claims.sub) };
    const [moved] = await transaction<ObjectRow[]>`
      update storage.objects set ${transaction(change)} where id = ${source.id} returning *`;
    if (!moved) throw ERRORS.accessDenied("new row violates row-level security policy");
    return { message: "Successfully moved", Id: moved.id, Key: moved.name };
  });
}

export async function copy(moveRequest: MoveRequest, caller: StorageCaller, service: Service) {
  const { database, files } = service;
  const source = await database.as(caller, async (transaction) => {
    const [row] = await transaction<ObjectRow[]>`
      select * from storage.objects where bucket_id = ${moveRequest.bucketId} and name = ${
      requireValidKey(moveRequest.sourceKey)
    }`;
    return row;
  });
  if (!source?.metadata) throw ERRORS.noSuchKey();
  const target = {
    bucket: moveRequest.destinationBucket ?? moveRequest.bucketId,
    key: requireValidKey(moveRequest.destinationKey),
    isUpsert: caller.request.headers.get("x-upsert") === "true",
    owner: caller.claims.sub,
  };
  const copiesAll = moveRequest.copyMetadata ?? true;
  const { cacheControl, mimetype } = { ...source.metadata, ...copiesAll ? {} : moveRequest.metadata };
  const metadata = { ...source.metadata, cacheControl, mimetype, lastModified: nowToSecond() };
  const userMetadata = copiesAll ? source.user_metadata : parseUserMetadata(caller.request);
  await requireWriteAccess(target, { metadata, userMetadata }, caller, database);
  const version = crypto.randomUUID();
  await files.copy(source.version, version);
  const row = await complete(target, { version, metadata, userMetadata }, caller, service);
  return { ...row, Id: row.id, Key: `${target.bucket}/${target.key}` };
}

/** Deletes the objects that the caller may delete, and returns their rows. */
export async function remove(bucket: string, keys: unknown, caller: StorageCaller, { database, files }: Service) {
  if (!Array.isArray(keys) || keys.length === 0) {
    throw ERRORS.invalidRequest("body must have required property 'prefixes'");
  }
  const deleted = await database.as(caller, (transaction) =>
    transaction<ObjectRow[]>`
      delete from storage.objects where bucket_id = ${bucket} and name = any (${keys.map(String)}) returning *`);
  await files.remove(deleted.map((row) => row.version));
  return deleted;
}

export async function removeOne(bucket: string, key: string, caller: StorageCaller, service: Service) {
  const [found] = await service.database.sql`
    select from storage.objects where bucket_id = ${bucket} and name = ${requireValidKey(key)}`;
  if (!found) throw ERRORS.noSuchKey();
  const deleted = await remove(bucket, [key], caller, service);
  if (deleted.length === 0) throw ERRORS.accessDenied();
  return { message: "Successfully deleted" };
}
