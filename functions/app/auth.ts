/** Authentication: verifies tokens against the project's public keys, without a request to the auth service. */
import { verifyCredentials } from "@supabase/server/core";
import { env } from "../runtime/env.ts";
import { ApiError } from "../runtime/api_error.ts";

interface Caller {
  id: string;
  /** The token's claims as JSON text, as a `private.call_` function takes them. */
  claims: string;
}

/** The claims that SQL rules read. The rest is most of a token and would travel with every call. */
const claimsForDatabase = (
  { sub, role, email, aal, session_id, is_anonymous, app_metadata }: Record<string, unknown>,
) => JSON.stringify({ sub, role, email, aal, session_id, is_anonymous, app_metadata });

// A signature check costs more than the rest of a small request, and clients reuse a token for an hour
const cachedCallers = new Map<string, Caller & { expiresAt: number }>();
const MAX_CACHED_TOKENS = 2000;

/** Whether a request has no token. supabase-js sends the publishable key in its place while no user is signed in. */
export function isAnonymous({ headers }: Request): boolean {
  const header = headers.get("authorization");
  return header === null || header === `Bearer ${env.publishableKey}`;
}

/** Returns the signed-in caller. A missing, malformed, foreign or expired token is 401. */
export async function authenticate(request: Request): Promise<Caller> {
  const token = request.headers.get("authorization")?.match(/^bearer +(\S+)$/i)?.[1];
  if (!token) throw new ApiError(401, "Missing bearer token");

  const cached = cachedCallers.get(token);
  if (cached) {
    if (cached.expiresAt > Date.now()) return cached;
    cachedCallers.delete(token);
  }
  const { data } = await verifyCredentials({ token, apikey: null }, {
    auth: "user",
    env: { url: env.url, jwks: env.jwks },
  });
  const claims = data?.jwtClaims;
  if (!claims) throw new ApiError(401, "Invalid or expired token");

  const { sub: id, exp = 0 } = claims;
  const caller = { id, claims: claimsForDatabase(claims), expiresAt: exp * 1000 };
  if (cachedCallers.size >= MAX_CACHED_TOKENS) cachedCallers.delete(cachedCallers.keys().next().value!);
  cachedCallers.set(token, caller);
  return caller;
}
