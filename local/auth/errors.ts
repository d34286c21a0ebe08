/** An error with Supabase Auth's codes and messages, because clients branch on them. */
export class AuthError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Members that join the body, such as `weak_password`. */
    readonly extra: Record<string, unknown> = {},
  ) {
    super(message);
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
    return fail(500, "unexpected_failure", message);
  }
}

const CURRENT_VERSION = "2024-01-01";

/** Returns `{code, message}` to clients with an API version of 2024 or later, the older form to others. */
export function errorResponse(error: unknown, request: Request): Response {
  if (error instanceof OAuthError) {
    return Response.json({ error: error.error, error_description: error.description }, { status: 400 });
  }
  if (!(error instanceof AuthError)) {
    console.error("auth:", request.method, new URL(request.url).pathname, error);
    error = new AuthError(
      500,
      "unexpected_failure",
      "Unexpected failure, please check server logs for more information",
    );
  }
  const { status, code, message, extra } = error as AuthError;
  const headers = new Headers({ "x-sb-error-code": code });
  if ((request.headers.get("x-supabase-api-version") ?? "") < CURRENT_VERSION) {
    return Response.json({ code: status, error_code: code, msg: message, ...extra }, { status, headers });
  }
  headers.set("x-supabase-api-version", CURRENT_VERSION);
  return Response.json({ code, message, ...extra }, { status, headers });
}
