/** Objects of the media bucket, written and removed with the secret key: no one else may write there. */
import { env } from "./env.ts";
import { Refusal } from "./refusal.ts";

const headers = { apikey: env.secretKey, authorization: `Bearer ${env.secretKey}` };
const FOREVER = "public, max-age=31536000, immutable"; // a key is never written twice

/** Stores a new object; one that exists is never overwritten. Whatever goes wrong is a 500 with its cause in the log. */
export async function store(path: string, bytes: Uint8Array, contentType: string): Promise<void> {
  try {
    const response = await fetch(`${env.url}/storage/v1/object/media/${path}`, {
      method: "POST",
      headers: { ...headers, "content-type": contentType, "cache-control": FOREVER, "x-upsert": "false" },
      body: bytes,
      signal: AbortSignal.timeout(60_000),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`storage answered ${response.status}: ${answer}`);
  } catch (cause) {
    throw new Refusal(500, "The file could not be stored", { cause });
  }
}

/** Removes objects; those that are gone already count as removed. */
export async function discard(paths: string[]): Promise<void> {
  const response = await fetch(`${env.url}/storage/v1/object/media`, {
    method: "DELETE",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ prefixes: paths }),
    signal: AbortSignal.timeout(10_000),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`storage answered ${response.status}: ${answer}`);
}
