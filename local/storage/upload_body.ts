// The content of an upload: raw bytes with the request's headers, or a multipart form from storage-js. Bytes are
// streamed.
import { Buffer } from "node:buffer";
import { parseJson } from "../wire/json.ts";
import { decodeBase64 } from "./base64.ts";
import { ERRORS } from "./errors.ts";
import type { RequestBody } from "./request_body.ts";

export interface Upload {
  body: AsyncIterable<Uint8Array>;
  mimetype: string;
  cacheControl: string;
  userMetadata?: Record<string, unknown>;
  isForm: boolean;
  /** The announced length of the file. The length of a form includes its fields. */
  length?: number;
}

/** The service's limit of fields before a file. storage-js sends two. */
const maxFields = 10;
/** The limits of all fields together, and of the header of each part. */
const maxFieldBytes = 2 ** 20, maxHeaderBytes = 16 * 2 ** 10;

export async function parseUpload(request: Request, body: RequestBody): Promise<Upload> {
  const type = request.headers.get("content-type") ?? "application/octet-stream";
  if (type.startsWith("multipart/form-data")) {
    const boundary = /;.*boundary="?([^";]+)"?/i.exec(type)?.[1];
    if (!boundary) throw ERRORS.noContent("Multipart: Boundary not found");
    return await parseForm(body, boundary);
  }
  const length = request.headers.get("content-length");
  return {
    body,
    mimetype: type,
    cacheControl: request.headers.get("cache-control") ?? "no-cache",
    userMetadata: parseUserMetadata(request),
    isForm: false,
    length: length === null ? undefined : Number(length),
  };
}

/** Parses the caller's metadata from its header. */
export function parseUserMetadata(request: Request): Record<string, unknown> | undefined {
  return parseMetadataJson(decodeBase64(request.headers.get("x-metadata") ?? ""));
}

export function parseMetadataJson(text: string | null | undefined): Record<string, unknown> | undefined {
  try {
    return text ? parseJson(text) as Record<string, unknown> : undefined;
  } catch {
    return undefined; // as the service does
  }
}

/** Parses the fields up to the first part with a file name. */
async function parseForm(stream: AsyncIterable<Uint8Array>, boundary: string): Promise<Upload> {
  const parts = splitForm(stream, boundary);
  const fields = new Map<string, string>();
  let bytesLeft = maxFieldBytes;
  for (let count = 0;; count++) {
    const part = await parts.next();
    if (!part) throw ERRORS.noContent();
    if (/;\s*filename\*?=/i.test(part.disposition)) {
      return {
        body: part.body,
        mimetype: fields.get("contentType") || part.type || "text/plain",
        cacheControl: fields.get("cacheControl") ? `max-age=${fields.get("cacheControl")}` : "no-cache",
        userMetadata: parseMetadataJson(fields.get("metadata") ?? fields.get("userMetadata")),
        isForm: true,
      };
    }
    if (count === maxFields) throw ERRORS.tooManyFields(maxFields);
    const value = await read(part.body, bytesLeft, "form's fields");
    bytesLeft -= value.length;
    fields.set(/;\s*name="([^"]*)"/i.exec(part.disposition)?.[1] ?? "", value.toString());
  }
}

/** Reads a part. Throws EntityTooLarge with the name `what`. */
async function read(body: AsyncIterable<Uint8Array>, maxBytes: number, what: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    if ((size += chunk.length) > maxBytes) throw ERRORS.tooLarge(what);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

interface Part {
  disposition: string;
  type: string;
  body: AsyncIterable<Uint8Array>;
}

/** Yields the parts of a form. Each must be read to its end before the next. */
function splitForm(stream: AsyncIterable<Uint8Array>, boundary: string) {
  const source = stream[Symbol.asyncIterator]();
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  let buffer: Buffer = Buffer.from("\r\n"); // makes the first delimiter equal to the others

  async function readMore(): Promise<void> {
    const { value, done } = await source.next();
    if (done) throw ERRORS.noContent("Unexpected end of multipart data");
    buffer = Buffer.concat([buffer, value]);
  }

  /** Yields the bytes before `mark` and removes the mark. */
  async function* until(mark: Buffer): AsyncGenerator<Uint8Array> {
    while (true) {
      const at = buffer.indexOf(mark);
      if (at >= 0) {
        const last = buffer.subarray(0, at);
        buffer = buffer.subarray(at + mark.length);
        if (last.length > 0) yield last;
        return;
      }
      const length = buffer.length - mark.length + 1; // the rest may be the start of the mark
      if (length > 0) {
        const ready = buffer.subarray(0, length);
        buffer = buffer.subarray(length);
        yield ready;
      }
      await readMore();
    }
  }

  let started = false;
  return {
    async next(): Promise<Part | undefined> {
      if (!started) { for await (const _ of until(delimiter)); }
      started = true;
      while (buffer.length < 2) await readMore();
      if (buffer.subarray(0, 2).toString() === "--") return undefined;
      const head = (await read(until(Buffer.from("\r\n\r\n")), maxHeaderBytes, "header of a part")).toString();
      const header = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, "im").exec(head)?.[1].trim() ?? "";
      return { disposition: header("content-disposition"), type: header("content-type"), body: until(delimiter) };
    },
  };
}
