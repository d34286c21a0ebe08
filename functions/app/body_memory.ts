/**
 * How much of all bodies together is in memory: a request holds what came of its body until it is over. What would be
 * too much is a 503, for the platform ends a process that needs more than its 256 MB, with every request in it.
 */
import { Refusal } from "./errors.ts";

/** Sending bytes on copies them: this much can be there twice, beside the hundred MB of an idle process. */
export const MOST_HELD = 64 * 1024 * 1024;

const held = new WeakMap<Request, number>();
let all = 0;

/** Counts bytes that this request keeps from now on. `edgeFunction` lets go of them when the request is over. */
export function hold(request: Request, bytes: number): void {
  if (all + bytes > MOST_HELD) throw new Refusal(503, "Too many uploads at once");
  all += bytes;
  held.set(request, (held.get(request) ?? 0) + bytes);
}

/** Whatever this request held, it holds no more. May be said more than once. */
export function letGo(request: Request): void {
  all -= held.get(request) ?? 0;
  held.delete(request);
}
