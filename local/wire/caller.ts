// The caller of a request: the role of an API key, as in the platform's gateway, and of a token, as in PostgREST.
import { errors, type JWTPayload } from "jose";

/** The role of a request, and the claims for auth.uid() and policies. */
export interface Caller {
  role: string;
  claims: JWTPayload;
}

/** Verifies keys and tokens. */
export interface Credentials {
  publishableKey: string;
  secretKey: string;
  /** Returns the claims of a token of this stack. Throws jose's errors for others. */
  verify(token: string): Promise<JWTPayload>;
}

/** The reason why a token is rejected. */
interface TokenError {
  code: "PGRST301" | "PGRST303";
  message: string;
}

/** Reads the API key, which is in the URL of a WebSocket. */
export const apiKeyOf = (request: Request): string | null =>
  request.headers.get("apikey") ?? new URL(request.url).searchParams.get("apikey");

/** The response of the platform's gateway to a request without one of the project's two keys. */
export function rejectApiKey(key: string | null): Response {
  const [message, hint, code] = key
    ? ["Invalid API key", "Double check your Supabase `apikey`", "UNAUTHORIZED_INVALID_API_KEY"]
    : [
      "No API key found in request",
      "No `apikey` request header or url param was found.",
      "UNAUTHORIZED_MISSING_API_KEY",
    ];
  return Response.json({ message, hint }, { status: 401, headers: { "sb-error-code": code } });
}

/** Returns the role of a key; undefined for an unknown key. */
export function roleFromKey(key: string | null | undefined, credentials: Credentials): string | undefined {
  if (key === credentials.publishableKey) return "anon";
  if (key === credentials.secretKey) return "service_role";
}

/** Reads the token of the Authorization header. Without a session, supabase-js sends the key there. */
export function bearerToken(request: Request): string | undefined {
  const token = request.headers.get("authorization")?.match(/^bearer\b(.*)$/i)?.[1].trim();
  return token?.startsWith("sb_") ? undefined : token;
}

/** Returns the caller of a token. A token without a role has the role anon. */
export async function callerFromToken(token: string, credentials: Credentials): Promise<Caller | TokenError> {
  if (!token) return { code: "PGRST301", message: "Empty JWT is sent in Authorization header" };
  const parts = token.split(".").length;
  if (parts !== 3) return { code: "PGRST301", message: `Expected 3 parts in JWT; got ${parts}` };
  try {
    const claims = await credentials.verify(token);
    return { role: typeof claims.role === "string" ? claims.role : "anon", claims };
  } catch (error) {
    if (error instanceof errors.JWTExpired) return { code: "PGRST303", message: "JWT expired" };
    if (error instanceof errors.JWTClaimValidationFailed) return { code: "PGRST303", message: "JWT not yet valid" };
    return { code: "PGRST301", message: "No suitable key or wrong key type" };
  }
}
