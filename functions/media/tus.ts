/**
 * Objects that are served, stored in parts that may go on in another invocation (TUS 1.0.0, as storage speaks it). All
 * parts but the last have the same length.
 */
import { BUDGET } from "../app/timeouts.ts";
import { env } from "../app/env.ts";

/** What storage asks of a part. */
export const PART = 6 * 1024 * 1024;

const base = `${env.url}/storage/v1/upload/resumable`;
const headers = { apikey: env.secretKey, authorization: `Bearer ${env.secretKey}`, "tus-resumable": "1.0.0" };
const YEAR = "31536000"; // of seconds, and nothing else: this protocol writes the header itself

/** Begins an upload to `media`; without a total, the last part says it. Answers where the parts go. */
export async function beginUpload(path: string, contentType: string, total?: number): Promise<string> {
  const metadata = { bucketName: "media", objectName: path, contentType, cacheControl: YEAR };
  const response = await ask("POST", base, {
    ...total === undefined ? { "upload-defer-length": "1" } : { "upload-length": String(total) },
    "upload-metadata": Object.entries(metadata).map(([key, value]) => `${key} ${btoa(value)}`).join(","),
    "x-upsert": "false",
  });
  const location = response.headers.get("location");
  if (response.status !== 201 || !location) throw refused(response);
  return addressOf(location);
}

/** Sends the part that begins at `offset`; the last one with the total. Refused when the upload is not there any more. */
export async function sendPart(url: string, offset: number, part: Uint8Array, total?: number): Promise<void> {
  const response = await ask("PATCH", addressOf(url), {
    "content-type": "application/offset+octet-stream",
    "upload-offset": String(offset),
    ...total !== undefined && { "upload-length": String(total) },
  }, part);
  if (response.status !== 204) throw refused(response);
  const reached = Number(response.headers.get("upload-offset"));
  if (reached !== offset + part.length) throw new Error(`storage has ${reached} bytes, not ${offset + part.length}`);
}

/** How many bytes have arrived; undefined when storage knows the upload no more. */
export async function uploadOffset(url: string): Promise<number | undefined> {
  const response = await ask("HEAD", addressOf(url));
  if (response.status === 404 || response.status === 410) return;
  if (response.status !== 200) throw refused(response);
  return Number(response.headers.get("upload-offset"));
}

/** Gives up what has arrived. An upload that is over by itself, or that became an object, is none to give up. */
export async function dropUpload(url: string): Promise<void> {
  await ask("DELETE", addressOf(url));
}

interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

async function ask(method: string, url: string, more: Record<string, string> = {}, part?: Uint8Array): Promise<Answer> {
  const signal = AbortSignal.timeout(BUDGET.storeBytes);
  const body = part && inPieces(part);
  const response = await fetch(url, { method, headers: { ...headers, ...more }, body, signal });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const PIECE = 131_072;

/** As one body it would be copied whole, and the copy stay until the garbage collector comes by. */
function inPieces(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.subarray(at, at += PIECE));
      else controller.close();
    },
  }, { highWaterMark: 0 });
}

const refused = ({ status, text }: Answer) => new Error(`storage answered ${status}: ${text.trim()}`);

/** Storage names uploads by the address that it is known by outside; we may reach it by another (DESIGN.md, URLs). */
const addressOf = (url: string) => `${base}/${url.split("/").at(-1)}`;
