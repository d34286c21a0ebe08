/**
 * Storage objects, written and deleted with the secret key. Only this code writes to the public bucket `media`;
 * `staging` holds what clients upload with a token, until it is copied.
 */
import { TIMEOUTS_MS } from "../../runtime/timeouts.ts";
import { env, serviceHeaders } from "../../runtime/env.ts";
import { ApiError } from "../../runtime/api_error.ts";

const jsonHeaders = () => ({ ...serviceHeaders(), "content-type": "application/json" });
const IMMUTABLE = "public, max-age=31536000, immutable"; // a key is never written twice
const storageError = (response: Response, text: string) => new Error(`storage responded ${response.status}: ${text}`);

export type Bucket = "media" | "staging";

/** Sends a request to storage and returns the response's text; throws if storage rejects it. */
async function sendRequest(path: string, init: RequestInit, timeoutMs: number): Promise<string> {
  const response = await fetch(`${env.SUPABASE_URL}/storage/v1${path}`, {
    ...init,
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  if (!response.ok) throw storageError(response, text);
  return text;
}

/** Turns any failure into a 500 with its cause in the log. */
async function orStorageError(work: Promise<string>): Promise<void> {
  await work.catch((cause) => {
    throw new ApiError(500, "The file could not be stored", { cause });
  });
}

/** Stores a public object. Overwrites one only if asked: an earlier attempt stored what is worth as much. */
export function putObject(
  path: string,
  content: Uint8Array | ReadableStream<Uint8Array>,
  contentType: string,
  { mayReplace = false } = {},
): Promise<void> {
  return orStorageError(sendRequest(`/object/media/${path}`, {
    method: "POST",
    headers: {
      ...serviceHeaders(),
      "content-type": contentType,
      "cache-control": IMMUTABLE,
      "x-upsert": `${mayReplace}`,
    },
    body: content,
  }, content instanceof Uint8Array ? TIMEOUTS_MS.putBytes : TIMEOUTS_MS.putStream));
}

/**
 * Copies an object to the public bucket with this content type. Keeps an existing copy: an earlier attempt made it, and
 * it may be public by now, while the source may have changed.
 */
export function copyObject(
  { from, to }: { from: { bucket: Bucket; path: string }; to: string },
  contentType: string,
): Promise<void> {
  return orStorageError(
    sendRequest("/object/copy", {
      method: "POST",
      headers: jsonHeaders(),
      body: JSON.stringify({
        bucketId: from.bucket,
        sourceKey: from.path,
        destinationBucket: "media",
        destinationKey: to,
        copyMetadata: false,
        metadata: { cacheControl: IMMUTABLE, mimetype: contentType },
      }),
    }, TIMEOUTS_MS.copyObject).catch((failure) => {
      if (!ALREADY_EXISTS.test(failure.message)) throw failure;
      return "";
    }),
  );
}

const ALREADY_EXISTS = /"statusCode":\s*"?409"?/; // storage returns status 400 with this inside

/** Deletes objects; missing ones count as deleted. */
export async function deleteObjects(bucket: Bucket, paths: string[]): Promise<void> {
  const init = { method: "DELETE", headers: jsonHeaders(), body: JSON.stringify({ prefixes: paths }) };
  await sendRequest(`/object/${bucket}`, init, TIMEOUTS_MS.deleteObjects);
}

/** Returns a token that allows one upload under this key, and the URL for it. */
export async function createSignedUploadUrl(bucket: Bucket, path: string): Promise<{ url: string; token: string }> {
  const init = { method: "POST", headers: jsonHeaders(), body: "{}" };
  return JSON.parse(
    await sendRequest(`/object/upload/sign/${bucket}/${path}`, init, TIMEOUTS_MS.createSignedUploadUrl),
  );
}

/**
 * Returns storage's response for a public object, its body unread: 304 if the request's If-None-Match lists it;
 * undefined if it is missing. Ends when the client disconnects.
 */
export async function getObject(path: string, request: Request): Promise<Response | undefined> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error("storage did not respond in time")), TIMEOUTS_MS.getObject);
  const known = request.headers.get("if-none-match");
  try {
    // GET also for HEAD: storage ignores conditions of HEAD requests and gives no error
    const response = await fetch(`${env.SUPABASE_URL}/storage/v1/object/authenticated/media/${path}`, {
      headers: { ...serviceHeaders(), ...known !== null && { "if-none-match": known } },
      signal: AbortSignal.any([request.signal, late.signal]),
    });
    if (response.ok || response.status === 304) {
      if (request.method === "HEAD") await response.body?.cancel();
      return response;
    }
    const text = await response.text();
    if (!isNotFound(text)) throw storageError(response, text);
  } catch (cause) {
    throw new ApiError(500, "The file could not be read", { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** Returns bytes of an object, and its size; fewer bytes at its end. Throws if storage sends anything else. */
export async function readRange(
  path: string,
  { from, length, signal }: { from: number; length: number; signal: AbortSignal },
): Promise<{ bytes: Uint8Array; size: number }> {
  const response = await fetch(`${env.SUPABASE_URL}/storage/v1/object/authenticated/media/${path}`, {
    headers: { ...serviceHeaders(), range: `bytes=${from}-${from + length - 1}` },
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUTS_MS.readRange)]),
  });
  const [, start, size] = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get("content-range") ?? "") ?? [];
  if (Number(start) !== from) {
    await response.body?.cancel(); // it may be the whole object
    throw new Error(`storage responded ${response.status} to a request for a range`);
  }
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length !== Math.min(length, Number(size) - from)) {
    throw new Error(`storage sent ${bytes.length} bytes of the ${length} that were requested`);
  }
  return { bytes, size: Number(size) };
}

/** Storage returns 400 for most errors; the real status is in the body. */
function isNotFound(text: string): boolean {
  try {
    const { statusCode, error } = JSON.parse(text);
    return String(statusCode) === "404" || error === "not_found";
  } catch {
    return false;
  }
}
