/** Claims of tokens, and why a token is rejected, in Realtime's words. */
import { MAX_TOKEN_LENGTH } from "./limits.ts";
import type { Claims } from "./subscriptions.ts";

/** Returns the claims of a token or key. Rejects invalid ones. */
export type ReadClaims = (token: unknown) => Promise<Claims>;

export class TokenError extends Error {
  /** `closing` is the message to a joined client. */
  constructor(readonly code: string, message: string, readonly closing = message) {
    super(message);
  }
}

/** API keys ("sb_…") are not tokens. */
export const isToken = (token: unknown): token is string => typeof token === "string" && !token.startsWith("sb_");

/** Returns the claims of a token, which must name its role and end, or of an API key. Throws TokenError. */
export async function readClaims(read: ReadClaims, token: unknown): Promise<Claims> {
  if (isToken(token) && token.length > MAX_TOKEN_LENGTH) throw describe(undefined);
  const claims = await read(token).catch((error) => {
    throw describe(error);
  });
  if (isToken(token) && !(typeof claims.role === "string" && typeof claims.exp === "number")) {
    throw new TokenError("InvalidJWTToken", "Fields `role` and `exp` are required in JWT");
  }
  return claims;
}

function describe(error: unknown): TokenError {
  const { code, payload } = (error ?? {}) as { code?: string; payload?: { exp?: number } };
  switch (code) {
    case "ERR_JWT_EXPIRED": {
      const seconds = Math.max(0, Math.floor(Date.now() / 1000 - (payload?.exp ?? 0)));
      return new TokenError("InvalidJWTToken", `Token has expired ${seconds} seconds ago`);
    }
    case "ERR_JWS_SIGNATURE_VERIFICATION_FAILED":
    case "ERR_JOSE_ALG_NOT_ALLOWED":
      return new TokenError("JwtSignatureError", "Failed to validate JWT signature", ":signature_error");
    default:
      return new TokenError("MalformedJWT", "The token provided is not a valid JWT");
  }
}
