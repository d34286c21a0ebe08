// The storage service's errors. Most are HTTP 400 with the real status in the body, as on the platform.
import { jsonResponse } from "./json_response.ts";

/** An error with the service's code and message. */
export class StorageError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** An older name of the code. */
    readonly error = code,
    readonly options: { headers?: Record<string, string>; http?: number } = {},
  ) {
    super(message);
  }
}

export const ERRORS = {
  noSuchBucket: () => new StorageError(404, "NoSuchBucket", "Bucket not found", "Bucket not found"),
  noSuchKey: () => new StorageError(404, "NoSuchKey", "Object not found", "not_found"),
  alreadyExists: (code: string) => new StorageError(409, code, "The resource already exists", "Duplicate"),
  bucketNotEmpty: () =>
    new StorageError(409, "ResourceNotEmpty", "The bucket you tried to delete is not empty", "ResourceNotEmpty"),
  invalidKey: (key: string) => new StorageError(400, "InvalidKey", `Invalid key: ${key}`),
  invalidBucketName: () => new StorageError(400, "InvalidBucketName", "Bucket name invalid", "Invalid Input"),
  invalidParameter: (name: string) => new StorageError(400, "InvalidParameter", `Invalid Parameter ${name}`),
  noContent: (message = "No content provided") => new StorageError(400, "InvalidRequest", message),
  invalidMimeType: (type: string) =>
    new StorageError(415, "InvalidMimeType", `mime type ${type} is not supported`, "invalid_mime_type"),
  tooLarge: (what = "object") =>
    new StorageError(413, "EntityTooLarge", `The ${what} exceeded the maximum allowed size`, "Payload too large"),
  tooManyFields: (max: number) =>
    new StorageError(
      413,
      "EntityTooLarge",
      `The form has more than ${max} fields before its file`,
      "Payload too large",
    ),
  missing: (feature: string, advice: string) =>
    new StorageError(400, "FeatureNotEnabled", `${feature} missing from the local stack. ${advice}`),
  accessDenied: (message = "Access denied") => new StorageError(403, "AccessDenied", message, "Unauthorized"),
  invalidJwt: (message: string) => new StorageError(400, "InvalidJWT", message),
  invalidSignature: (message = "Invalid signature") => new StorageError(400, "InvalidSignature", message),
  invalidRange: (size: number) =>
    new StorageError(416, "InvalidRange", "invalid range provided", "invalid_range", {
      headers: { "content-range": `bytes */${size}` },
    }),
};

/** Statuses that are also the HTTP status. */
const HTTP_STATUSES = new Set([416, 500]);

export function errorResponse({ status, code, error, message, options: { headers, http } }: StorageError): Response {
  const body = { statusCode: String(status), code, error, message };
  return jsonResponse(body, http ?? (HTTP_STATUSES.has(status) ? status : 400), headers);
}

/** Paths whose unknown routes have the form of the service's errors. */
const RESOURCES = /^\/(bucket|object|render\/image|vector)(\/|$)/;

/** The framework's own errors lack the charset. */
const plainJson = { "content-type": "application/json" };

/** The response to an unknown route; `target` is the path with its query. */
export function noRoute(method: string, target: string): Response {
  const message = `Route ${method}:${target} not found`;
  return RESOURCES.test(target.split("?")[0])
    ? jsonResponse({ statusCode: "404", error: "Not Found", message, code: "InvalidRequest" }, 404, plainJson)
    : jsonResponse({ message, error: "Not Found", statusCode: 404 }, 404);
}

/** The response to a path that is not percent-encoded text. */
export function invalidUrl(target: string): Response {
  const message = `'${target}' is not a valid url component`;
  return jsonResponse({ error: "Bad Request", code: "FST_ERR_BAD_URL", message, statusCode: 400 }, 400, plainJson);
}

/** Translates an error of Postgres as the service does. */
export function fromDatabase(
  error: Error & { code?: string; detail?: string; table_name?: string },
): StorageError | undefined {
  switch (error.code) {
    case "42501":
      return ERRORS.accessDenied(
        error.message.includes("row-level security") ? "new row violates row-level security policy" : error.message,
      );
    case "23505":
      return ERRORS.alreadyExists(error.table_name === "buckets" ? "BucketAlreadyExists" : "KeyAlreadyExists");
    case "23503":
      return error.detail?.includes("is still referenced")
        ? new StorageError(
          409,
          "ResourceReferenced",
          "The resource could not be updated or removed due to a foreign key constraint",
        )
        : new StorageError(404, "InvalidRequest", "The related resource does not exist");
    case "22P02":
      return new StorageError(400, "InvalidParameter", error.message);
  }
  // Other errors of Postgres or a trigger: only their code
  if ("severity" in error) return new StorageError(500, "DatabaseError", `database error, code: ${error.code}`);
}
