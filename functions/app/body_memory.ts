/**
 * Memory of request bodies: a request reserves its received bytes until it ends. Beyond the limit it gets 503, because
 * the platform ends a process that exceeds 256 MB, with every request in it.
 */
import { ApiError } from "./errors.ts";

/** Forwarding copies bytes, so this much can exist twice beside the hundred MB of an idle process. */
export const MAX_BUFFERED_BYTES = 64 * 1024 * 1024;

const bytesByRequest = new WeakMap<Request, number>();
let totalBytes = 0;

/** Counts bytes that this request buffers. `edgeFunction` releases them when the request ends. */
export function reserve(request: Request, bytes: number): void {
  if (totalBytes + bytes > MAX_BUFFERED_BYTES) throw new ApiError(503, "Too many concurrent uploads; try again");
  totalBytes += bytes;
  bytesByRequest.set(request, (bytesByRequest.get(request) ?? 0) + bytes);
}

/** Releases all bytes of this request. Calling it again does nothing. */
export function release(request: Request): void {
  totalBytes -= bytesByRequest.get(request) ?? 0;
  bytesByRequest.delete(request);
}
