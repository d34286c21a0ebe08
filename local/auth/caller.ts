// Who calls: the claims of the Authorization header, the signed-in user, the back end.
import { decodeProtectedHeader, errors, type JWTPayload } from "jose";
import { AuthError, fail } from "./errors.ts";
import { type Call, isUuid, type Service, type Sql } from "./service.ts";
import { findById, isBanned, type User } from "./users.ts";

export interface Caller {
  user: User;
  /** From the token, which may be older than the user's confirmation. */
  isAnonymous: boolean;
  /** Null for a token that names no session. */
  session: { id: string; created_at: Date } | null;
}

/** Reads the claims of a call. Without a token, it has those of its key, which the gateway adds. Throws 401 or 403. */
async function readClaims({ tokens }: Service, { request }: Call): Promise<JWTPayload> {
  const header = request.headers.get("authorization");
  if (!header || header.startsWith("Bearer sb_")) return await tokens.claims(request.headers.get("apikey"));
  const bearer = /^bearer (\S+)$/i.exec(header)?.[1] ??
    fail(401, "no_authorization", "This endpoint requires a valid Bearer token");
  return await tokens.claims(bearer).catch((error: Error) =>
    fail(403, "bad_jwt", `invalid JWT: unable to parse or verify signature, ${reasonOf(error, bearer)}`)
  );
}

const WRONG_SIGNATURE: Record<string, string> = {
  ES256: "crypto/ecdsa: verification error",
  RS256: "crypto/rsa: verification error",
  HS256: "signature is invalid",
};

/** Why a token is invalid, in the words of the service's library. */
function reasonOf(error: Error, token: string): string {
  if (error instanceof errors.JWTExpired) return "token has invalid claims: token is expired";
  if (error instanceof errors.JWTClaimValidationFailed) return "token has invalid claims: token is not valid yet";
  if (token.split(".").length !== 3) return "token is malformed: token contains an invalid number of segments";
  const failed = error instanceof errors.JWSSignatureVerificationFailed;
  if (!failed && !(error instanceof errors.JOSEAlgNotAllowed)) return `token is malformed: ${error.message}`;
  const { alg = "" } = decodeProtectedHeader(token);
  return `token signature is invalid: ${failed ? WRONG_SIGNATURE[alg] : `signing method ${alg} is invalid`}`;
}

/** The checks before a route, and the route itself, need the user. */
const callers = new WeakMap<Call, Promise<Caller>>();

/** Reads the signed-in user of a call, once. Throws 401 or 403. */
export function requireCaller(service: Service, call: Call): Promise<Caller> {
  const caller = callers.get(call) ?? readCaller(service, call);
  callers.set(call, caller);
  return caller;
}

async function readCaller(service: Service, call: Call): Promise<Caller> {
  const claims = await readClaims(service, call), { sql } = service;
  if (!claims.sub) fail(403, "bad_jwt", "invalid claim: missing sub claim");
  if (!isUuid(claims.sub)) fail(400, "bad_jwt", "invalid claim: sub claim must be a UUID");
  const user = await findById(sql, claims.sub) ??
    fail(403, "user_not_found", "User from sub claim in JWT does not exist");
  const session = claims.session_id ? await findSession(sql, user, claims.session_id) : null;
  if (isBanned(user)) fail(403, "user_banned", "User is banned");
  return { user, session, isAnonymous: claims.is_anonymous === true };
}

async function findSession(sql: Sql, user: User, id: unknown): Promise<Caller["session"]> {
  if (!isUuid(id)) fail(403, "bad_jwt", "invalid claim: session_id claim must be a UUID");
  const [session] = await sql<{ id: string; created_at: Date }[]>`
    select id, created_at from sessions where id = ${id} and user_id = ${user.id}`;
  return session ?? fail(403, "session_not_found", "Session from session_id claim in JWT does not exist");
}

export async function requirePermanentCaller(service: Service, call: Call): Promise<Caller> {
  const caller = await requireCaller(service, call);
  if (caller.isAnonymous) fail(403, "no_authorization", "Anonymous user not allowed to perform these actions");
  return caller;
}

/** Rejects a call without the rights of the secret key. A user's token of such a role needs a session. */
export async function requireAdmin(service: Service, call: Call): Promise<void> {
  const claims = await readClaims(service, call);
  if (claims.session_id) await requireCaller(service, call);
  if (claims.role !== "service_role" && claims.role !== "supabase_admin") fail(403, "not_admin", "User not allowed");
}

export async function isAdmin(service: Service, call: Call): Promise<boolean> {
  try {
    await requireAdmin(service, call);
    return true;
  } catch (error) {
    if (error instanceof AuthError) return false;
    throw error;
  }
}
