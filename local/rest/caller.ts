// Who is asking: what the platform's gateway makes of the key, and PostgREST of the token.
import { errors, type JWTPayload } from "jose";

/** The role a request runs under, and the claims that auth.uid() and the policies read. */
export interface Caller {
  role: string;
  claims: JWTPayload;
}

/** How keys and tokens are told from strangers' ones. */
export interface Credentials {
  publishableKey: string;
  secretKey: string;
  /** The claims of a token that this stack signed; throws jose's errors for any other. */
  verify(token: string): Promise<JWTPayload>;
}

/** Why a token is not accepted. */
export interface TokenFault {
  code: "PGRST301" | "PGRST303";
  message: string;
}

/** The key's role, or undefined for a key that is not this project's. */
export function roleOfKey(key: string | null | undefined, credentials: Credentials): string | undefined {
  if (key === credentials.publishableKey) return "anon";
  if (key === credentials.secretKey) return "service_role";
}

/** The user's token in the Authorization header. supabase-js repeats the key there when nobody is signed in. */
export function bearerOf(request: Request): string | undefined {
  const token = request.headers.get("authorization")?.match(/^bearer\b(.*)$/i)?.[1].trim();
  return token?.startsWith("sb_") ? undefined : token;
}

/** The caller that a token stands for; a token without a role is anon's. */
export async function callerOfToken(token: string, credentials: Credentials): Promise<Caller | TokenFault> {
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
