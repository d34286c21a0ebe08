// URLs that carry their own permission for a while: to read one object, or to upload one.
import { errors, jwtVerify, SignJWT } from "jose";
import { StorageError } from "./errors.ts";
import { refusals } from "./errors.ts";

export type Scope = "download" | "upload";
export interface SignedClaims {
  /** bucket/key */
  url: string;
  exp: number;
  /** For an upload: whose it will be, and whether it may replace. */
  owner?: string;
  upsert?: boolean;
}
export type Signing = ReturnType<typeof createSigning>;

/** How long an upload URL is good, in seconds. */
export const uploadSeconds = 2 * 60 * 60;

export function createSigning(secret: string) {
  const key = new TextEncoder().encode(secret);
  return {
    sign: (scope: Scope, claims: Omit<SignedClaims, "exp">, seconds: number): Promise<string> =>
      new SignJWT({ ...claims, scope }).setProtectedHeader({ alg: "HS256", typ: "JWT" }).setIssuedAt()
        .setExpirationTime(`${seconds} seconds`).sign(key),

    /** The token's claims, when it was signed here for this object and this use. */
    async verify(scope: Scope, token: string | null, path: string): Promise<SignedClaims> {
      if (!token) throw new StorageError(400, "InvalidRequest", "querystring must have required property 'token'");
      const { payload } = await jwtVerify(token, key, { algorithms: ["HS256"] }).catch((error) => {
        throw error instanceof errors.JOSEError ? refusals.invalidJwt(error.message) : error;
      });
      if (payload.scope !== scope) throw refusals.invalidSignature(`Token is not scoped for ${scope}`);
      if (payload.url !== path) throw refusals.invalidSignature();
      return payload as unknown as SignedClaims;
    },
  };
}

export function checkSeconds(seconds: unknown): number {
  if (typeof seconds === "number" && Number.isInteger(seconds) && seconds >= 1) return seconds;
  throw refusals.invalidRequest("body/expiresIn must be >= 1");
}
