// The storage service's errors. Most are HTTP 400 with the real status in the body, as on the platform.

/** An error with the service's code and message. */
export class StorageError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** An older name of the code. */
    readonly error = code,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

export const ERRORS = {
  noSuchBucket: () => new StorageError(404, "NoSuchBucket", "Bucket not found", "Bucket not found"),
  noSuchKey: () => new StorageError(404, "NoSuchKey", "Object not found", "not_found"),
  alreadyExists: (code = "KeyAlreadyExists") => new StorageError(409, code, "The resource already exists", "Duplicate"),
  bucketNotEmpty: () =>
    new StorageError(409, "ResourceNotEmpty", "The bucket you tried to delete is not empty", "ResourceNotEmpty"),
  invalidKey: (key: string) => new StorageError(400, "InvalidKey", `Invalid key: ${key}`),
  invalidBucketName: () => new StorageError(400, "InvalidBucketName", "Bucket name invalid", "Invalid Input"),
  invalidRequest: (message: string) => new StorageError(400, "InvalidRequest", message),
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
  invalidFileSizeLimit: () =>
    new StorageError(400, "InvalidRequest", "Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B"),
  accessDenied: (message = "Access denied") => new StorageError(403, "AccessDenied", message, "Unauthorized"),
  invalidJwt: (message: string) => new StorageError(400, "InvalidJWT", message),
  invalidSignature: (message = "Invalid signature") => new StorageError(400, "InvalidSignature", message),
  invalidRange: (size: number) =>
    new StorageError(416, "InvalidRange", "invalid range provided", "invalid_range", {
      "content-range": `bytes */${size}`,
    }),
};

/** Statuses that are also the HTTP status. */
const HTTP_STATUSES = new Set([416, 500]);

export function errorResponse({ status, code, error, message, headers }: StorageError): Response {
  const body = { statusCode: String(status), code, error, message };
  return Response.json(body, { status: HTTP_STATUSES.has(status) ? status : 400, headers });
}

/** The response to an unknown route, in the form of the service's web framework. */
export function noRoute(method: string, path: string): Response {
  const body = { message: `Route ${method}:${path} not found`, error: "Not Found", statusCode: 404 };
  return Response.json(body, { status: 404 });
}

/** Translates an error of Postgres as the service does. */
export function fromDatabase(error: Error & { code?: string; detail?: string }): StorageError | undefined {
  switch (error.code) {
    case "42501":
      return ERRORS.accessDenied(
        error.message.includes("row-level security") ? "new row violates row-level security policy" : error.message,
      );
    case "23505":
      return ERRORS.alreadyExists();
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
