import postgres from "../postgres/client.ts";

/** An error with Supabase Auth's codes and messages, because clients branch on them. */
export class AuthError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Members that join the body, such as `weak_password`. */
    readonly extra: Record<string, unknown> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export function fail(status: number, code: string, message: string, extra?: Record<string, unknown>): never {
  throw new AuthError(status, code, message, extra);
}

/** An error of the OAuth kind, whose status is always 400. */
export class OAuthError extends Error {
  constructor(readonly error: string, readonly description: string) {
    super(description);
  }
}

/** Turns an unexpected error into the service's message and logs it: usually, a trigger on auth.users raised it. */
export async function orUnexpectedFailure<T>(message: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AuthError && error.status < 500) throw error;
    if (!(error instanceof AuthError)) console.error(`auth: ${message}: ${(error as Error).message}`);
    throw new AuthError(500, "unexpected_failure", message, {}, { cause: error });
  }
}

const CURRENT_VERSION = "2024-01-01";

/** Returns `{code, message}` to clients with an API version of 2024 or later, the older form to others. */
export function errorResponse(error: unknown, request: Request): Response {
  if (error instanceof OAuthError) {
    return Response.json({ error: error.error, error_description: error.description }, { status: 400 });
  }
  const isCurrent = (request.headers.get("x-supabase-api-version") ?? "") >= CURRENT_VERSION;
  if (!(error instanceof AuthError)) {
    console.error("auth:", request.method, new URL(request.url).pathname, error);
    const message = "Unexpected failure, please check server logs for more information";
    return respond(new AuthError(500, "unexpected_failure", message), isCurrent);
  }
  const response = !isCurrent && databaseError(error.cause) || respond(error, isCurrent, crypto.randomUUID());
  if (!(isCurrent && error.code === "weak_password")) response.headers.set("x-sb-error-code", error.code);
  return response;
}

function respond({ status, code, message, extra }: AuthError, isCurrent: boolean, id?: string): Response {
  if (isCurrent) {
    const headers = { "x-supabase-api-version": CURRENT_VERSION };
    return Response.json({ code, message, ...extra }, { status, headers });
  }
  const error_id = status >= 500 ? id : undefined;
  return Response.json({ code: status, error_code: code, msg: message, error_id, ...extra }, { status });
}

/** Violated constraints, and errors that a trigger raises without a code of its own. */
const RAISED = ["P0001", "23000", "23001", "23502", "23503", "23505", "23514", "23P01"];

/** The error of the database itself, which the service shows to clients without an API version; PTnnn is a status. */
function databaseError(cause: unknown): Response | undefined {
  if (!(cause instanceof postgres.PostgresError)) return undefined;
  const { code, message, hint, detail } = cause;
  const status = RAISED.includes(code) ? 500 : Number(/^PT(\d{3})$/.exec(code)?.[1]);
  return status ? Response.json({ code, message, hint, detail }, { status }) : undefined;
}
