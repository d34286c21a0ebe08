/** Fetches a small file of a feed into memory. */
import { FetchError, readAll, safeFetch, type SafeFetchResponse } from "../../safe_fetch/safe_fetch.ts";
import { errorForStatus, OversizeError } from "./item_errors.ts";

interface Options {
  /** Of the whole fetch. */
  timeoutMs: number;
  /** Of a source that stops sending. */
  idleMs?: number;
  signal: AbortSignal;
  allowedHosts: string[];
  accept: string;
}

/** Throws the error of errorForStatus, OversizeError, and FetchError. */
export async function fetchBytes(url: string, maxBytes: number, { accept, ...options }: Options): Promise<Uint8Array> {
  const response = await safeFetch(url, { ...options, headers: { accept } });
  try {
    return await readAll(await requireSuccess(response), maxBytes);
  } catch (error) {
    throw error instanceof FetchError && error.code === "TOO_LARGE" ? new OversizeError(maxBytes) : error;
  }
}

async function requireSuccess(response: SafeFetchResponse): Promise<SafeFetchResponse> {
  const { status, headers, body } = response;
  if (status >= 200 && status < 300) return response;
  await body.cancel();
  throw errorForStatus(status, headers);
}
