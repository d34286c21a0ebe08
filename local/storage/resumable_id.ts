// The id of a resumable upload: bucket/key/version, in base64url in its URL, as in the service.
import { Buffer } from "node:buffer";
import { decodeBase64 } from "./base64.ts";
import { StorageError } from "./errors.ts";
import { requireValidBucketName, requireValidKey } from "./keys.ts";

const VERSION = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const encodeUploadId = (id: string) => Buffer.from(id).toString("base64url");
export const decodeUploadId = decodeBase64;

/** Parses an id, which the client sends and which becomes part of a path. Throws. */
export function parseUploadId(id: string): { bucket: string; key: string; version: string } {
  const [bucket, ...rest] = id.split("/");
  const version = rest.pop();
  if (!version) throw new StorageError(400, "TusError", "Invalid upload id");
  const parsed = { bucket: requireValidBucketName(bucket), key: requireValidKey(rest.join("/")), version };
  if (!VERSION.test(version)) throw new StorageError(404, "TusError", "The file for this url was not found\n");
  return parsed;
}
