/** Steps that every upload shares: store, finish in the database, delete what is unused. */
import { logError } from "../../runtime/log.ts";
import type { RequestBody } from "../../app/request_body.ts";
import { type RpcResult } from "../../database/db.ts";
import { routeService } from "../../database/service.ts";
import { type Bucket, deleteObjects, putObject } from "./storage.ts";

/**
 * Stores an object and finishes the upload in the database, which then references it. If either fails, deletes the
 * object.
 */
export async function storeAndFinish(
  path: string,
  put: () => Promise<void>,
  finish: () => Promise<string | null>,
): Promise<RpcResult> {
  try {
    await put();
    return { status: 200, text: (await finish())! };
  } catch (error) {
    await deleteUnfinishedUpload(path);
    throw error;
  }
}

/** Stores a body as a stream. An error of the body explains more than storage's error about it. */
export function putBody(path: string, { content, getError }: RequestBody, contentType: string): Promise<void> {
  return putObject(path, content, contentType).catch((error) => Promise.reject(getError() ?? error));
}

/**
 * Deletes the object of a failed upload. A lost connection may hide a finish that succeeds: begin_object_removal waits
 * for one in progress and rejects a later one. After three attempts the daily sweep deletes the object.
 */
export async function deleteUnfinishedUpload(path: string): Promise<void> {
  let lastError: unknown;
  for (const pause of [0, 100, 400]) {
    try {
      await new Promise((resolve) => setTimeout(resolve, pause));
      const id = await routeService("begin_object_removal", { path });
      if (!id) return;
      await deleteObjects("media", [path]);
      await routeService("end_object_removal", { id });
      return;
    } catch (error) {
      lastError = error;
    }
  }
  logError({ message: "Failed to delete the object of a failed upload", path, error: lastError });
}

/** Deletes the objects that a finished image replaced (`deletablePaths`) and returns the result without them. */
export async function deleteReplacedObjects({ status, text }: RpcResult): Promise<RpcResult> {
  const { deletablePaths = [], ...rest } = JSON.parse(text);
  await tryCollectGarbage("media", deletablePaths);
  return { status, text: JSON.stringify(rest) };
}

/** Deletes those of these objects that nothing references. */
export async function collectGarbage(bucket: Bucket, paths: string[]): Promise<void> {
  const free = await routeService("claim_orphaned_objects", { bucket, paths });
  if (free?.length) await deleteObjects(bucket, free);
}

/** Deletes objects that are already enqueued for deletion, so that no object outlives the response. */
export async function tryCollectGarbage(bucket: Bucket, paths: string[]): Promise<void> {
  if (paths.length === 0) return;
  await collectGarbage(bucket, paths).catch((error) =>
    logError({ message: "Immediate deletion failed; left to the storage_gc queue", bucket, paths, error })
  );
}
