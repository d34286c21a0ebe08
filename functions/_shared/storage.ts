/** Objects of the media bucket, written and removed with the secret key: no one else may write there. */
import { env } from "./env.ts";
import { Refusal } from "./refusal.ts";

const headers = { apikey: env.secretKey, authorization: `Bearer ${env.secretKey}` };
const json = { ...headers, "content-type": "application/json" };
const FOREVER = "public, max-age=31536000, immutable"; // a key is never written twice
const failed = (response: Response, answer: string) => new Error(`storage answered ${response.status}: ${answer}`);

/** Asks storage, and reads its answer; what it refuses is thrown. */
async function ask(path: string, init: RequestInit, longest: number): Promise<string> {
  const response = await fetch(`${env.url}/storage/v1${path}`, { ...init, signal: AbortSignal.timeout(longest) });
  const answer = await response.text();
  if (!response.ok) throw failed(response, answer);
  return answer;
}

/** Whatever goes wrong is a 500 with its cause in the log. */
async function storing(work: Promise<string>): Promise<void> {
  await work.catch((cause) => {
    throw new Refusal(500, "The file could not be stored", { cause });
  });
}

/** Stores a new object; one that exists is never overwritten. It may take longer than a body may take to come. */
export function store(
  path: string,
  content: Uint8Array | ReadableStream<Uint8Array>,
  contentType: string,
): Promise<void> {
  return storing(ask(`/object/media/${path}`, {
    method: "POST",
    headers: { ...headers, "content-type": contentType, "cache-control": FOREVER, "x-upsert": "false" },
    body: content,
  }, 150_000));
}

/**
 * Copies an object, as this content type. A copy that is there already is kept: an earlier try made it, and by now it
 * may be served, while the source can have changed.
 */
export function copy(from: string, to: string, contentType: string): Promise<void> {
  return storing(
    ask("/object/copy", {
      method: "POST",
      headers: json,
      body: JSON.stringify({
        bucketId: "media",
        sourceKey: from,
        destinationKey: to,
        copyMetadata: false,
        metadata: { cacheControl: FOREVER, mimetype: contentType },
      }),
    }, 120_000).catch((failure) => {
      if (!isThere.test(failure.message)) throw failure;
      return "";
    }),
  );
}

const isThere = /"statusCode":\s*"?409"?/; // storage says 400, and means 409

/** Removes objects; those that are gone already count as removed. */
export async function discard(paths: string[]): Promise<void> {
  await ask("/object/media", { method: "DELETE", headers: json, body: JSON.stringify({ prefixes: paths }) }, 10_000);
}

/** A token by which its holder may put one object under this key, and until when. */
export async function signUpload(path: string): Promise<{ url: string; token: string }> {
  return JSON.parse(
    await ask(`/object/upload/sign/media/${path}`, { method: "POST", headers: json, body: "{}" }, 10_000),
  );
}

/** An object as storage serves it, its body unread; undefined when it is not there. */
export async function open(path: string, method: "GET" | "HEAD"): Promise<Response | undefined> {
  const response = await fetch(`${env.url}/storage/v1/object/authenticated/media/${path}`, { method, headers });
  if (response.ok) return response;
  const answer = await response.text();
  if (response.status === 400 || response.status === 404) return undefined; // storage says 400 for most of its 404s
  throw new Refusal(500, "The file could not be read", { cause: failed(response, answer) });
}
