/**
 * Turns anything thrown into a status and the error envelope. No other file builds an error body.
 * docs/errors.md lists the statuses and the machine codes.
 */
import { HTTPException } from "hono/http-exception";
import postgres from "postgres";
import { z } from "zod";
import { constraintMessages } from "../../types/constraints.ts";
import type { ErrorEnvelope } from "../../types/envelope.ts";
import { type ErrorCode, isErrorCode } from "../../types/error_codes.ts";
import { isTimeout, isUnavailable } from "../database/outages.ts";
import { ReturnedError } from "../database/returned_error.ts";
import { ApiError, excerpt } from "../runtime/api_error.ts";
import { retryAfterUntil } from "../runtime/retry_after.ts";

/** A response that reports an error. The log has the stack of internal ones. */
export interface ErrorResponse {
  status: number;
  body: ErrorEnvelope;
  headers?: Record<string, string>;
  isInternal: boolean;
}

export function toErrorResponse(error: unknown, context: { requestId: string; isSignedIn: boolean }): ErrorResponse {
  const { status, body, headers, isInternal } = fromThrown(error) ?? fromDatabaseError(error, context.isSignedIn) ??
    errorResponse(500, "Internal server error");
  if (status === 500) return { status, body: { ...body, requestId: context.requestId }, headers, isInternal };
  if (status === 503) return { status, body, headers: { "retry-after": "1", ...headers }, isInternal };
  if (status === 429) {
    const retryAfter = retryAfterUntil(body.rate_limit_reset_at);
    return { status, body, headers: { "retry-after": retryAfter, ...headers }, isInternal };
  }
  return { status, body, headers, isInternal };
}

function fromThrown(error: unknown): ErrorResponse | undefined {
  if (error instanceof ApiError) {
    const { code, details, extra, headers } = error.extras;
    return { ...errorResponse(error.status, error.message, details, code, extra), headers };
  }
  if (error instanceof z.ZodError) {
    const [{ path, message }] = error.issues;
    return errorResponse(
      400,
      "Invalid request",
      excerpt(path.length ? `${z.core.toDotPath(path)}: ${message}` : message),
    );
  }
  if (error instanceof HTTPException) return errorResponse(error.status, error.message);
}

function fromDatabaseError(error: unknown, signedIn: boolean): ErrorResponse | undefined {
  if (error instanceof ReturnedError) return fromRaised(error);
  if (isUnavailable(error)) return errorResponse(503, "The database is unavailable");
  if (isTimeout(error)) return errorResponse(503, "The database timed out");
  if (!(error instanceof postgres.PostgresError)) return;
  const { code, message } = error;
  if (/^PT[1-5]\d\d$/.test(code)) return fromRaised(error);

  // Messages of our own `raise` are for the caller; those of Postgres name tables
  const raised = error.routine === "exec_stmt_raise" ? message : undefined;
  const details = error.column_name ?? constraintMessage(error);
  if (code === "42501") {
    return signedIn ? errorResponse(403, raised ?? "Permission denied") : errorResponse(401, "Missing bearer token");
  }
  if (code.startsWith("22")) return errorResponse(400, raised ?? "Invalid value", details);
  if (code in CONSTRAINT_ERRORS) {
    const [status, defaultMessage] = CONSTRAINT_ERRORS[code];
    return errorResponse(status, raised ?? defaultMessage, details);
  }
  if (code === "55P03") {
    return errorResponse(503, "Another request is changing the same data; try again", undefined, "DATA_LOCKED");
  }
  if (CONFLICT_STATES.test(code)) return errorResponse(503, "Concurrent update conflict; try again");
}

/** An error that a function raised or returned as PTnnn. */
function fromRaised({ code, message, hint, detail }: Pick<ReturnedError, "code" | "message" | "hint" | "detail">) {
  const { details, extra } = parseDetail(detail);
  return errorResponse(Number(code.slice(2)), message, details, isErrorCode(hint) ? hint : undefined, extra);
}

/** What the violated constraint demands; its name says nothing to people. */
function constraintMessage({ schema_name, table_name, constraint_name }: postgres.PostgresError): string | undefined {
  const schema = schema_name === "public" ? [] : [schema_name];
  return constraintMessages[[...schema, table_name, constraint_name].join(".")];
}

const CONSTRAINT_ERRORS: Record<string, [status: number, message: string]> = {
  "23502": [400, "A required value is missing"],
  "23514": [400, "Invalid value"],
  "23505": [409, "Already exists"],
  "23503": [409, "References a missing record, or is still referenced"],
  "23P01": [409, "Overlaps with an existing record"],
};
const CONFLICT_STATES = /^40(001|P01)$/;

function errorResponse(
  status: number,
  error: string,
  details?: string,
  code?: ErrorCode,
  extra?: Record<string, unknown>,
): ErrorResponse {
  const body = { error, ...details && { details }, ...code && { code }, ...extra };
  return { status, body, isInternal: status >= 500 };
}

/** The `detail` of a raise is text, or a JSON object whose members join the body. */
function parseDetail(detail?: string): { details?: string; extra?: Record<string, unknown> } {
  if (!detail?.startsWith("{")) return { details: detail };
  try {
    return { extra: JSON.parse(detail) };
  } catch {
    return { details: detail };
  }
}
