/**
 * Memory of request bodies: a request reserves its received bytes until it ends. Beyond a limit it gets 503, because
 * the platform ends a process that exceeds 256 MB, with every request in it. Each caller has a share, so that bodies
 * that one of them sends slowly take no memory of the others.
 */
import { clientNetwork } from "./client_address.ts";
import { ApiError } from "../runtime/api_error.ts";

const MB = 1024 * 1024;

interface Budget {
  maxBytes: number;
  /** Of one user; without a login, of one client address. */
  maxBytesPerCaller: number;
  /** What the bytes belong to, for the error. */
  what: string;
}

/**
 * `uploads` holds files and their conversions: forwarding copies bytes, so this much can exist twice beside the hundred
 * MB of an idle process. A transcript that is converted takes a whole share. JSON without a login has memory of its own:
 * many strangers do not stop the users.
 */
export const BUDGETS = {
  uploads: { maxBytes: 64 * MB, maxBytesPerCaller: 20 * MB, what: "uploads" },
  json: { maxBytes: 8 * MB, maxBytesPerCaller: MB, what: "requests" },
  anonymousJson: { maxBytes: 8 * MB, maxBytesPerCaller: MB, what: "requests" },
} satisfies Record<string, Budget>;

interface Usage {
  total: number;
  byCaller: Map<string, number>;
}

const usages = new Map<Budget, Usage>();
const users = new WeakMap<Request, string>();
const releases = new WeakMap<Request, (() => void)[]>();

/** Counts this request's bytes to the user instead of the client's address. */
export function setCaller(request: Request, userId: string): void {
  users.set(request, userId);
}

/** A file, or a short body such as JSON or a form. */
export type BodyKind = "uploads" | "json";

/** Counts bytes that this request buffers. `edgeFunction` releases them when the request ends. */
export function reserve(request: Request, bytes: number, kind: BodyKind = "uploads"): void {
  const user = users.get(request), caller = user ?? clientNetwork(request);
  const budget: Budget = BUDGETS[kind === "json" && user === undefined ? "anonymousJson" : kind];
  const usage = usages.get(budget) ?? { total: 0, byCaller: new Map<string, number>() };
  const own = usage.byCaller.get(caller) ?? 0;
  if (own + bytes > budget.maxBytesPerCaller) {
    const megabytes = budget.maxBytesPerCaller / MB;
    throw new ApiError(503, `Too many concurrent ${budget.what} from you; wait until one has ended`, {
      details: `At most ${megabytes} MB of them are read at a time`,
    });
  }
  if (usage.total + bytes > budget.maxBytes) throw new ApiError(503, `Too many concurrent ${budget.what}; try again`);
  usages.set(budget, usage);
  add(usage, caller, bytes);
  const undo = () => add(usage, caller, -bytes);
  const earlier = releases.get(request);
  if (earlier) earlier.push(undo);
  else releases.set(request, [undo]);
}

function add(usage: Usage, caller: string, bytes: number) {
  usage.total += bytes;
  const own = (usage.byCaller.get(caller) ?? 0) + bytes;
  if (own > 0) usage.byCaller.set(caller, own);
  else usage.byCaller.delete(caller);
}

/** Releases all bytes of this request. Calling it again does nothing. */
export function release(request: Request): void {
  releases.get(request)?.forEach((undo) => undo());
  releases.delete(request);
}
