// Signed URLs: a permission to read or upload one object until it expires.
import { errors, jwtVerify, SignJWT } from "jose";
import { ERRORS } from "./errors.ts";

type Scope = "download" | "upload";
interface SignedClaims {
  /** bucket/key */
  url: string;
  exp: number;
  /** For an upload: its owner, and whether it may replace an object. */
  owner?: string;
  upsert?: boolean;
}
export type Signing = ReturnType<typeof createSigning>;

/** The validity of an upload URL. */
export const UPLOAD_URL_SECONDS = 2 * 60 * 60;

export function createSigning(secret: string) {
  const key = new TextEncoder().encode(secret);
  return {
    sign: (scope: Scope, claims: Omit<SignedClaims, "exp">, seconds: number): Promise<string> =>
      new SignJWT({ ...claims, scope }).setProtectedHeader({ alg: "HS256", typ: "JWT" }).setIssuedAt()
        .setExpirationTime(`${seconds} seconds`).sign(key),

    /** Verifies a token for this object and use and returns its claims. */
    async verify(scope: Scope, token: string, path: string): Promise<SignedClaims> {
      const { payload } = await jwtVerify(token, key, { algorithms: ["HS256"] }).catch((error) => {
        throw error instanceof errors.JOSEError ? ERRORS.invalidJwt(error.message) : error;
      });
      if (payload.scope !== scope) throw ERRORS.invalidSignature(`Token is not scoped for ${scope}`);
      if (payload.url !== path) throw ERRORS.invalidSignature();
      return payload as unknown as SignedClaims;
    },
  };
}

/** The service's largest validity: its end in milliseconds must be a safe integer. */
const MAX_SECONDS = Math.floor(Number.MAX_SAFE_INTEGER / 1000);

export function requireExpiration(seconds: number) {
  if (Date.now() / 1000 + seconds > MAX_SECONDS) throw ERRORS.invalidParameter("expiresIn");
}
