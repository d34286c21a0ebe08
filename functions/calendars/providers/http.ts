/** Bounded JSON requests to the API of a calendar provider, at URLs that the operator sets. */
import { parseJson } from "../../runtime/json.ts";
import { parseRetryAfter } from "../../runtime/retry_after.ts";
import { readAll } from "../../safe_fetch/read_all.ts";
import { CalendarError, TokenRejectedError } from "../calendar_error.ts";

const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 2 * 1024 * 1024;

export interface ProviderRequest {
  /** For messages: "Google". */
  provider: string;
  url: string | URL;
  /** GET by default; POST with a body. */
  method?: string;
  /** Access token. */
  token?: string;
  headers?: Record<string, string>;
  /** Sent as JSON, or as a form. */
  body?: object | URLSearchParams;
  /** Error statuses that the caller handles: their response is returned. */
  handledStatuses?: readonly number[];
  signal?: AbortSignal;
  timeoutMs?: number;
}

interface ProviderResponse {
  status: number;
  headers: Headers;
  /** Undefined if the body is empty. */
  body: unknown;
}

/**
 * Requests JSON. Throws CalendarError: after an error status, without a response in time, and after one that is not
 * JSON or is too large. A 401 throws TokenRejectedError.
 */
export async function requestJson(request: ProviderRequest): Promise<ProviderResponse> {
  const { provider, signal, timeoutMs = TIMEOUT_MS, handledStatuses = [] } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  const { status, headers, text } = await send(request, signal ? AbortSignal.any([signal, timeout]) : timeout);
  if (status >= 200 && status < 300) return { status, headers, body: parse(text, provider) };
  if (status === 401 && !handledStatuses.includes(401)) {
    throw new TokenRejectedError(`${provider} rejected the access token`);
  }
  const body = parseOrUndefined(text);
  if (handledStatuses.includes(status)) return { status, headers, body };
  throw toError(provider, status, headers, body);
}

async function send({ provider, url, method, token, headers, body }: ProviderRequest, signal: AbortSignal) {
  try {
    const isForm = body instanceof URLSearchParams;
    const response = await fetch(url, {
      method: method ?? (body ? "POST" : "GET"),
      headers: {
        accept: "application/json",
        "user-agent": "Castbase",
        ...token !== undefined && { authorization: `Bearer ${token}` },
        ...body && { "content-type": isForm ? "application/x-www-form-urlencoded" : "application/json" },
        ...headers,
      },
      body: isForm ? body.toString() : body && JSON.stringify(body),
      redirect: "manual",
      signal,
    });
    return { status: response.status, headers: response.headers, text: await readText(response) };
  } catch (cause) {
    // errors of fetch quote the URL, whose query may be secret
    if (signal.aborted) throw new CalendarError("unavailable", `${provider} took too long to respond`);
    const isTooLarge = (cause as { code?: unknown }).code === "TOO_LARGE";
    if (isTooLarge) throw new CalendarError("malformed", `The response of ${provider} is too large`);
    throw new CalendarError("unavailable", `${provider} could not be reached`);
  }
}

async function readText({ headers, body }: Response): Promise<string> {
  if (!body) return "";
  // the length is of the compressed body, which fetch has decoded
  const length = headers.has("content-encoding") ? new Headers() : headers;
  return new TextDecoder().decode(await readAll({ headers: length, body }, MAX_RESPONSE_BYTES));
}

function parse(text: string, provider: string): unknown {
  if (text === "") return undefined;
  try {
    return parseJson(text);
  } catch {
    throw new CalendarError("malformed", `${provider} sent a response that cannot be read`);
  }
}

function parseOrUndefined(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined; // the status says enough
  }
}

/** The reasons with which Google reports a rate limit as 403. https://developers.google.com/workspace/calendar/api/guides/errors */
const RATE_LIMIT_REASONS = ["rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "dailyLimitExceeded"];

interface GoogleErrorBody {
  error?: { errors?: { reason?: unknown }[] };
}

function isRateLimit(status: number, body: unknown): boolean {
  if (status === 429) return true;
  const errors = (body as GoogleErrorBody | undefined)?.error?.errors;
  return status === 403 && Array.isArray(errors) &&
    errors.some((error) => RATE_LIMIT_REASONS.includes(String(error?.reason)));
}

function toError(provider: string, status: number, headers: Headers, body: unknown): CalendarError {
  const retryAfterSeconds = parseRetryAfter(headers.get("retry-after"));
  if (isRateLimit(status, body)) {
    return new CalendarError("rate_limited", `${provider} limits the number of requests`, {
      status,
      retryAfterSeconds,
    });
  }
  if (status === 403) return new CalendarError("forbidden", `${provider} denies access to the calendar`, { status });
  if (status === 404 || status === 410) {
    return new CalendarError("not_found", `${provider} does not know the calendar or event`, { status });
  }
  if (status >= 500 || status === 408) {
    const message = `${provider} is unavailable (status ${status})`;
    return new CalendarError("unavailable", message, { status, retryAfterSeconds });
  }
  return new CalendarError("malformed", `${provider} responded with the unexpected status ${status}`, { status });
}
