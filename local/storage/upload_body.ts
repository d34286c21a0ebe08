// What an upload carries: raw bytes under the request's own headers, or a multipart form as storage-js sends files.
// Either way the bytes pass through as they arrive.
import { Buffer } from "node:buffer";
import { parseJson } from "../json.ts";
import { refusals } from "./errors.ts";
import type { RequestBody } from "./request_body.ts";

export interface Upload {
  body: AsyncIterable<Uint8Array>;
  mimetype: string;
  cacheControl: string;
  userMetadata?: Record<string, unknown>;
  /** As announced; a form's length is not its file's. */
  length?: number;
}

/** The service's limit for the fields before a file; storage-js sends two. */
const maxFields = 10;
/** Of all fields together, and of the header of each part. */
const maxFieldBytes = 2 ** 20, maxHeaderBytes = 16 * 2 ** 10;

export async function uploadOf(request: Request, body: RequestBody): Promise<Upload> {
  const type = request.headers.get("content-type") ?? "application/octet-stream";
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)"?/i.exec(type)?.[1];
  if (boundary) return await fromForm(body, boundary);
  const length = request.headers.get("content-length");
  return {
    body,
    mimetype: type,
    cacheControl: request.headers.get("cache-control") ?? "no-cache",
    userMetadata: userMetadataOf(request),
    length: length === null ? undefined : Number(length),
  };
}

/** The caller's own metadata, as a header carries it. */
export function userMetadataOf(request: Request): Record<string, unknown> | undefined {
  return metadataFrom(Buffer.from(request.headers.get("x-metadata") ?? "", "base64").toString("utf8"));
}

export function metadataFrom(text: string | null | undefined): Record<string, unknown> | undefined {
  try {
    return text ? parseJson(text) as Record<string, unknown> : undefined;
  } catch {
    return undefined; // the service, too, takes it for none
  }
}

/** The fields before the file count, and the first part that names a file. */
async function fromForm(stream: AsyncIterable<Uint8Array>, boundary: string): Promise<Upload> {
  const parts = partsOf(stream, boundary);
  const fields = new Map<string, string>();
  let bytesLeft = maxFieldBytes;
  for (let count = 0;; count++) {
    const part = await parts.next();
    if (!part) throw refusals.noContent();
    if (/;\s*filename\*?=/i.test(part.disposition)) {
      return {
        body: part.body,
        mimetype: fields.get("contentType") || part.type || "application/octet-stream",
        cacheControl: fields.get("cacheControl") ? `max-age=${fields.get("cacheControl")}` : "no-cache",
        userMetadata: metadataFrom(fields.get("metadata") ?? fields.get("userMetadata")),
      };
    }
    if (count === maxFields) throw refusals.tooManyFields(maxFields);
    const value = await read(part.body, bytesLeft, "form's fields");
    bytesLeft -= value.length;
    fields.set(/;\s*name="([^"]*)"/i.exec(part.disposition)?.[1] ?? "", value.toString());
  }
}

/** Throws EntityTooLarge, which names `what`. */
async function read(body: AsyncIterable<Uint8Array>, maxBytes: number, what: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    if ((size += chunk.length) > maxBytes) throw refusals.tooLarge(what);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

interface Part {
  disposition: string;
  type: string;
  body: AsyncIterable<Uint8Array>;
}

/** A form's parts one after another; each must be read to its end before the next. */
function partsOf(stream: AsyncIterable<Uint8Array>, boundary: string) {
  const source = stream[Symbol.asyncIterator]();
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  let held: Buffer = Buffer.from("\r\n"); // so that the first delimiter looks like the others

  async function more(): Promise<void> {
    const { value, done } = await source.next();
    if (done) throw refusals.noContent("Unexpected end of form");
    held = Buffer.concat([held, value]);
  }

  /** Everything up to `mark`, which is taken away with it. */
  async function* until(mark: Buffer): AsyncGenerator<Uint8Array> {
    while (true) {
      const at = held.indexOf(mark);
      if (at >= 0) {
        const last = held.subarray(0, at);
        held = held.subarray(at + mark.length);
        if (last.length > 0) yield last;
        return;
      }
      const sure = held.length - mark.length + 1; // the rest may be the beginning of the mark
      if (sure > 0) {
        const ready = held.subarray(0, sure);
        held = held.subarray(sure);
        yield ready;
      }
      await more();
    }
  }

  let started = false;
  return {
    async next(): Promise<Part | undefined> {
      if (!started) { for await (const _ of until(delimiter)); }
      started = true;
      while (held.length < 2) await more();
      if (held.subarray(0, 2).toString() === "--") return undefined;
      const head = (await read(until(Buffer.from("\r\n\r\n")), maxHeaderBytes, "header of a part")).toString();
      const header = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, "im").exec(head)?.[1].trim() ?? "";
      return { disposition: header("content-disposition"), type: header("content-type"), body: until(delimiter) };
    },
  };
}
