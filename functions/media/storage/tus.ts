/**
 * Resumable uploads to the public bucket (TUS 1.0.0), which another invocation may continue. All chunks but the last
 * have the same length.
 */
import { toStream } from "../../runtime/byte_stream.ts";
import { TIMEOUTS_MS } from "../../runtime/timeouts.ts";
import { env, serviceHeaders } from "../../runtime/env.ts";

/** The chunk size that storage requires. */
export const CHUNK_BYTES = 6 * 1024 * 1024;

const BASE_URL = `${env.SUPABASE_URL}/storage/v1/upload/resumable`;
const MAX_AGE_SECONDS = "31536000"; // the protocol takes seconds and writes the header itself

/** Creates an upload to `media` and returns its URL. Without a total, the last chunk declares it. */
export async function createUpload(path: string, contentType: string, total?: number): Promise<string> {
  const metadata = { bucketName: "media", objectName: path, contentType, cacheControl: MAX_AGE_SECONDS };
  const response = await sendRequest("POST", BASE_URL, {
    ...total === undefined ? { "upload-defer-length": "1" } : { "upload-length": String(total) },
    "upload-metadata": Object.entries(metadata).map(([key, value]) => `${key} ${btoa(value)}`).join(","),
    "x-upsert": "false",
  });
  const location = response.headers.get("location");
  if (response.status !== 201 || !location) throw tusError(response);
  return internalUrl(location);
}

/** Sends the chunk at `offset`, the last one with the total. Throws if the upload no longer exists. */
export async function uploadChunk(url: string, offset: number, chunk: Uint8Array, total?: number): Promise<void> {
  const response = await sendRequest("PATCH", internalUrl(url), {
    "content-type": "application/offset+octet-stream",
    "upload-offset": String(offset),
    ...total !== undefined && { "upload-length": String(total) },
  }, chunk);
  if (response.status !== 204) throw tusError(response);
  const reached = Number(response.headers.get("upload-offset"));
  if (reached !== offset + chunk.length) {
    throw new Error(`storage reports ${reached} bytes, expected ${offset + chunk.length}`);
  }
}

/** Returns the bytes that storage has; undefined if the upload no longer exists. */
export async function getOffset(url: string): Promise<number | undefined> {
  const response = await sendRequest("HEAD", internalUrl(url));
  if (response.status === 404 || response.status === 410) return;
  if (response.status !== 200) throw tusError(response);
  return Number(response.headers.get("upload-offset"));
}

/** Deletes an unfinished upload. One that is completed or expired is ignored. */
export async function terminateUpload(url: string): Promise<void> {
  await sendRequest("DELETE", internalUrl(url));
}

interface TusResponse {
  status: number;
  headers: Headers;
  text: string;
}

/**
 * A body of bytes would be copied whole, and the copy kept until garbage collection. Each slice leaves garbage too, for
 * which V8 lets its heap grow.
 */
const SLICE_BYTES = 524_288;

async function sendRequest(
  method: string,
  url: string,
  more: Record<string, string> = {},
  chunk?: Uint8Array,
): Promise<TusResponse> {
  const signal = AbortSignal.timeout(TIMEOUTS_MS.putBytes);
  const body = chunk && toStream(chunk, SLICE_BYTES);
  const response = await fetch(url, {
    method,
    headers: { ...serviceHeaders(), "tus-resumable": "1.0.0", ...more },
    body,
    signal,
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const tusError = ({ status, text }: TusResponse) => new Error(`storage responded ${status}: ${text.trim()}`);

/** Storage returns public URLs; this is the same upload at the internal URL. */
const internalUrl = (url: string) => `${BASE_URL}/${url.split("/").at(-1)}`;
