// Routes of buckets.
import { createBucket, deleteBucket, emptyBucket, getBucket, listBuckets, updateBucket } from "./buckets.ts";
import { handle, json, type Route } from "./route.ts";

export const bucketRoutes: Route[] = [
  handle(
    "POST",
    "/bucket",
    "storage.bucket.create",
    "authenticated",
    async (h) => createBucket(await json(h.request), h.caller, h.database),
  ),
  handle(
    "GET",
    "/bucket",
    "storage.bucket.list",
    "authenticated",
    (h) => listBuckets(h.url.searchParams, h.caller, h.database),
  ),
  handle(
    "POST",
    "/bucket/:b/empty",
    "storage.bucket.empty",
    "authenticated",
    (h) => emptyBucket(h.bucket, h.caller, h),
  ),
  handle("GET", "/bucket/:b", "storage.bucket.get", "authenticated", (h) => getBucket(h.bucket, h.caller, h.database)),
  handle(
    "PUT",
    "/bucket/:b",
    "storage.bucket.update",
    "authenticated",
    async (h) => updateBucket(h.bucket, await json(h.request), h.caller, h.database),
  ),
  handle(
    "DELETE",
    "/bucket/:b",
    "storage.bucket.delete",
    "authenticated",
    (h) => deleteBucket(h.bucket, h.caller, h.database),
  ),
];
