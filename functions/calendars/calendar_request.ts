/** Requests to calendar servers that users name, with failures as CalendarError. */
import { parseRetryAfter } from "../runtime/retry_after.ts";
import { FetchError, safeFetch, type SafeFetchOptions, type SafeFetchResponse } from "../safe_fetch/safe_fetch.ts";
import { CalendarError } from "./calendar_error.ts";
import type { Computation } from "./icalendar/computation.ts";

/** The largest calendar, and the largest response of a calendar server. */
const MAX_CALENDAR_BYTES = 50 * 1024 * 1024;
/** What the connection of a server takes beside the slices: 100 ms for 50 MB. */
const RECEIVE_MS_PER_BYTE = 2e-6;
/** What decoding a compressed body takes beside that, by what comes out: 350 ms for 50 MB. */
const DECODE_MS_PER_BYTE = 7e-6;
/** What is decoded at a time: some milliseconds. */
const PIECE_BYTES = 64 * 1024;

export interface CalendarRequestOptions {
  /** For the request with its redirects, and for reading its body. */
  timeoutMs: number;
  signal?: AbortSignal;
  /** As safeFetch has them (functions/database/fetch_settings.ts). */
  allowedHosts: readonly string[];
  userAgent: string;
}

/** A login that was rejected may be right, if the server fails; each wrong one counts against its account. */
const REJECTED_LOGIN_SECONDS = 3600;

const decodedBodies = new WeakSet<ReadableStream<Uint8Array>>();

/** Returns a response with status 2xx, or 3xx if the request follows no redirects. */
export async function requestCalendar(url: string, options: SafeFetchOptions): Promise<SafeFetchResponse> {
  let response: SafeFetchResponse;
  try {
    response = await safeFetch(url, options);
  } catch (error) {
    throw toCalendarError(error);
  }
  if (response.isDecoded) decodedBodies.add(response.body);
  if (response.status < 400) return response;
  response.body.cancel().catch(() => {});
  throw statusError(response);
}

function statusError({ status, headers }: SafeFetchResponse): CalendarError {
  const retryAfterSeconds = parseRetryAfter(headers.get("retry-after"));
  const error = (kind: CalendarError["kind"], message: string) =>
    new CalendarError(kind, message, { status, retryAfterSeconds });
  if (status === 401) {
    return new CalendarError("revoked", "The calendar server rejects the login; connect the calendar again", {
      status,
      retryAfterSeconds: retryAfterSeconds ?? REJECTED_LOGIN_SECONDS,
    });
  }
  if (status === 403) return error("forbidden", "The calendar server denies access to the calendar");
  if (status === 404 || status === 410) return error("not_found", "The calendar server does not know the calendar");
  if (status === 429) return error("rate_limited", "The calendar server limits the number of requests");
  if (status >= 500 || status === 408) {
    return error("unavailable", `The calendar server is unavailable (status ${status})`);
  }
  return error("malformed", `The calendar server responded with the unexpected status ${status}`);
}

/** Messages of FetchError may be shown: they name neither paths nor IP addresses. */
export function toCalendarError(error: unknown): unknown {
  if (!(error instanceof FetchError)) return error;
  const { code, message } = error;
  const kind = code === "BLOCKED_URL"
    ? "forbidden"
    : code === "TIMEOUT" || code === "FETCH_FAILED"
    ? "unavailable"
    : "malformed";
  return new CalendarError(kind, message, { cause: error });
}

/**
 * The text of a body, in pieces of at most so many bytes. Each is within a slice of the computation, in which the caller
 * must read it. Throws CalendarError for a body that is too large or breaks off.
 */
export async function* readText(
  body: ReadableStream<Uint8Array>,
  { spend, startSlice, endSlice, charge }: Computation,
  maxBytes = PIECE_BYTES,
): AsyncGenerator<string> {
  let decoder = new TextDecoder(); // removes a byte order mark, and replaces bytes that are no UTF-8
  let isFirst = true;
  const msPerByte = RECEIVE_MS_PER_BYTE + (decodedBodies.has(body) ? DECODE_MS_PER_BYTE : 0);
  try {
    for await (const piece of readPieces(body)) {
      charge(piece.length * msPerByte);
      await startSlice();
      if (isFirst) decoder = new TextDecoder(encodingOf(piece));
      isFirst = false;
      for (let at = 0; at < piece.length; at += maxBytes) {
        if (at && spend(0)) await startSlice();
        yield decoder.decode(piece.subarray(at, at + maxBytes), { stream: true });
      }
      endSlice();
    }
    await startSlice();
    yield decoder.decode();
  } finally {
    endSlice();
  }
}

/** By the byte order mark: some programs of Windows export UTF-16. */
function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

/** The bytes of a body in pieces of one size, valid until the next one. */
async function* readPieces(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const piece = new Uint8Array(PIECE_BYTES);
  let size = 0, filled = 0;
  try {
    for await (const bytes of body) {
      size += bytes.length;
      if (size > MAX_CALENDAR_BYTES) throw tooLargeError();
      for (let at = 0; at < bytes.length;) {
        const part = bytes.subarray(at, at + PIECE_BYTES - filled);
        piece.set(part, filled);
        at += part.length;
        filled += part.length;
        if (filled < PIECE_BYTES) continue;
        yield piece;
        filled = 0;
      }
    }
  } catch (error) {
    throw toCalendarError(error);
  }
  yield piece.subarray(0, filled);
}

const tooLargeError = () =>
  new CalendarError("malformed", `The calendar is larger than ${MAX_CALENDAR_BYTES / 1024 / 1024} MB`);
