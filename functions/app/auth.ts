/**
 * Authentication: verifies tokens with the project's public keys, without a request to Auth. Auth verifies a token of
 * another key: of one that is newer than this isolate, or of the shared secret, which some projects still sign with.
 */
import { Buffer } from "node:buffer";
import { verifyCredentials } from "@supabase/server/core";
import { env, publishableKey } from "../runtime/env.ts";
import { ApiError, excerpt } from "../runtime/api_error.ts";
import { logInfo } from "../runtime/log.ts";

interface Caller {
  id: string;
  /** The token's claims as JSON text, as a `private.call_` function takes them. */
  claims: string;
}

type Claims = Record<string, unknown>;

/** The claims that SQL rules read. The rest is most of a token and would travel with every call. */
const claimsForDatabase = ({ sub, role, email, aal, session_id, is_anonymous, app_metadata }: Claims) =>
  JSON.stringify({ sub, role, email, aal, session_id, is_anonymous, app_metadata });

// A signature check costs more than the rest of a small request, and clients reuse a token for an hour
const cachedCallers = new Map<string, Caller & { expiresAt: number }>();
const MAX_CACHED_TOKENS = 2000;

/** How long Auth's verdicts count, and how long and how often Auth is asked. */
const AUTH_VERDICT_MS = 60_000, REJECTION_MS = 10_000, AUTH_TIMEOUT_MS = 5000, MAX_QUESTIONS = 10;

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
  const { claims, until = Infinity } = await verify(token);
  const { sub: id, exp = 0 } = claims;
  const caller = { id, claims: claimsForDatabase(claims), expiresAt: Math.min(exp * 1000, until) };
  if (cachedCallers.size >= MAX_CACHED_TOKENS) cachedCallers.delete(cachedCallers.keys().next().value!);
  cachedCallers.set(token, caller);
  return caller;
}

interface Verdict {
  claims: Claims & { sub: string; exp?: number };
  /** When to ask again. */
  until?: number;
}

async function verify(token: string): Promise<Verdict> {
  const { data } = await verifyCredentials({ token, apikey: null }, {
    auth: "user",
    env: { url: env.SUPABASE_URL, jwks: env.SUPABASE_JWKS },
  });
  if (data?.jwtClaims) return { claims: data.jwtClaims };
  const header = readPart(token, 0), claims = readPart(token, 1) as Verdict["claims"] | undefined;
  const isOfOtherKey = header && !env.SUPABASE_JWKS.keys.some(({ kid }) => kid === header.kid) &&
    header.alg !== "none" && typeof claims?.sub === "string" && Number(claims.exp) * 1000 > Date.now();
  if (isOfOtherKey && await isVerifiedByAuth(token, claims.sub, header.kid)) {
    return { claims, until: Date.now() + AUTH_VERDICT_MS };
  }
  throw new ApiError(401, "Invalid or expired token");
}

const asking = new Map<string, Promise<boolean>>(), rejected = new Map<string, number>();

/** Auth's verdict, shared by concurrent requests. Callers with invented tokens can cause only so many questions at once. */
function isVerifiedByAuth(token: string, userId: string, kid: unknown): Promise<boolean> {
  const shared = asking.get(token);
  if (shared) return shared;
  if ((rejected.get(token) ?? 0) > Date.now()) return Promise.resolve(false);
  if (asking.size >= MAX_QUESTIONS) throw new ApiError(503, "Too many tokens are being verified; try again");
  const verdict = askAuth(token, userId).finally(() => asking.delete(token));
  asking.set(token, verdict);
  verdict.then((isValid) => isValid || noteRejection(token, kid), () => {});
  return verdict;
}

function noteRejection(token: string, kid: unknown) {
  if (rejected.size >= MAX_CACHED_TOKENS) rejected.delete(rejected.keys().next().value!);
  rejected.set(token, Date.now() + REJECTION_MS);
  const key = excerpt(String(kid ?? ""), 100);
  logInfo({ message: `A token was rejected: SUPABASE_JWKS does not have its key ${key}, and Auth does not accept it` });
}

async function askAuth(token: string, userId: string): Promise<boolean> {
  try {
    const response = await fetch(`${env.SUPABASE_URL}/auth/v1/user`, {
      headers: { apikey: publishableKey(), authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(AUTH_TIMEOUT_MS),
    });
    const text = await response.text();
    if (response.ok) return (JSON.parse(text) as { id?: unknown }).id === userId;
    // 401: the gateway rejects the API key, not Auth the token
    if (response.status < 500 && response.status !== 401 && response.status !== 429) return false;
    throw new Error(`Auth responded ${response.status}`);
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw new ApiError(503, "The token cannot be verified now; try again", { cause });
  }
}

/** The header (0) or the claims (1) of a token, unverified. */
function readPart(token: string, part: 0 | 1): Claims | undefined {
  try {
    return JSON.parse(Buffer.from(token.split(".", 3)[part], "base64url").toString());
  } catch {
    return;
  }
}
