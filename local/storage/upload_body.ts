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

const maxFieldBytes = 1024 * 1024;

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
  const fields: Record<string, string> = {};
  while (true) {
    const part = await parts.next();
    if (!part) throw refusals.noContent();
    const isFile = /;\s*filename\*?=/i.test(part.disposition);
    if (!isFile) {
      fields[/;\s*name="([^"]*)"/i.exec(part.disposition)?.[1] ?? ""] = await text(part.body);
      continue;
    }
    return {
      body: part.body,
      mimetype: fields.contentType || part.type || "application/octet-stream",
      cacheControl: fields.cacheControl ? `max-age=${fields.cacheControl}` : "no-cache",
      userMetadata: metadataFrom(fields.metadata ?? fields.userMetadata),
    };
  }
}

async function text(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    if ((size += chunk.length) > maxFieldBytes) throw refusals.tooLarge("user_metadata");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
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
      const head = await text(until(Buffer.from("\r\n\r\n")));
      const header = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, "im").exec(head)?.[1].trim() ?? "";
      return { disposition: header("content-disposition"), type: header("content-type"), body: until(delimiter) };
    },
  };
}
