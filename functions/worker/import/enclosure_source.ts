/** An enclosure at its address, from its beginning or from where an earlier run stopped. */
import { getAllowedHosts } from "../../app/allowed_hosts.ts";
import { safeFetch, type SafeFetchResponse } from "../../safe_fetch/safe_fetch.ts";
import { mediaType } from "../../app/validation.ts";
import { errorForStatus } from "./item_errors.ts";

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
export interface ResumePoint {
  from: number;
  total?: number;
  validator: string | null;
}

export interface FetchLimits {
  signal: AbortSignal;
  /** As Date.now(). */
  deadline: number;
}

/**
 * Opens it. What cannot go on from its place, because the source has no ranges or another file by now, begins at 0.
 * Throws what refusedWith makes of a status, and FetchFailure.
 */
export async function openSource(
  url: string,
  resumePoint: ResumePoint | undefined,
  limits: FetchLimits,
): Promise<Source> {
  const canResume = resumePoint && (resumePoint.validator !== null || resumePoint.total !== undefined);
  if (!canResume) return fullResponse(await request(url, {}, limits)); // nobody could say whether the rest is of the same file
  const { from, validator } = resumePoint;
  const response = await request(url, { range: `bytes=${from}-`, ...validator && { "if-range": validator } }, limits);
  if (response.status === 200) return fullResponse(response);
  const rest = response.status === 206 && rangeResponse(response, resumePoint);
  if (rest) return rest;
  await response.body.cancel();
  if (response.status === 206 || response.status === 416) return fullResponse(await request(url, {}, limits));
  throw errorForStatus(response.status, response.headers);
}

async function request(url: string, headers: Record<string, string>, { signal, deadline }: FetchLimits) {
  return await safeFetch(url, {
    headers: { accept: "audio/*, */*;q=0.5", ...headers },
    idleMs: IDLE_MS,
    timeoutMs: Math.max(1, deadline - Date.now()),
    signal,
    reusesBuffers: true,
    allowedHosts: await getAllowedHosts(),
  });
}

async function fullResponse(response: SafeFetchResponse): Promise<Source> {
  const { status, headers, body } = response;
  const range = parseContentRange(headers);
  const total = parseContentLength(headers) ?? (status === 206 ? range?.total : undefined);
  const isWhole = status === 206
    ? range?.first === 0 && range.last + 1 === range.total && range.total === total
    : status >= 200 && status < 300;
  if (!isWhole) {
    await body.cancel();
    throw errorForStatus(status, headers);
  }
  return {
    from: 0,
    total,
    hasRanges: supportsRanges(status, headers),
    ...sourceMetadata(headers),
    body,
  };
}

/** What was asked for, when it is that: of the file as it was. */
function rangeResponse(
  { headers, body }: SafeFetchResponse,
  { from, total, validator }: ResumePoint,
): Source | undefined {
  const range = parseContentRange(headers), known = sourceMetadata(headers);
  if (range?.first !== from || range.last + 1 !== range.total) return;
  if ((parseContentLength(headers) ?? range.total - from) !== range.total - from) return; // it may be all of the file
  if (total !== undefined && range.total !== total) return;
  if (validator && known.validator && known.validator !== validator) return;
  return { from, total: range.total, hasRanges: true, ...known, validator: validator ?? known.validator, body };
}

function sourceMetadata(headers: Headers) {
  const etag = headers.get("etag");
  return {
    contentType: mediaType(headers.get("content-type")) || null,
    validator: etag && !etag.startsWith("W/") ? etag : headers.get("last-modified"),
  };
}

function parseContentRange(headers: Headers) {
  const [, first, last, total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(headers.get("content-range") ?? "") ??
    [];
  return total === undefined ? undefined : { first: Number(first), last: Number(last), total: Number(total) };
}

function supportsRanges(status: number, headers: Headers): boolean | undefined {
  const units = headers.get("accept-ranges");
  return status === 206 || (units === null ? undefined : /\bbytes\b/i.test(units));
}

function parseContentLength(headers: Headers): number | undefined {
  const length = headers.get("content-length");
  return length === null || headers.has("transfer-encoding") ? undefined : Number(length);
}
