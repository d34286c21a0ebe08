/**
 * The one error table: whatever was thrown, to a status and the contract's error envelope. Nothing else builds an
 * error body. Sentences are for people, codes for programs; docs/errors.md lists both.
 */
import { HTTPException } from "hono/http-exception";
import postgres from "postgres";
import { z } from "zod";
import type { ErrorEnvelope } from "../../types/envelope.ts";

interface Extras {
  code?: string;
  details?: string;
  /** Members that stand beside `error`, as `importId` does. */
  extra?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** What went wrong underneath: for the log, never for the caller. */
  cause?: unknown;
}

/** A no, said by TypeScript: `throw new ApiError(400, 'Invalid content type')`. */
export class ApiError extends Error {
  constructor(readonly status: number, sentence: string, readonly extras: Extras = {}) {
    super(sentence, { cause: extras.cause });
  }
}

/** The beginning of a text that the client sent, for an error's details. */
export const excerpt = (text: string, max = 500) => text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text;

/** How an error leaves: `internal` ones are our fault, and belong in the log with their stack. */
export interface ErrorResponse {
  status: number;
  body: ErrorEnvelope;
  headers?: Record<string, string>;
  isInternal: boolean;
}

export function toErrorResponse(error: unknown, context: { requestId: string; isSignedIn: boolean }): ErrorResponse {
  const { status, body, headers, isInternal } = fromThrown(error) ?? fromDatabaseError(error, context.isSignedIn) ??
    errorResponse(500, "Something went wrong");
  if (status === 500) return { status, body: { ...body, requestId: context.requestId }, headers, isInternal };
  if (status === 503) return { status, body, headers: { "retry-after": "1", ...headers }, isInternal };
  return { status, body, headers, isInternal };
}

function fromThrown(error: unknown): ErrorResponse | undefined {
  if (error instanceof ApiError) {
    const { code, details, extra, headers } = error.extras;
    return { ...errorResponse(error.status, error.message, details, code, extra), headers };
  }
  if (error instanceof z.ZodError) {
    const [{ path, message }] = error.issues;
    return errorResponse(400, "Invalid request", excerpt(path.length ? `${path.join(".")}: ${message}` : message));
  }
  if (error instanceof HTTPException) return errorResponse(error.status, error.message);
}

function fromDatabaseError(error: unknown, signedIn: boolean): ErrorResponse | undefined {
  if (!(error instanceof postgres.PostgresError)) {
    return isConnectionError(error as { code?: string; syscall?: string } | undefined)
      ? errorResponse(503, "The database cannot be reached")
      : undefined;
  }
  const { code, message, hint, detail } = error;
  if (/^PT[1-5]\d\d$/.test(code)) {
    const { details, extra } = parseDetail(detail);
    return errorResponse(Number(code.slice(2)), message, details, hint, extra);
  }

  // The words of our own `raise` are for the caller; those of Postgres itself tell of tables.
  const ours = error.routine === "exec_stmt_raise" ? message : undefined;
  const named = error.column_name ?? error.constraint_name;
  if (code === "42501") {
    return signedIn ? errorResponse(403, ours ?? "Not allowed") : errorResponse(401, "Missing bearer token");
  }
  if (code.startsWith("22")) return errorResponse(400, ours ?? "Invalid value", named);
  if (code in CONSTRAINT_ERRORS) {
    const [status, sentence] = CONSTRAINT_ERRORS[code];
    return errorResponse(status, ours ?? sentence, named);
  }
  if (code === "57014") return errorResponse(503, "The database took too long");
  if (CONFLICT_STATES.test(code)) return errorResponse(503, "Too many changes at once: try again");
  if (UNAVAILABLE_STATES.test(code)) return errorResponse(503, "The database cannot be reached");
}

const CONSTRAINT_ERRORS: Record<string, [status: number, sentence: string]> = {
  "23502": [400, "A required value is missing"],
  "23514": [400, "Invalid value"],
  "23505": [409, "Already exists"],
  "23503": [409, "Refers to something that does not exist, or is still in use"],
  "23P01": [409, "Overlaps with another"],
};
const CONFLICT_STATES = /^40(001|P01)$/;
const UNAVAILABLE_STATES = /^(08|53|57P0)/; // no connection, no resources, shutting down
/** A socket of the driver's that failed: `EBADF`, say, where it wrote to one that had just closed. */
const isConnectionError = (error?: { code?: string; syscall?: string }) =>
  CONNECTION_ERRORS.has(error?.code ?? "") || error?.syscall !== undefined;
const CONNECTION_ERRORS = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ENOTFOUND", "ETIMEDOUT", "CONNECT_TIMEOUT"])
  .union(new Set(["CONNECTION_CLOSED", "CONNECTION_ENDED", "CONNECTION_DESTROYED"]));

function errorResponse(
  status: number,
  error: string,
  details?: string,
  code?: string,
  extra?: Record<string, unknown>,
): ErrorResponse {
  const body = { error, ...details && { details }, ...code && { code }, ...extra };
  return { status, body, isInternal: status >= 500 };
}

/** The `detail` of a raise is text, or a JSON object whose members join the envelope. */
function parseDetail(detail?: string): { details?: string; extra?: Record<string, unknown> } {
  if (!detail?.startsWith("{")) return { details: detail };
  try {
    return { extra: JSON.parse(detail) };
  } catch {
    return { details: detail };
  }
}
