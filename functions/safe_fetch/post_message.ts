/** Posts a message to a receiver that people chose, which accepts or rejects it by a status. */
import { FetchError, safeFetch, type SafeFetchOptions } from "./safe_fetch.ts";

export interface Message {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export type PostOptions = Pick<SafeFetchOptions, "allowedHosts" | "userAgent" | "network">;

/** What a receiver responded, or why it did not. */
type PostResult =
  | { status: number; headers: Headers; error?: undefined }
  /** Temporary: another attempt may succeed. The error has neither the URL's path nor anything of the receiver. */
  | { error: string; isTemporary: boolean };

const TIMEOUT_MS = 10_000;

/** Sends one request, follows no redirect and reads no body. */
export async function postMessage({ url, headers, body }: Message, options: PostOptions): Promise<PostResult> {
  try {
    const response = await safeFetch(url, {
      method: "POST",
      headers,
      body: new TextEncoder().encode(body),
      timeoutMs: TIMEOUT_MS,
      maxRedirects: 0, // signatures and authorization are for the URL that was chosen
      ...options,
    });
    await response.body.cancel().catch(() => {});
    return { status: response.status, headers: response.headers };
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    return { error: error.message, isTemporary: error.code === "TIMEOUT" || error.code === "FETCH_FAILED" };
  }
}
