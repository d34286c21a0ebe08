/** Opens an enclosure's URL from its beginning, or where an earlier run stopped. */
import { safeFetch, type SafeFetchResponse } from "../../safe_fetch/safe_fetch.ts";
import { mediaType } from "../../app/validation.ts";
import { authorizationFor, type Login } from "../feed_login.ts";
import { errorForStatus } from "../import_errors.ts";

/** Timeout of a source that stops sending. */
const IDLE_MS = 20_000;

export interface Source {
  /** Offset of the body in the file. */
  from: number;
  /** Size of the file; undefined if unknown. */
  total?: number;
  contentType: string | null;
  /** Identifies the version of the file: a strong ETag, or Last-Modified. */
  validator: string | null;
  /** Whether the source supports ranges; undefined if unknown. */
  hasRanges?: boolean;
  body: ReadableStream<Uint8Array>;
}

/** Where an earlier run stopped. */
interface ResumePoint {
  from: number;
  total?: number;
  validator: string | null;
}

export interface FetchLimits {
  signal: AbortSignal;
  /** As Date.now(). */
  deadline: number;
  allowedHosts: string[];
  userAgent: string;
  login: Login | null;
}

/**
 * Opens the source. Starts at 0 if the transfer cannot be resumed: the source has no ranges, or the file changed.
 * Throws the error of errorForStatus, and FetchError.
 */
export async function openSource(
  url: string,
  resumePoint: ResumePoint | undefined,
  limits: FetchLimits,
): Promise<Source> {
  const canResume = resumePoint && (resumePoint.validator !== null || resumePoint.total !== undefined);
  if (!canResume) return fullResponse(await request(url, {}, limits)); // a changed file could not be detected
  const { from, validator } = resumePoint;
  const response = await request(url, { range: `bytes=${from}-`, ...validator && { "if-range": validator } }, limits);
  if (response.status === 200) return fullResponse(response);
  const rest = response.status === 206 && rangeResponse(response, resumePoint);
  if (rest) return rest;
  await response.body.cancel();
  if (response.status === 206 || response.status === 416) return fullResponse(await request(url, {}, limits));
  throw errorForStatus(response.status, response.headers);
}

function request(url: string, headers: Record<string, string>, { deadline, login, ...options }: FetchLimits) {
  return safeFetch(url, {
    headers: { accept: "audio/*, */*;q=0.5", ...authorizationFor(url, login), ...headers },
    idleMs: IDLE_MS,
    timeoutMs: Math.max(1, deadline - Date.now()),
    reusesBuffers: true,
    keepsConnection: true,
    ...options,
  });
}

async function fullResponse(response: SafeFetchResponse): Promise<Source> {
  const { status, headers, body } = response;
  const range = rangeOf(headers);
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

/** The requested range, if the response has it and the file is unchanged. */
function rangeResponse(
  { headers, body }: SafeFetchResponse,
  { from, total, validator }: ResumePoint,
): Source | undefined {
  const range = rangeOf(headers), known = sourceMetadata(headers);
  if (range?.first !== from || range.last + 1 !== range.total) return;
  if ((parseContentLength(headers) ?? range.total - from) !== range.total - from) return; // the body may be the whole file
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

/** The range of the file that a response has; none of a compressed one, whose offsets are others. */
function rangeOf(headers: Headers) {
  if (headers.has("content-encoding")) return;
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
