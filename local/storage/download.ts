// Serves objects: bytes, headers and metadata.
import type { Metadata, ObjectRow } from "./database.ts";
import { ERRORS } from "./errors.ts";
import type { Files } from "./files.ts";
import { jsonResponse } from "./json_response.ts";

type Found = Pick<ObjectRow, "version"> & { metadata: Metadata | null };

/** GET, with conditional and partial reads as S3 has them. */
export async function serve(request: Request, { version, metadata }: Found, files: Files, expires?: Date) {
  if (!metadata) throw ERRORS.noSuchKey(); // a row that SQL inserted has no bytes
  const headers = objectHeaders(request, metadata, expires);
  if (isUnchanged(request, metadata)) {
    headers.delete("content-length");
    return new Response(null, { status: 304, headers });
  }
  const range = parseRange(request, metadata);
  if (range) {
    headers.set("content-length", String(range.end - range.start + 1));
    headers.set("content-range", `bytes ${range.start}-${range.end}/${metadata.size}`);
  }
  const body = await files.read(version, range?.start ?? 0, range ? range.end - range.start + 1 : metadata.size);
  if (!body) throw ERRORS.noSuchKey();
  return new Response(body, { status: range ? 206 : 200, headers });
}

/** HEAD, from the row alone: without ranges and conditions. */
export function serveHead(request: Request, { metadata }: Found): Response {
  if (!metadata) throw ERRORS.noSuchKey();
  return new Response(null, { headers: objectHeaders(request, metadata) });
}

/** The response to storage-js's info(). */
export function serveInfo(row: ObjectRow): Response {
  const { metadata } = row;
  const info = {
    id: row.id,
    name: row.name,
    version: row.version,
    bucket_id: row.bucket_id,
    size: metadata?.size ?? null,
    content_type: metadata?.mimetype ?? null,
    cache_control: metadata?.cacheControl ?? null,
    etag: metadata?.eTag ?? null,
    metadata: row.user_metadata,
    last_modified: row.updated_at,
    created_at: row.created_at,
  };
  return jsonResponse(info, 200, {
    ...metadata?.eTag && { etag: metadata.eTag },
    ...metadata?.lastModified && { "last-modified": new Date(metadata.lastModified).toUTCString() },
    ...metadata?.cacheControl && { "cache-control": metadata.cacheControl },
    "content-encoding": "identity", // Deno's server would compress it and weaken the ETag
  });
}

const alreadyCompressed = /^(audio|video)\/|^image\/(?!svg)/;

function objectHeaders(request: Request, metadata: Metadata, expires?: Date): Headers {
  const headers = new Headers({
    "accept-ranges": "bytes",
    "content-length": String(metadata.contentLength),
    // HTML would run with the rights of the project's domain
    "content-type": metadata.mimetype.includes("text/html") ? "text/plain" : metadata.mimetype,
    "etag": metadata.eTag,
    "last-modified": new Date(metadata.lastModified).toUTCString(),
    "x-robots-tag": metadata.xRobotsTag ?? "none",
  });
  // Deno's server would compress text and weaken its ETag
  if (!alreadyCompressed.test(metadata.mimetype)) headers.set("content-encoding", "identity");
  if (expires) headers.set("expires", expires.toUTCString());
  else headers.set("cache-control", metadata.cacheControl + revalidation(request, metadata));
  const name = new URL(request.url).searchParams.get("download");
  if (name === "") headers.set("content-disposition", "attachment;");
  else if (name !== null) {
    const encoded = encodeURIComponent(name);
    headers.set("content-disposition", `attachment; filename=${encoded}; filename*=UTF-8''${encoded}`);
  }
  return headers;
}

/** The service's addition to Cache-Control for a client with an older copy. */
function revalidation(request: Request, { eTag }: Metadata): string {
  const tag = request.headers.get("if-none-match");
  if (!tag || tag === eTag) return "";
  return request.method === "HEAD" ? ", must-revalidate" : ", stale-while-revalidate=30";
}

function isUnchanged(request: Request, metadata: Metadata): boolean {
  const tags = request.headers.get("if-none-match");
  if (tags !== null) return tags.split(",").some((tag) => isSame(tag.trim(), metadata.eTag));
  const since = request.headers.get("if-modified-since");
  return since !== null && new Date(metadata.lastModified) <= new Date(since);
}

const isSame = (tag: string, eTag: string) => tag === "*" || tag.replace(/^W\//, "") === eTag;

/** Parses a single range of bytes. Several ranges, or an invalid one, mean the whole object. */
function parseRange(request: Request, { size, eTag, lastModified }: Metadata) {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.get("range") ?? "") ?? [];
  if (from === undefined || from + to === "" || from && to && Number(from) > Number(to)) return;
  const condition = request.headers.get("if-range");
  if (condition && condition !== eTag && new Date(condition) < new Date(lastModified)) return;
  if (condition?.startsWith('"') && condition !== eTag) return;
  const start = from ? Number(from) : Math.max(0, size - Number(to));
  const end = from && to ? Math.min(Number(to), size - 1) : size - 1;
  if (start >= size || from === "" && Number(to) === 0) throw ERRORS.invalidRange(size);
  return { start, end };
}
