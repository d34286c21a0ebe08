// One entry of the service's route table.
import { parseJson, readText, TooLarge } from "../json.ts";
import type { Visitor } from "./authentication.ts";
import { refusals } from "./errors.ts";
import type { RequestBody } from "./request_body.ts";
import type { Turns } from "./resumable_locks.ts";
import type { Uploads } from "./resumable_uploads.ts";
import type { Signing } from "./signing.ts";
import type { Service } from "./upload.ts";

/** Everything that a route works with. */
export interface Handling extends Service {
  request: Request;
  body: RequestBody;
  url: URL;
  bucket: string;
  key: string;
  visitor: Visitor;
  signing: Signing;
  uploads: Uploads;
  turns: Turns;
}

/** open: nobody is asked for a token. lenient: who has none sees what is public. known: a key or a token. */
export type Access = "open" | "lenient" | "known";

export interface Route {
  method: string;
  pattern: RegExp;
  operation: string;
  access: Access;
  /** What is no Response is answered as JSON. */
  run(handling: Handling): Promise<unknown>;
}

/** `:b` is a bucket, `*` a key with all its slashes. */
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

/** The request's body, which must be JSON. */
export async function json<T>(request: Request): Promise<T> {
  const body = await readText(request).then(parseJson).catch((error) => {
    if (error instanceof TooLarge) throw refusals.tooLarge("body");
  });
  if (typeof body !== "object" || body === null) throw refusals.invalidRequest("body must be object");
  return body as T;
}
