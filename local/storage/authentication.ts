// Authenticates requests: a key gives a role, as in the gateway of the platform; the service verifies tokens itself.
import { bearerToken, type Credentials, roleFromKey } from "../rest/caller.ts";
import type { StorageCaller } from "./database.ts";
import { ERRORS } from "./errors.ts";

export interface AuthenticatedCaller extends StorageCaller {
  /** Whether the request has an API key or a token; without one it reads public buckets only. */
  isAuthenticated: boolean;
}

/** `isOptional`: an invalid token counts as none, as on routes that serve public buckets. Throws accessDenied. */
export async function authenticate(
  request: Request,
  operation: string,
  credentials: Credentials,
  isOptional: boolean,
): Promise<AuthenticatedCaller> {
  const anonymous = { role: "anon", claims: { role: "anon" }, request, operation, isAuthenticated: false };
  const token = bearerToken(request);
  const role = roleFromKey(
    request.headers.get("apikey") ?? new URL(request.url).searchParams.get("apikey"),
    credentials,
  );
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
