/**
 * Objects that are served, stored in parts that may go on in another invocation (TUS 1.0.0, as storage speaks it). All
 * parts but the last have the same length.
 */
import { TIMEOUTS_MS } from "../app/timeouts.ts";
import { env } from "../app/env.ts";

/** What storage asks of a part. */
export const CHUNK_BYTES = 6 * 1024 * 1024;

const BASE_URL = `${env.url}/storage/v1/upload/resumable`;
const HEADERS = { apikey: env.secretKey, authorization: `Bearer ${env.secretKey}`, "tus-resumable": "1.0.0" };
const MAX_AGE_SECONDS = "31536000"; // of seconds, and nothing else: this protocol writes the header itself

/** Begins an upload to `media`; without a total, the last part says it. Answers where the parts go. */
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

/** Sends the part that begins at `offset`; the last one with the total. Refused when the upload is not there any more. */
export async function uploadChunk(url: string, offset: number, chunk: Uint8Array, total?: number): Promise<void> {
  const response = await sendRequest("PATCH", internalUrl(url), {
    "content-type": "application/offset+octet-stream",
    "upload-offset": String(offset),
    ...total !== undefined && { "upload-length": String(total) },
  }, chunk);
  if (response.status !== 204) throw tusError(response);
  const reached = Number(response.headers.get("upload-offset"));
  if (reached !== offset + chunk.length) throw new Error(`storage has ${reached} bytes, not ${offset + chunk.length}`);
}

/** How many bytes have arrived; undefined when storage knows the upload no more. */
export async function getOffset(url: string): Promise<number | undefined> {
  const response = await sendRequest("HEAD", internalUrl(url));
  if (response.status === 404 || response.status === 410) return;
  if (response.status !== 200) throw tusError(response);
  return Number(response.headers.get("upload-offset"));
}

/** Gives up what has arrived. An upload that is over by itself, or that became an object, is none to give up. */
export async function terminateUpload(url: string): Promise<void> {
  await sendRequest("DELETE", internalUrl(url));
}

interface TusResponse {
  status: number;
  headers: Headers;
  text: string;
}

async function sendRequest(
  method: string,
  url: string,
  more: Record<string, string> = {},
  chunk?: Uint8Array,
): Promise<TusResponse> {
  const signal = AbortSignal.timeout(TIMEOUTS_MS.putBytes);
  const body = chunk && toStream(chunk);
  const response = await fetch(url, { method, headers: { ...HEADERS, ...more }, body, signal });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const SLICE_BYTES = 131_072;

/** As one body it would be copied whole, and the copy stay until the garbage collector comes by. */
function toStream(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.subarray(at, at += SLICE_BYTES));
      else controller.close();
    },
  }, { highWaterMark: 0 });
}

const tusError = ({ status, text }: TusResponse) => new Error(`storage answered ${status}: ${text.trim()}`);

/** Storage names uploads by the address that it is known by outside; we may reach it by another (DESIGN.md, URLs). */
const internalUrl = (url: string) => `${BASE_URL}/${url.split("/").at(-1)}`;
