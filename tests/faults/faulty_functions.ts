// Functions whose storage and database a test can make fail, and requests to them.
import { fetchDocumented } from "../http/documented_responses.ts";
import { type ApiResponse, person, type RequestOptions, stackInfo } from "../http/harness.ts";
import { type FunctionsProcess, startFunctions } from "../functions.ts";
import { type DatabaseProxy, startDatabaseProxy } from "./database_proxy.ts";
import { startStorageProxy, type StorageProxy } from "./storage_proxy.ts";

export interface FaultyFunctions extends FunctionsProcess {
  storage: StorageProxy;
  database: DatabaseProxy;
}

/** Starts functions that reach storage and database only through these proxies. */
export async function startFaultyFunctions(): Promise<FaultyFunctions> {
  const storage = startStorageProxy(stackInfo), database = startDatabaseProxy(stackInfo);
  const functions = await startFunctions(stackInfo, { SUPABASE_URL: storage.url, SUPABASE_DB_URL: database.url });
  return {
    ...functions,
    storage,
    database,
    async [Symbol.asyncDispose]() {
      await functions[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
      await storage[Symbol.asyncDispose]();
    },
  };
}

let started: Promise<FaultyFunctions> | undefined;
addEventListener("unload", () => void started?.then(({ pid }) => Deno.kill(pid)));

/** A test with the functions that the tests of its file share. Its faults end with it, the functions' connections do not. */
export function testWithFaults(name: string, fn: (functions: FaultyFunctions) => Promise<void>) {
  testBesideFaults(name, async () => {
    const functions = await (started ??= startFaultyFunctions());
    await fn(functions).finally(() => {
      functions.storage.fault = () => undefined;
      functions.database.cuts = () => false;
    });
  });
}

/** A test without these functions, in a file where others have them: their idle connections may end during it. */
export function testBesideFaults(name: string, fn: () => Promise<void>) {
  Deno.test({ name, sanitizeOps: false, sanitizeResources: false, fn });
}

/** Sends a request to these functions, as `sendRequest` does to those of the stack. */
export async function requestTo(
  functions: FunctionsProcess,
  { method, path, as = "anon", json, body, headers }: RequestOptions,
) {
  const token = typeof as === "object" ? as.token : as === "anon" ? undefined : (await person(as)).token;
  const response = await fetchDocumented(functions.url + path, {
    method,
    headers: {
      ...token && { authorization: `Bearer ${token}` },
      ...json !== undefined && { "content-type": "application/json" },
      ...headers,
    },
    body: json !== undefined ? JSON.stringify(json) : body,
  });
  const text = await response.text();
  const result: ApiResponse = { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  return result;
}

/** Recognizes requests to storage. */
export const isStore = ({ method, url }: Request) => method === "POST" && /\/object\/media\//.test(url);
export const isCopy = ({ method, url }: Request) => method === "POST" && url.endsWith("/object/copy");
export const isRemoval = ({ method }: Request) => method === "DELETE";

export interface PausedRequest {
  /** Resolves when the first request is paused. */
  reached: Promise<void>;
  /** Forwards paused and later requests. */
  release(): void;
}

/** Pauses the requests to storage that `which` selects, until `release`. */
export function pauseRequest(storage: StorageProxy, which: (request: Request) => boolean): PausedRequest {
  const reached = Promise.withResolvers<void>(), released = Promise.withResolvers<void>();
  storage.fault = (request, forward) => {
    if (!which(request)) return;
    reached.resolve();
    return released.promise.then(forward);
  };
  return { reached: reached.promise, release: released.resolve };
}
