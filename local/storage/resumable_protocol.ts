// TUS 1.0.0 as the service has it: headers, errors, and the id of an upload in its URL.
// https://tus.io/protocols/resumable-upload
import { Buffer } from "node:buffer";
import { StorageError } from "./errors.ts";
import { checkBucketName, checkKey } from "./keys.ts";

export const version = "1.0.0";
export const extensions = "creation,creation-with-upload,creation-defer-length,termination,expiration";
export const partType = "application/offset+octet-stream";

/** The headers that browsers may send and read. */
export const headerNames = "Authorization, Content-Type, Location, Tus-Extension, Tus-Max-Size, Tus-Resumable, " +
  "Tus-Version, Upload-Concat, Upload-Defer-Length, Upload-Length, Upload-Metadata, Upload-Offset, " +
  "X-HTTP-Method-Override, X-Requested-With, X-Forwarded-Host, X-Forwarded-Proto, Forwarded";

const error = (status: number, message: string) => () => new StorageError(status, "TusError", message);

/** Messages end with a line break where the service's do. */
export const TUS_ERRORS = {
  noVersion: error(412, "Tus-Resumable Required\n"),
  invalidHeaders: (names: string[]) => error(400, `Invalid ${names.join(" ")}\n`)(),
  noOffset: error(403, "Upload-Offset header required\n"),
  noContentType: error(403, "Content-Type header required\n"),
  noMetadata: error(400, "Metadata header is required"),
  invalidLength: error(400, "Upload-Length or Upload-Defer-Length header required\n"),
  noConcatenation: error(
    501,
    "Concatenation extension is not (yet) supported. Disable parallel uploads in the tus client.\n",
  ),
  invalidId: error(400, "Invalid upload id"),
  notFound: error(404, "The file for this url was not found\n"),
  expired: error(410, "The file for this url no longer exists\n"),
  offsetConflict: error(409, "Upload-Offset conflict\n"),
  sizeExceeded: error(413, "upload's size exceeded\n"),
  tooLarge: error(413, "Maximum size exceeded\n"),
  isComplete: error(400, "Cannot terminate an already completed upload"),
  busy: error(503, "acquiring lock timeout"),
  unknown: error(500, "Something went wrong with that request\n"),
};

const isCount = (value: string) => /^(0|[1-9]\d*)$/.test(value) && Number.isSafeInteger(Number(value));
const validators = new Map<string, (value: string) => boolean>(Object.entries({
  "upload-offset": isCount,
  "upload-length": isCount,
  "upload-defer-length": (value) => value === "1",
  "upload-metadata": (value) => parseMetadata(value) !== undefined,
  "upload-concat": (value) => value === "partial" || value.startsWith("final;"),
  "tus-resumable": (value) => value === version,
}));

/** Checks the version and the form of the headers. Throws. */
export function checkHeaders({ method, headers }: Request) {
  if (!headers.get("tus-resumable")) throw TUS_ERRORS.noVersion();
  const invalid = [...headers].filter(([name, value]) =>
    name === "content-type" ? method === "PATCH" && value !== partType : validators.get(name)?.(value) === false
  );
  if (invalid.length > 0) throw TUS_ERRORS.invalidHeaders(invalid.map(([name]) => name));
}

/** Parses a header with a number of bytes, after `checkHeaders`. */
export function parseCount(request: Request, header: string): number | undefined {
  const value = request.headers.get(header);
  return value === null ? undefined : Number(value);
}

export type UploadMetadata = Record<string, string | null>;

/** Parses `key base64,key base64`; undefined if malformed. */
export function parseMetadata(text: string): UploadMetadata | undefined {
  const metadata = new Map<string, string | null>();
  for (const pair of text.split(",")) {
    const [, key, value] = /^([\x21-\x2b\x2d-\x7e]+)(?: ([a-z\d+/]*={0,2}))?$/i.exec(pair) ?? [];
    if (!key || metadata.has(key) || (value ?? "").length % 4 > 0) return undefined;
    metadata.set(key, value ? Buffer.from(value, "base64").toString("utf8") : null);
  }
  return Object.fromEntries(metadata);
}

export const writeMetadata = (metadata: UploadMetadata) =>
  Object.entries(metadata)
    .map(([key, value]) => value === null ? key : `${key} ${Buffer.from(value).toString("base64")}`).join(",");

/** The id of an upload in its URL: the object and its version. */
export const idOf = (upload: { bucket: string; key: string; version: string }) =>
  Buffer.from(`${upload.bucket}/${upload.key}/${upload.version}`).toString("base64url");

export function parseId(id: string) {
  const [bucket, ...rest] = Buffer.from(id, "base64url").toString("utf8").split("/");
  const version = rest.pop();
  if (!version) throw TUS_ERRORS.invalidId();
  return { bucket: checkBucketName(bucket), key: checkKey(rest.join("/")), version };
}
