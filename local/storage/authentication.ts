// Who asks the storage service: the platform's gateway turns a key into a role, the service reads tokens itself.
import { bearerOf, type Credentials, roleOfKey } from "../rest/caller.ts";
import type { Asking } from "./database.ts";
import { refusals } from "./errors.ts";

export interface Visitor extends Asking {
  /** Without a key or a token only what is public is left. */
  isKnown: boolean;
}

/** `isLenient`: a token that is no good counts as none, as on the routes that serve public buckets, too. */
export async function visitorOf(
  request: Request,
  operation: string,
  credentials: Credentials,
  isLenient: boolean,
): Promise<Visitor> {
  const stranger = { role: "anon", claims: { role: "anon" }, request, operation, isKnown: false };
  const token = bearerOf(request);
  const role = roleOfKey(request.headers.get("apikey") ?? new URL(request.url).searchParams.get("apikey"), credentials);
  if (!token) {
    if (role) return { role, claims: { role }, request, operation, isKnown: true };
    if (isLenient) return stranger;
    throw refusals.accessDenied("Invalid Compact JWS");
  }
  try {
    const claims = await credentials.verify(token);
    const role = typeof claims.role === "string" ? claims.role : "anon";
    return { role, claims, request, operation, isKnown: true };
  } catch (error) {
    if (isLenient) return stranger;
    throw refusals.accessDenied((error as Error).message);
  }
}
