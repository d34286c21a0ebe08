/** An enclosure at its address, from its beginning or from where an earlier run stopped. */
import { getAllowedHosts } from "../../app/allowed_hosts.ts";
import { safeFetch, type SafeFetchResponse } from "../../safe_fetch/safe_fetch.ts";
import { mediaType } from "../../app/validation.ts";
import { refusedWith } from "./item_errors.ts";

/** For a source that stops sending. */
const IDLE_MS = 20_000;

export interface Source {
  /** Where in the file the body begins. */
  from: number;
  /** Bytes of the whole file; undefined when the source does not say. */
  total?: number;
  contentType: string | null;
  /** By which the source knows whether it is still the same file: a strong ETag, or Last-Modified. */
  validator: string | null;
  /** Whether a part of it can be asked for; undefined when nobody knows before it is tried. */
  hasRanges?: boolean;
  body: ReadableStream<Uint8Array>;
}

/** Where an earlier run stopped. */
export interface Place {
  from: number;
  total?: number;
  validator: string | null;
}

export interface Patience {
  signal: AbortSignal;
  /** As Date.now(). */
  deadline: number;
}

/**
 * Opens it. What cannot go on from its place, because the source has no ranges or another file by now, begins at 0.
 * Throws what refusedWith makes of a status, and FetchFailure.
 */
export async function openSource(url: string, place: Place | undefined, patience: Patience): Promise<Source> {
  const isTold = place && (place.validator !== null || place.total !== undefined);
  if (!isTold) return whole(await request(url, {}, patience)); // nobody could say whether the rest is of the same file
  const { from, validator } = place;
  const response = await request(url, { range: `bytes=${from}-`, ...validator && { "if-range": validator } }, patience);
  if (response.status === 200) return whole(response);
  const rest = response.status === 206 && restOf(response, place);
  if (rest) return rest;
  await response.body.cancel();
  if (response.status === 206 || response.status === 416) return whole(await request(url, {}, patience));
  throw refusedWith(response.status, response.headers);
}

async function request(url: string, headers: Record<string, string>, { signal, deadline }: Patience) {
  return await safeFetch(url, {
    headers: { accept: "audio/*, */*;q=0.5", ...headers },
    idleMs: IDLE_MS,
    timeoutMs: Math.max(1, deadline - Date.now()),
    signal,
    reusesBuffers: true,
    allowedHosts: await getAllowedHosts(),
  });
}

async function whole(response: SafeFetchResponse): Promise<Source> {
  const { status, headers, body } = response;
  const range = rangeIn(headers);
  const total = lengthIn(headers) ?? (status === 206 ? range?.total : undefined);
  const isWhole = status === 206
    ? range?.first === 0 && range.last + 1 === range.total && range.total === total
    : status >= 200 && status < 300;
  if (!isWhole) {
    await body.cancel();
    throw refusedWith(status, headers);
  }
  return {
    from: 0,
    total,
    hasRanges: rangesIn(status, headers),
    ...about(headers),
    body,
  };
}

/** What was asked for, when it is that: of the file as it was. */
function restOf({ headers, body }: SafeFetchResponse, { from, total, validator }: Place): Source | undefined {
  const range = rangeIn(headers), known = about(headers);
  if (range?.first !== from || range.last + 1 !== range.total) return;
  if ((lengthIn(headers) ?? range.total - from) !== range.total - from) return; // it may be all of the file
  if (total !== undefined && range.total !== total) return;
  if (validator && known.validator && known.validator !== validator) return;
  return { from, total: range.total, hasRanges: true, ...known, validator: validator ?? known.validator, body };
}

function about(headers: Headers) {
  const etag = headers.get("etag");
  return {
    contentType: mediaType(headers.get("content-type")) || null,
    validator: etag && !etag.startsWith("W/") ? etag : headers.get("last-modified"),
  };
}

function rangeIn(headers: Headers) {
  const [, first, last, total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(headers.get("content-range") ?? "") ??
    [];
  return total === undefined ? undefined : { first: Number(first), last: Number(last), total: Number(total) };
}

function rangesIn(status: number, headers: Headers): boolean | undefined {
  const units = headers.get("accept-ranges");
  return status === 206 || (units === null ? undefined : /\bbytes\b/i.test(units));
}

function lengthIn(headers: Headers): number | undefined {
  const length = headers.get("content-length");
  return length === null || headers.has("transfer-encoding") ? undefined : Number(length);
}
