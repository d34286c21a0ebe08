/**
 * Authentication: verifies tokens with the project's public keys, without a request to Auth. Auth verifies a token of
 * another key: of one that is newer than this isolate, or of the shared secret, which some projects still sign with.
 */
import { Buffer } from "node:buffer";
import { verifyCredentials } from "@supabase/server/core";
import { isVerifiedByAuth } from "./auth_verdicts.ts";
import { clientNetwork } from "./client_address.ts";
import { env } from "../runtime/env.ts";
import { ApiError } from "../runtime/api_error.ts";
import { createLruCache } from "../runtime/lru_cache.ts";

interface Caller {
  id: string;
  /** The token's claims as JSON text, as a `private.call_` function takes them. */
  claims: string;
}

type Claims = Record<string, unknown>;

/** The claims that SQL rules read. The rest is most of a token and would travel with every call. */
const claimsForDatabase = ({ sub, role, email, aal, amr, session_id, is_anonymous, app_metadata }: Claims) =>
  JSON.stringify({ sub, role, email, aal, amr, session_id, is_anonymous, app_metadata });

// A signature check costs more than the rest of a small request, and clients reuse a token for an hour
const cachedCallers = createLruCache<Caller & { expiresAt: number }>({ maxCount: 2000, maxBytes: 8 * 2 ** 20 });

/** How long Auth's verdicts count. */
const AUTH_VERDICT_MS = 60_000;

/**
 * Whether a request has no user's token. supabase-js sends the project's API key in its place while no user is signed
 * in: a publishable one, perhaps of before a rotation, or the older anon key, a token without a user.
 */
export function isAnonymous({ headers }: Request): boolean {
  const header = headers.get("authorization");
  if (header === null) return true;
  const token = header.replace(/^Bearer /, "");
  return token.startsWith("sb_publishable_") || readPart(token, 1)?.role === "anon";
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
  const { claims, until = Infinity } = await verify(token, request);
  const { sub: id, exp = 0 } = claims;
  const caller = { id, claims: claimsForDatabase(claims), expiresAt: Math.min(exp * 1000, until) };
  cachedCallers.set(token, caller, 200 + token.length + 2 * caller.claims.length);
  return caller;
}

interface Verdict {
  claims: Claims & { sub: string; exp?: number };
  /** When to ask again. */
  until?: number;
}

async function verify(token: string, request: Request): Promise<Verdict> {
  const { data } = await verifyCredentials({ token, apikey: null }, {
    auth: "user",
    env: { url: env.SUPABASE_URL, jwks: env.SUPABASE_JWKS },
  });
  if (data?.jwtClaims) return { claims: data.jwtClaims };
  const header = readPart(token, 0), claims = readPart(token, 1) as Verdict["claims"] | undefined;
  const isOfOtherKey = header && !env.SUPABASE_JWKS.keys.some(({ kid }) => kid === header.kid) &&
    header.alg !== "none" && typeof claims?.sub === "string" && Number(claims.exp) * 1000 > Date.now();
  const isVerified = isOfOtherKey &&
    await isVerifiedByAuth({ token, userId: claims.sub, kid: header.kid, network: clientNetwork(request) });
  if (isVerified) return { claims, until: Date.now() + AUTH_VERDICT_MS };
  throw new ApiError(401, "Invalid or expired token");
}

/** The header (0) or the claims (1) of a token, unverified. */
function readPart(token: string, part: 0 | 1): Claims | undefined {
  try {
    return JSON.parse(Buffer.from(token.split(".", 3)[part], "base64url").toString());
  } catch {
    return;
  }
}
