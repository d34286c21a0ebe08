// Signed URLs: a permission to read or upload one object until it expires.
import { errors, jwtVerify, SignJWT } from "jose";
import { StorageError } from "./errors.ts";
import { ERRORS } from "./errors.ts";

export type Scope = "download" | "upload";
export interface SignedClaims {
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
    async verify(scope: Scope, token: string | null, path: string): Promise<SignedClaims> {
      if (!token) throw new StorageError(400, "InvalidRequest", "querystring must have required property 'token'");
      const { payload } = await jwtVerify(token, key, { algorithms: ["HS256"] }).catch((error) => {
        throw error instanceof errors.JOSEError ? ERRORS.invalidJwt(error.message) : error;
      });
      if (payload.scope !== scope) throw ERRORS.invalidSignature(`Token is not scoped for ${scope}`);
      if (payload.url !== path) throw ERRORS.invalidSignature();
      return payload as unknown as SignedClaims;
    },
  };
}

export function requireValidSeconds(seconds: unknown): number {
  if (typeof seconds === "number" && Number.isInteger(seconds) && seconds >= 1) return seconds;
  throw ERRORS.invalidRequest("body/expiresIn must be >= 1");
}
