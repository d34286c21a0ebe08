/** What the service refuses, worded and shaped as Supabase Auth does: clients branch on these codes. */
export class Refusal extends Error {
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

export function refuse(status: number, code: string, message: string, extra?: Record<string, unknown>): never {
  throw new Refusal(status, code, message, extra);
}

/** Says in the service's words that the work failed, and logs why: most likely a trigger on auth.users raised. */
export async function orFailure<T>(message: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Refusal && error.status < 500) throw error;
    if (!(error instanceof Refusal)) console.error(`auth: ${message}: ${(error as Error).message}`);
    return refuse(500, "unexpected_failure", message);
  }
}

const CURRENT_VERSION = "2024-01-01";

/** Clients that name an API version of 2024 or later get `{code, message}`; others the older shape. */
export function errorResponse(error: unknown, request: Request): Response {
  if (!(error instanceof Refusal)) {
    console.error("auth:", request.method, new URL(request.url).pathname, error);
    error = new Refusal(500, "unexpected_failure", "Unexpected failure, please check server logs for more information");
  }
  const { status, code, message, extra } = error as Refusal;
  const headers = new Headers({ "x-sb-error-code": code });
  if ((request.headers.get("x-supabase-api-version") ?? "") < CURRENT_VERSION) {
    return Response.json({ code: status, error_code: code, msg: message, ...extra }, { status, headers });
  }
  headers.set("x-supabase-api-version", CURRENT_VERSION);
  return Response.json({ code, message, ...extra }, { status, headers });
}
