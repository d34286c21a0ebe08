// JSON bodies of requests, with the errors of the service's web framework.
import { parseJson, readText, TooLarge } from "../wire/json.ts";
import { StorageError } from "./errors.ts";

const frameworkError = (status: number, code: string, message: string) =>
  new StorageError(status, code, message, "FastifyError", { http: status });

const mediaType = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/;

/** Throws InvalidMimeType for a Content-Type without a type and a subtype. */
export function requireValidMediaType(request: Request) {
  const type = request.headers.get("content-type");
  if (type !== null && !mediaType.test(type)) {
    throw new StorageError(415, "InvalidMimeType", "Invalid Content-Type header", "invalid_mime_type");
  }
}

/** Reads a JSON body; undefined for another type, and for an empty body that the route allows. Throws. */
export async function readJson(request: Request, allowsEmpty: boolean): Promise<unknown> {
  const type = request.headers.get("content-type");
  if (request.method === "GET" || request.method === "HEAD" || type === null) return undefined;
  requireValidMediaType(request);
  if (!/^application\/json\b/i.test(type)) return undefined;
  const text = await readText(request).catch((error) => {
    throw error instanceof TooLarge ? frameworkError(413, "EntityTooLarge", "Request body is too large") : error;
  });
  if (text === "" && allowsEmpty) return undefined;
  const problem = "when content-type is set to 'application/json'";
  if (text === "") throw frameworkError(400, "InvalidRequest", `Body cannot be empty ${problem}`);
  try {
    return parseJson(text);
  } catch {
    const message = `Body is not valid JSON but content-type is set to 'application/json'`;
    throw frameworkError(400, "InvalidRequest", message);
  }
}
