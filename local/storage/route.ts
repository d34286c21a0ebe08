// An entry of the service's route table.
import { parseJson, readText, TooLarge } from "../json.ts";
import type { AuthenticatedCaller } from "./authentication.ts";
import { ERRORS } from "./errors.ts";
import type { RequestBody } from "./request_body.ts";
import type { TusServer } from "./resumable.ts";
import type { Signing } from "./signing.ts";
import type { Service } from "./upload.ts";

/** The dependencies and the request of a route. */
export interface RequestContext extends Service {
  request: Request;
  body: RequestBody;
  url: URL;
  bucket: string;
  key: string;
  caller: AuthenticatedCaller;
  signing: Signing;
  tus: TusServer;
}

/** public: without a token. optional: callers without a token read public buckets. authenticated: key or token. */
export type Access = "public" | "optional" | "authenticated";

export interface Route {
  method: string;
  pattern: RegExp;
  operation: string;
  access: Access;
  /** Returns a Response, or a value that becomes JSON. */
  run(context: RequestContext): Promise<unknown>;
}

/** In `path`, `:b` is a bucket and `*` a key with its slashes. */
export function handle(
  method: string,
  path: string,
  operation: string,
  access: Access,
  run: Route["run"],
): Route {
  const pattern = path.replace(":b", "(?<bucket>[^/]+)").replace("*", "(?<key>.+)");
  return { method, pattern: new RegExp(`^${pattern}$`), operation, access, run };
}

/** Parses the request's body as JSON. Throws invalidRequest or tooLarge. */
export async function json<T>(request: Request): Promise<T> {
  const body = await readText(request).then(parseJson).catch((error) => {
    if (error instanceof TooLarge) throw ERRORS.tooLarge("body");
  });
  if (typeof body !== "object" || body === null) throw ERRORS.invalidRequest("body must be object");
  return body as T;
}
