/**
 * Objects in storage, written and removed with the secret key: no one else may write to `media`, what is served;
 * `staging` holds what clients put there by a token, until it is copied.
 */
import { TIMEOUTS_MS } from "../app/timeouts.ts";
import { env } from "../app/env.ts";
import { ApiError } from "../app/errors.ts";

const HEADERS = { apikey: env.secretKey, authorization: `Bearer ${env.secretKey}` };
const JSON_HEADERS = { ...HEADERS, "content-type": "application/json" };
const IMMUTABLE = "public, max-age=31536000, immutable"; // a key is never written twice
const storageError = (response: Response, answer: string) =>
  new Error(`storage answered ${response.status}: ${answer}`);

export type Bucket = "media" | "staging";

/** Asks storage, and reads its answer; what it refuses is thrown. */
async function sendRequest(path: string, init: RequestInit, longest: number): Promise<string> {
  const response = await fetch(`${env.url}/storage/v1${path}`, { ...init, signal: AbortSignal.timeout(longest) });
  const answer = await response.text();
  if (!response.ok) throw storageError(response, answer);
  return answer;
}

/** Whatever goes wrong is a 500 with its cause in the log. */
async function orStorageError(work: Promise<string>): Promise<void> {
  await work.catch((cause) => {
    throw new ApiError(500, "The file could not be stored", { cause });
  });
}

/** Stores a new object that is served; one that exists is never overwritten. */
export function putObject(
  path: string,
  content: Uint8Array | ReadableStream<Uint8Array>,
  contentType: string,
): Promise<void> {
  return orStorageError(sendRequest(`/object/media/${path}`, {
    method: "POST",
    headers: { ...HEADERS, "content-type": contentType, "cache-control": IMMUTABLE, "x-upsert": "false" },
    body: content,
  }, content instanceof Uint8Array ? TIMEOUTS_MS.putBytes : TIMEOUTS_MS.putStream));
}

/**
 * Copies an object to where it is served, as this content type. A copy that is there already is kept: an earlier try made it, and by now it
 * may be served, while the source can have changed.
 */
export function copyObject(
  { from, to }: { from: { bucket: Bucket; path: string }; to: string },
  contentType: string,
): Promise<void> {
  return orStorageError(
    sendRequest("/object/copy", {
      method: "POST",
      headers: JSON_HEADERS,
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

const ALREADY_EXISTS = /"statusCode":\s*"?409"?/; // storage says 400, and means 409

/** Removes objects; those that are gone already count as removed. */
export async function deleteObjects(bucket: Bucket, paths: string[]): Promise<void> {
  const init = { method: "DELETE", headers: JSON_HEADERS, body: JSON.stringify({ prefixes: paths }) };
  await sendRequest(`/object/${bucket}`, init, TIMEOUTS_MS.deleteObjects);
}

/** A token by which its holder may put one object under this key, and where. */
export async function createSignedUploadUrl(bucket: Bucket, path: string): Promise<{ url: string; token: string }> {
  const init = { method: "POST", headers: JSON_HEADERS, body: "{}" };
  return JSON.parse(
    await sendRequest(`/object/upload/sign/${bucket}/${path}`, init, TIMEOUTS_MS.createSignedUploadUrl),
  );
}

/**
 * A served object as storage answers `request` for it, its body unread: 304 when the request's If-None-Match names it;
 * undefined when it is not there. It ends when the client leaves.
 */
export async function getObject(path: string, request: Request): Promise<Response | undefined> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error("storage did not answer in time")), TIMEOUTS_MS.getObject);
  const known = request.headers.get("if-none-match");
  try {
    // HEAD too asks with GET: storage answers a HEAD without conditions, and without saying what is wrong
    const response = await fetch(`${env.url}/storage/v1/object/authenticated/media/${path}`, {
      headers: { ...HEADERS, ...known !== null && { "if-none-match": known } },
      signal: AbortSignal.any([request.signal, late.signal]),
    });
    if (response.ok || response.status === 304) {
      if (request.method === "HEAD") await response.body?.cancel();
      return response;
    }
    const answer = await response.text();
    if (!isNotFound(answer)) throw storageError(response, answer);
  } catch (cause) {
    throw new ApiError(500, "The file could not be read", { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** Storage says 400 for most of what it refuses; the true status is within. */
function isNotFound(answer: string): boolean {
  try {
    const { statusCode, error } = JSON.parse(answer);
    return String(statusCode) === "404" || error === "not_found";
  } catch {
    return false;
  }
}
