/** Fetches a small file of another server into memory. */
import { readAll, requireOk, safeFetch, type SafeFetchOptions } from "./safe_fetch.ts";

type Options = SafeFetchOptions & {
  /** A server with a choice sends one of these types. */
  accept: string;
  headers?: Record<string, string>;
  maxBytes: number;
  /** Whether to read the body; all bodies by default. */
  isWanted?: (headers: Headers) => boolean;
};

interface FetchedFile {
  headers: Headers;
  /** Empty if the body is not wanted. */
  bytes: Uint8Array;
}

/** Throws FetchError, also for a status other than 2xx and for a longer file. */
export async function fetchFile(
  url: string,
  { accept, headers: more, maxBytes, isWanted = () => true, ...options }: Options,
): Promise<FetchedFile> {
  const response = requireOk(await safeFetch(url, { ...options, headers: { accept, ...more } }));
  const { headers, body } = response;
  if (isWanted(headers)) return { headers, bytes: await readAll(response, maxBytes) };
  await body.cancel();
  return { headers, bytes: new Uint8Array() };
}
