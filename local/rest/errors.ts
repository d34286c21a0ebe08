// PostgREST's errors: those of the database, and those of requests that never reach it.
import { hasNullBody, utf8Header } from "./http_text.ts";

/** PostgREST's error body. */
interface RestError {
  code: string;
  message: string;
  /** A list if an embedding is ambiguous. */
  details?: unknown;
  hint?: string | null;
}

/** An error of PostgREST itself, which rolls the transaction back. */
export class RequestError extends Error {
  constructor(readonly status: number, readonly body: RestError) {
    super(body.message);
  }
}

/** An error body, which always has these four members. */
export const errorText = ({ code, message, details = null, hint = null }: RestError): string =>
  JSON.stringify({ code, details, hint, message });

export function errorResponse(status: number, error: RestError, headers: HeadersInit = {}): Response {
  return new Response(hasNullBody(status) ? null : errorText(error), {
    status,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "proxy-status": utf8Header(`PostgREST; error=${error.code}`),
      ...Object.fromEntries(new Headers(headers)),
    },
  });
}

/** An error of Postgres, as the driver throws it. */
interface PostgresError extends Error {
  code: string;
  severity: string;
  detail?: string;
  hint?: string;
}

export function isPostgresError(error: unknown): error is PostgresError {
  return error instanceof Error && "severity" in error && typeof (error as PostgresError).code === "string";
}

/** PostgREST's statuses by SQLSTATE. The first match applies; the default is 400. */
const statuses: [RegExp, number][] = [
  [/^2350[35]$/, 409],
  [/^25006$/, 405],
  [/^42883$|^42P01$/, 404],
  [/^42P17$|^53400$/, 500],
  [/^57P01$|^08|^53/, 503],
  [/^0L|^0P|^28/, 403],
  [/^P0001$/, 400],
  [/^(09|25|2D|38|39|3B|40|54|55|57|58|F0|HV|P0|XX)/, 500],
];

function statusOf({ code, message }: PostgresError, isAnon: boolean): number {
  if (code === "42501") return isAnon ? 401 : 403;
  if (code === "21000") return message.endsWith("requires a WHERE clause") ? 400 : 500;
  if (code === "22023" && /^role .* does not exist$/.test(message)) return 401;
  const own = /^PT(\d{3})$/.exec(code);
  if (own && Number(own[1]) >= 200 && Number(own[1]) <= 599) return Number(own[1]);
  if (code.startsWith("PT")) return 500;
  return statuses.find(([pattern]) => pattern.test(code))?.[1] ?? 400;
}

/** The response to an error of the database. `raise sqlstate 'PGRST'` sets status and body. */
export function databaseErrorResponse(error: PostgresError, isAnon: boolean): Response {
  if (error.code === "PGRST") return raisedResponse(error);
  const status = statusOf(error, isAnon);
  const challenge: HeadersInit = status === 401 ? { "www-authenticate": "Bearer" } : {};
  const { code, message, detail: details, hint } = error;
  return errorResponse(status, { code, message, details, hint }, challenge);
}

function raisedResponse({ message, detail }: PostgresError): Response {
  const body = parseObject(message);
  if (typeof body?.code !== "string" || typeof body.message !== "string") {
    return unreadable(
      `Invalid JSON value for MESSAGE: '${message}'`,
      "MESSAGE",
      "'code', 'message'",
      "keys: 'details', 'hint'",
    );
  }
  const head = detail === undefined ? undefined : parseObject(detail);
  if (!isHead(head)) {
    const reason = detail === undefined
      ? "DETAIL is missing in the RAISE statement"
      : `Invalid JSON value for DETAIL: '${detail}'`;
    return unreadableDetail(reason);
  }
  try {
    const headers = Object.entries(head.headers).map(([name, value]): [string, string] => [name, utf8Header(value)]);
    return errorResponse(head.status, body as unknown as RestError, headers);
  } catch { // a name or value that no header can have
    return unreadableDetail(`Invalid JSON value for DETAIL: '${detail}'`);
  }
}

function isHead(value: Record<string, unknown> = {}): value is { status: number; headers: Record<string, string> } {
  const { status, headers } = value;
  return typeof status === "number" && status >= 200 && status <= 599 && typeof headers === "object" &&
    headers !== null && Object.values(headers).every((header) => typeof header === "string");
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const unreadableDetail = (details: string) =>
  unreadable(details, "DETAIL", "'status', 'headers'", "key: 'status_text'");

const unreadable = (details: string, part: string, required: string, optional: string) =>
  errorResponse(500, {
    code: "PGRST121",
    message: `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`,
    details,
    hint: `${part} must be a JSON object with obligatory keys: ${required} and optional ${optional}.`,
  });
