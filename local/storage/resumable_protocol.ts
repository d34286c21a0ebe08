// TUS 1.0.0 as the service speaks it: which headers it takes, what it calls its refusals, and how an upload is named
// in its URL. https://tus.io/protocols/resumable-upload
import { Buffer } from "node:buffer";
import { StorageError } from "./errors.ts";
import { checkBucketName, checkKey } from "./keys.ts";

export const version = "1.0.0";
export const extensions = "creation,creation-with-upload,creation-defer-length,termination,expiration";
export const partType = "application/offset+octet-stream";

/** What a page may send and read. */
export const headerNames = "Authorization, Content-Type, Location, Tus-Extension, Tus-Max-Size, Tus-Resumable, " +
  "Tus-Version, Upload-Concat, Upload-Defer-Length, Upload-Length, Upload-Metadata, Upload-Offset, " +
  "X-HTTP-Method-Override, X-Requested-With, X-Forwarded-Host, X-Forwarded-Proto, Forwarded";

const refusal = (status: number, message: string) => () => new StorageError(status, "TusError", message);

/** Their words end in a line break where the service's do. */
export const protocolRefusals = {
  noVersion: refusal(412, "Tus-Resumable Required\n"),
  invalidHeaders: (names: string[]) => refusal(400, `Invalid ${names.join(" ")}\n`)(),
  noOffset: refusal(403, "Upload-Offset header required\n"),
  noContentType: refusal(403, "Content-Type header required\n"),
  noMetadata: refusal(400, "Metadata header is required"),
  invalidLength: refusal(400, "Upload-Length or Upload-Defer-Length header required\n"),
  noConcatenation: refusal(
    501,
    "Concatenation extension is not (yet) supported. Disable parallel uploads in the tus client.\n",
  ),
  invalidId: refusal(400, "Invalid upload id"),
  notFound: refusal(404, "The file for this url was not found\n"),
  over: refusal(410, "The file for this url no longer exists\n"),
  otherOffset: refusal(409, "Upload-Offset conflict\n"),
  longerThanSaid: refusal(413, "upload's size exceeded\n"),
  tooLarge: refusal(413, "Maximum size exceeded\n"),
  isComplete: refusal(400, "Cannot terminate an already completed upload"),
  busy: refusal(503, "acquiring lock timeout"),
  unknown: refusal(500, "Something went wrong with that request\n"),
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

/** Every request says which version it speaks, and means what it says. */
export function checkHeaders({ method, headers }: Request) {
  if (!headers.get("tus-resumable")) throw protocolRefusals.noVersion();
  const wrong = [...headers].filter(([name, value]) =>
    name === "content-type" ? method === "PATCH" && value !== partType : validators.get(name)?.(value) === false
  );
  if (wrong.length > 0) throw protocolRefusals.invalidHeaders(wrong.map(([name]) => name));
}

/** A header that holds a number of bytes, which `checkHeaders` has seen. */
export function countOf(request: Request, header: string): number | undefined {
  const value = request.headers.get(header);
  return value === null ? undefined : Number(value);
}

export type UploadMetadata = Record<string, string | null>;

/** `key base64,key base64`; undefined when it is not. */
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

/** An upload's name in its URL: which object it will be, and which version of it. */
export const idOf = (upload: { bucket: string; key: string; version: string }) =>
  Buffer.from(`${upload.bucket}/${upload.key}/${upload.version}`).toString("base64url");

export function parseId(id: string) {
  const [bucket, ...rest] = Buffer.from(id, "base64url").toString("utf8").split("/");
  const version = rest.pop();
  if (!version) throw protocolRefusals.invalidId();
  return { bucket: checkBucketName(bucket), key: checkKey(rest.join("/")), version };
}
