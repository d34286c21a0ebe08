// Authenticates requests: a key gives a role, as in the gateway of the platform; the service verifies tokens itself.
import { apiKeyOf, bearerToken, type Credentials, roleFromKey } from "../wire/caller.ts";
import type { StorageCaller } from "./database.ts";
import { ERRORS } from "./errors.ts";

/**
 * public: without a token. optional: callers without a token read public buckets. token: key or token. authenticated:
 * as token, and a missing one is an error of the request's form.
 */
export type Access = "public" | "optional" | "token" | "authenticated";

export interface AuthenticatedCaller extends StorageCaller {
  /** Whether the request has an API key or a token; without one it reads public buckets only. */
  isAuthenticated: boolean;
}

const roleOfKey = (request: Request, credentials: Credentials) => roleFromKey(apiKeyOf(request), credentials);

/** Whether the request has an Authorization header or a key, from which the platform's gateway makes one. */
export function hasCredentials(request: Request, credentials: Credentials): boolean {
  return request.headers.has("authorization") || roleOfKey(request, credentials) !== undefined;
}

/** On public and optional routes, an invalid token counts as none. Throws accessDenied. */
export async function authenticate(
  request: Request,
  { operation, access }: { operation: string; access: Access },
  credentials: Credentials,
): Promise<AuthenticatedCaller> {
  const anonymous = { role: "anon", claims: { role: "anon" }, request, operation, isAuthenticated: false };
  const isOptional = access === "public" || access === "optional";
  const token = bearerToken(request);
  const role = roleOfKey(request, credentials);
  if (!token) {
    if (role) return { role, claims: { role }, request, operation, isAuthenticated: true };
    if (isOptional) return anonymous;
    throw ERRORS.accessDenied("Invalid Compact JWS");
  }
  try {
    const claims = await credentials.verify(token);
    const role = typeof claims.role === "string" ? claims.role : "anon";
    return { role, claims, request, operation, isAuthenticated: true };
  } catch (error) {
    if (isOptional) return anonymous;
    throw ERRORS.accessDenied((error as Error).message);
  }
}
