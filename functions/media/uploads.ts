/** Objects that become part of a show, or do not: the same in every upload, whatever is uploaded. */
import type { RequestBody } from "../app/request_body.ts";
import { type RpcResult, serviceSql, withRetry } from "../database/db.ts";
import { type Bucket, deleteObjects, putObject } from "./storage.ts";

/**
 * Stores an object and finishes it in the database, which names it then. When either fails, the object goes: nothing
 * knows of it.
 */
export async function storeAndFinish(
  path: string,
  put: () => Promise<void>,
  finish: () => Promise<{ text: string }[]>,
): Promise<RpcResult> {
  try {
    await put();
    const [{ text }] = await withRetry(finish);
    return { status: 200, text };
  } catch (error) {
    await deleteUnfinishedUpload(path);
    throw error;
  }
}

/** Stores a body as it comes. What became of the body says more than storage's complaint about it. */
export function putBody(path: string, { content, getError }: RequestBody, contentType: string): Promise<void> {
  return putObject(path, content, contentType).catch((error) => Promise.reject(getError() ?? error));
}

/**
 * Removes the object of an upload that failed. A lost connection may hide a finish that succeeded, or that will:
 * begin_object_removal waits for one under way, and a later one is rejected. What cannot be removed in three attempts
 * is left to the daily sweep.
 */
export async function deleteUnfinishedUpload(path: string): Promise<void> {
  let last: unknown;
  for (const pause of [0, 100, 400]) {
    try {
      await new Promise((resolve) => setTimeout(resolve, pause));
      const [{ id }] = await serviceSql<{ id: string | null }[]>`select private.begin_object_removal(${path}) as id`;
      if (!id) return;
      await deleteObjects("media", [path]);
      await serviceSql`select private.end_object_removal(${id})`;
      return;
    } catch (error) {
      last = error;
    }
  }
  console.error(JSON.stringify({ message: "An upload's object was not removed", path, error: String(last) }));
}

/** The answer of a finished image, without what is only ours to know: `deletablePaths`, the objects that go now. */
export async function deleteReplacedObjects({ status, text }: RpcResult): Promise<RpcResult> {
  const { deletablePaths = [], ...rest } = JSON.parse(text);
  await tryCollectGarbage("media", deletablePaths);
  return { status, text: JSON.stringify(rest) };
}

/** Deletes those of these objects that nothing names any more. */
export async function collectGarbage(bucket: Bucket, paths: string[]): Promise<void> {
  const [{ free }] = await serviceSql<{ free: string[] }[]>`
    select to_jsonb(private.claim_orphaned_objects(${bucket}, ${paths}::text[])) as free`;
  if (free.length > 0) await deleteObjects(bucket, free);
}

/** Deletes what the queue was told to delete already, so that it is gone when the answer is there. */
export async function tryCollectGarbage(bucket: Bucket, paths: string[]): Promise<void> {
  if (paths.length === 0) return;
  await collectGarbage(bucket, paths).catch((error) =>
    console.error(JSON.stringify({ message: "Objects are left to the queue", bucket, paths, error: String(error) }))
  );
}
