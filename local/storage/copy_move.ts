// Objects that change their place or go: move, copy, remove.
import type { Asking, ObjectRow } from "./database.ts";
import { ownerOf } from "./database.ts";
import { refusals } from "./errors.ts";
import { checkKey } from "./keys.ts";
import { userMetadataOf } from "./upload_body.ts";
import { complete, mayWrite, type Service, thisSecond } from "./upload.ts";

/** The body of POST /object/move and /object/copy. */
export interface Journey {
  bucketId: string;
  sourceKey: string;
  destinationBucket?: string;
  destinationKey: string;
  /** copy only: everything comes along (which is so without a word), or `metadata` counts. */
  copyMetadata?: boolean;
  /** Only without copyMetadata; what is not named here comes along even then. */
  metadata?: { cacheControl?: string; mimetype?: string };
}

/** The bytes stay where they are: only the row knows the key. */
export async function move(journey: Journey, asking: Asking, { database }: Service) {
  const bucket = journey.destinationBucket ?? journey.bucketId;
  const key = checkKey(journey.destinationKey);
  return await database.as(asking, async (transaction) => {
    const [source] = await transaction`
      select id from storage.objects where bucket_id = ${journey.bucketId} and name = ${checkKey(journey.sourceKey)}`;
    if (!source) throw refusals.noSuchKey();
    const change = { bucket_id: bucket, name: key, ...ownerOf(asking.claims.sub) };
    const [moved] = await transaction<ObjectRow[]>`
      update storage.objects set ${transaction(change)} where id = ${source.id} returning *`;
    if (!moved) throw refusals.accessDenied("new row violates row-level security policy");
    return { message: "Successfully moved", Id: moved.id, Key: moved.name };
  });
}

export async function copy(journey: Journey, asking: Asking, service: Service) {
  const { database, files } = service;
  const source = await database.as(asking, async (transaction) => {
    const [row] = await transaction<ObjectRow[]>`
      select * from storage.objects where bucket_id = ${journey.bucketId} and name = ${checkKey(journey.sourceKey)}`;
    return row;
  });
  if (!source?.metadata) throw refusals.noSuchKey();
  const target = {
    bucket: journey.destinationBucket ?? journey.bucketId,
    key: checkKey(journey.destinationKey),
    isUpsert: asking.request.headers.get("x-upsert") === "true",
    owner: asking.claims.sub,
  };
  const isWhole = journey.copyMetadata ?? true;
  const { cacheControl, mimetype } = { ...source.metadata, ...isWhole ? {} : journey.metadata };
  const metadata = { ...source.metadata, cacheControl, mimetype, lastModified: thisSecond() };
  const userMetadata = isWhole ? source.user_metadata : userMetadataOf(asking.request);
  await mayWrite(target, { metadata, userMetadata }, asking, database);
  const version = crypto.randomUUID();
  await files.copy(source.version, version);
  const row = await complete(target, { version, metadata, userMetadata }, asking, service);
  return { ...row, Id: row.id, Key: `${target.bucket}/${target.key}` };
}

/** Removes what the caller may delete of these keys, and says what that was. */
export async function remove(bucket: string, keys: unknown, asking: Asking, { database, files }: Service) {
  if (!Array.isArray(keys) || keys.length === 0) {
    throw refusals.invalidRequest("body must have required property 'prefixes'");
  }
  const gone = await database.as(asking, (transaction) =>
    transaction<ObjectRow[]>`
      delete from storage.objects where bucket_id = ${bucket} and name = any (${keys.map(String)}) returning *`);
  await files.remove(gone.map((row) => row.version));
  return gone;
}

export async function removeOne(bucket: string, key: string, asking: Asking, service: Service) {
  const [found] = await service.database.sql`
    select from storage.objects where bucket_id = ${bucket} and name = ${checkKey(key)}`;
  if (!found) throw refusals.noSuchKey();
  const gone = await remove(bucket, [key], asking, service);
  if (gone.length === 0) throw refusals.accessDenied();
  return { message: "Successfully deleted" };
}
