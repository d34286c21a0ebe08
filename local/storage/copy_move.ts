// Moves, copies and deletes objects.
import type { ObjectRow, StorageCaller } from "./database.ts";
import { ownerColumns } from "./database.ts";
import { ERRORS, StorageError } from "./errors.ts";
import { requireValidBucketName, requireValidKey } from "./keys.ts";
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

/** The target of a move or copy. Throws invalidBucketName or invalidKey. */
function targetOf({ bucketId, destinationBucket, destinationKey }: MoveRequest) {
  requireValidBucketName(bucketId);
  return { bucket: destinationBucket || bucketId, key: requireValidKey(destinationKey) };
}

/** Changes the row only: files are named by version, not by key. */
export async function move(moveRequest: MoveRequest, caller: StorageCaller, { database }: Service) {
  const { bucket, key } = targetOf(moveRequest);
  await database.as(caller, async (transaction) => {
    const [source] = await transaction`
      select id from storage.objects
      where bucket_id = ${moveRequest.bucketId} and name = ${moveRequest.sourceKey}`;
    if (!source) throw ERRORS.noSuchKey();
    const change = { bucket_id: bucket, name: key, ...ownerColumns(caller.claims.sub) };
    const [moved] = await transaction<ObjectRow[]>`
      update storage.objects set ${transaction(change)} where id = ${source.id} returning *`;
    if (!moved) throw ERRORS.noSuchKey(); // a policy allows to read it, and none to change it
  }).catch((error) => {
    throw error instanceof StorageError && error.code === "KeyAlreadyExists"
      ? ERRORS.alreadyExists("ResourceAlreadyExists")
      : error;
  });
  return { message: "Successfully moved" };
}

export async function copy(moveRequest: MoveRequest, caller: StorageCaller, service: Service) {
  const { database, files } = service;
  const target = {
    ...targetOf(moveRequest),
    isUpsert: caller.request.headers.get("x-upsert") === "true",
    owner: caller.claims.sub,
  };
  const source = await database.as(caller, async (transaction) => {
    const [row] = await transaction<ObjectRow[]>`
      select * from storage.objects
      where bucket_id = ${moveRequest.bucketId} and name = ${moveRequest.sourceKey}`;
    return row;
  });
  if (!source?.metadata) throw ERRORS.noSuchKey();
  const copiesAll = moveRequest.copyMetadata ?? true;
  const { cacheControl, mimetype } = { ...source.metadata, ...copiesAll ? {} : moveRequest.metadata };
  const metadata = { ...source.metadata, cacheControl, mimetype, lastModified: nowToSecond() };
  const userMetadata = copiesAll ? source.user_metadata : parseUserMetadata(caller.request);
  await requireWriteAccess(target, { metadata, userMetadata: userMetadata ?? undefined }, caller, database);
  const version = crypto.randomUUID();
  await files.copy(source.version, version);
  const row = await complete(target, { version, metadata, userMetadata }, caller, service);
  return { ...serialize(row), Id: row.id, Key: `${target.bucket}/${target.key}` };
}

/** A row as the service's schema of objects has it: an absent owner is "". */
const serialize = ({ path_tokens: _, ...row }: ObjectRow & { path_tokens?: string[] }) => ({
  ...row,
  owner: row.owner ?? "",
  owner_id: row.owner_id ?? "",
});

/** Deletes the objects that the caller may delete, and returns their rows. */
export async function remove(bucket: string, keys: string[], caller: StorageCaller, { database, files }: Service) {
  const deleted = await database.as(caller, (transaction) =>
    transaction<ObjectRow[]>`
      delete from storage.objects where bucket_id = ${bucket} and name = any (${keys}) returning *`);
  await files.remove(deleted.map((row) => row.version));
  return deleted;
}

export async function removeOne(bucket: string, key: string, caller: StorageCaller, service: Service) {
  const [found] = await service.database.sql`
    select from storage.objects where bucket_id = ${bucket} and name = ${key}`;
  if (!found) throw ERRORS.noSuchKey();
  const deleted = await remove(bucket, [key], caller, service);
  if (deleted.length === 0) throw ERRORS.accessDenied();
  return { message: "Successfully deleted" };
}
