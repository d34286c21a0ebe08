/**
 * How much of all bodies together is in memory: a request holds what came of its body until it is over. What would be
 * too much is a 503, for the platform ends a process that needs more than its 256 MB, with every request in it.
 */
import { ApiError } from "./errors.ts";

/** Sending bytes on copies them: this much can be there twice, beside the hundred MB of an idle process. */
export const MAX_BUFFERED_BYTES = 64 * 1024 * 1024;

const bytesByRequest = new WeakMap<Request, number>();
let totalBytes = 0;

/** Counts bytes that this request keeps from now on. `edgeFunction` lets go of them when the request is over. */
export function reserve(request: Request, bytes: number): void {
  if (totalBytes + bytes > MAX_BUFFERED_BYTES) throw new ApiError(503, "Too many uploads at once");
  totalBytes += bytes;
  bytesByRequest.set(request, (bytesByRequest.get(request) ?? 0) + bytes);
}

/** Whatever this request held, it holds no more. May be said more than once. */
export function release(request: Request): void {
  totalBytes -= bytesByRequest.get(request) ?? 0;
  bytesByRequest.delete(request);
}
