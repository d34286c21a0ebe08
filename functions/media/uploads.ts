/** Objects that become part of a show, or do not: the same in every upload, whatever is uploaded. */
import type { Incoming } from "../app/request_body.ts";
import { type Answer, retried, service } from "../database/db.ts";
import { type Bucket, discard, store } from "./storage.ts";

/**
 * Stores an object and finishes it in the database, which names it then. When either fails, the object goes: nothing
 * knows of it.
 */
export async function uploaded(
  path: string,
  place: () => Promise<void>,
  finish: () => Promise<{ text: string }[]>,
): Promise<Answer> {
  try {
    await place();
    const [{ text }] = await retried(finish);
    return { status: 200, text };
  } catch (error) {
    await abandon(path);
    throw error;
  }
}

/** Stores a body as it comes. What became of the body says more than storage's complaint about it. */
export function storeBody(path: string, { content, failure }: Incoming, contentType: string): Promise<void> {
  return store(path, content, contentType).catch((error) => Promise.reject(failure() ?? error));
}

/**
 * Removes the object of an upload that failed. A lost connection may hide a finish that succeeded, or that will:
 * begin_object_removal waits for one under way, and a later one is rejected. What cannot be removed in three attempts
 * is left to the daily sweep.
 */
export async function abandon(path: string): Promise<void> {
  let last: unknown;
  for (const pause of [0, 100, 400]) {
    try {
      await new Promise((resolve) => setTimeout(resolve, pause));
      const [{ id }] = await service<{ id: string | null }[]>`select private.begin_object_removal(${path}) as id`;
      if (!id) return;
      await discard("media", [path]);
      await service`select private.end_object_removal(${id})`;
      return;
    } catch (error) {
      last = error;
    }
  }
  console.error(JSON.stringify({ message: "An upload's object was not removed", path, error: String(last) }));
}

/** The answer of a finished image, without what is only ours to know: `collectable`, the objects that go now. */
export async function settled({ status, text }: Answer): Promise<Answer> {
  const { collectable = [], ...rest } = JSON.parse(text);
  await removeNow("media", collectable);
  return { status, text: JSON.stringify(rest) };
}

/** Deletes those of these objects that nothing names any more. */
export async function removeReleased(bucket: Bucket, paths: string[]): Promise<void> {
  const [{ free }] = await service<{ free: string[] }[]>`
    select to_jsonb(private.take_collectable(${bucket}, ${paths}::text[])) as free`;
  if (free.length > 0) await discard(bucket, free);
}

/** Deletes what the queue was told to delete already, so that it is gone when the answer is there. */
export async function removeNow(bucket: Bucket, paths: string[]): Promise<void> {
  if (paths.length === 0) return;
  await removeReleased(bucket, paths).catch((error) =>
    console.error(JSON.stringify({ message: "Objects are left to the queue", bucket, paths, error: String(error) }))
  );
}
