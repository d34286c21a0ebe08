// What can be asked of buckets.
import { createBucket, deleteBucket, emptyBucket, getBucket, listBuckets, updateBucket } from "./buckets.ts";
import { handle, json, type Route } from "./route.ts";

export const bucketRoutes: Route[] = [
  handle(
    "POST",
    "/bucket",
    "storage.bucket.create",
    "known",
    async (h) => createBucket(await json(h.request), h.visitor, h.database),
  ),
  handle(
    "GET",
    "/bucket",
    "storage.bucket.list",
    "known",
    (h) => listBuckets(h.url.searchParams, h.visitor, h.database),
  ),
  handle("POST", "/bucket/:b/empty", "storage.bucket.empty", "known", (h) => emptyBucket(h.bucket, h.visitor, h)),
  handle("GET", "/bucket/:b", "storage.bucket.get", "known", (h) => getBucket(h.bucket, h.visitor, h.database)),
  handle(
    "PUT",
    "/bucket/:b",
    "storage.bucket.update",
    "known",
    async (h) => updateBucket(h.bucket, await json(h.request), h.visitor, h.database),
  ),
  handle(
    "DELETE",
    "/bucket/:b",
    "storage.bucket.delete",
    "known",
    (h) => deleteBucket(h.bucket, h.visitor, h.database),
  ),
];
