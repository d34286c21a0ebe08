// /verify: verifies a code from a form (POST) or from the link of an email (GET).
import { type CodeProof, consumeCode, findByCode, rejectCode } from "./codes.ts";
import { confirmEmailChange } from "./email_change.ts";
import { AuthError, fail, orUnexpectedFailure } from "./errors.ts";
import { type ParamsOf, parseParams, VERIFY } from "./params.ts";
import { hashPassword, randomPassword, setPassword } from "./passwords.ts";
import { parsePhone } from "./phones.ts";
import { issueAuthCode, type Method, PREFIX } from "./pkce.ts";
import type { Call, Json, Service, Sql } from "./service.ts";
import { startSession } from "./sessions.ts";
import { confirmUser, parseEmail, reload, updateProviders, type User, verifyIdentities } from "./users.ts";

const SECOND_CONFIRMATION = "Confirmation link accepted. Please proceed to confirm link sent to the other email";
/** The errors of redirects; other statuses have none. */
const OAUTH_ERRORS: Record<number, string> = { 400: "invalid_request", 403: "access_denied", 500: "server_error" };
/** The method of each type of link. An unknown type of a PKCE link is the service's 500. */
const METHODS: Record<string, Method> = {
  signup: "email/signup",
  invite: "invite",
  magiclink: "magiclink",
  recovery: "recovery",
  email_change: "email_change",
};

/** Consumes a code and applies it. Returns null if the other address must also confirm. */
async function redeem(service: Service, sql: Sql, type: string, proof: CodeProof): Promise<User | null> {
  const user = await applyCode(service, sql, type, proof);
  if (!user) return null;
  await updateProviders(sql, user);
  return await reload(sql, user);
}

async function applyCode(service: Service, sql: Sql, type: string, proof: CodeProof): Promise<User | null> {
  if (type === "email_change") return await confirmEmailChange(service, sql, proof);
  if (type !== "email" && type !== "signup" && type !== "invite" && type !== "magiclink" && type !== "recovery") {
    if ("code" in proof) rejectCode(proof);
    fail(400, "validation_failed", "Invalid email verification type");
  }
  const { user, kind } = await findByCode(service, sql, type, proof);
  if (kind === "signup" || kind === "invite") {
    if (user.invited_at && !user.encrypted_password) {
      // a password that no one knows, until the invited person sets one
      const hash = await hashPassword(service, randomPassword());
      await orUnexpectedFailure("Error storing password", setPassword(sql, user, hash, null));
    }
    await orUnexpectedFailure("Error confirming user", confirmUser(sql, user));
    await verifyIdentities(sql, user);
  } else {
    await consumeCode(sql, user, kind);
    if (!user.email_confirmed_at) await orUnexpectedFailure("Database error updating user", confirmUser(sql, user));
  }
  return user;
}

/** Limits wrong codes per client, because six digits can be guessed. */
async function withLimit<T>({ settings, limits }: Service, { client }: Call, work: () => Promise<T>): Promise<T> {
  if (limits.wrongCodes.count(client) >= settings.wrongCodesPerFiveMinutes) {
    fail(429, "over_request_rate_limit", "Request rate limit reached");
  }
  const forgive = limits.wrongCodes.add(client); // before the check, because guesses may arrive at once
  try {
    const result = await work();
    forgive();
    return result;
  } catch (error) {
    if (!(error instanceof AuthError && error.code === "otp_expired")) forgive();
    throw error;
  }
}

/** POST: a code from a form. */
export async function verifyCode(service: Service, call: Call): Promise<Json> {
  const params = parseParams(VERIFY, call.body), type = requireType(params.type), proof = parseProof(params);
  return await withLimit(service, call, () =>
    service.sql.begin(async (sql) => {
      const user = await redeem(service, sql, type, proof);
      return user ? await startSession(service, sql, user, "otp") : { msg: SECOND_CONFIRMATION, code: "200" };
    }));
}

/** GET: the link of an email. */
export async function verifyLink(service: Service, call: Call): Promise<Response> {
  const type = requireType(call.query.get("type") ?? "");
  const tokenHash = call.query.get("token") ||
    fail(400, "validation_failed", "Verify requires a token or a token hash");
  const pkce = tokenHash.startsWith(PREFIX);
  if (pkce && !Object.hasOwn(METHODS, type)) throw new Error(`unsupported authentication method "${type}"`);
  const target = new URL(call.redirectTo);
  const fragment = (members: Record<string, string>) => `#${new URLSearchParams({ ...members, sb: "" })}`;
  try {
    await withLimit(service, call, () =>
      service.sql.begin(async (sql) => {
        const user = await redeem(service, sql, type, { tokenHash });
        if (!user) {
          target.hash = fragment({ message: SECOND_CONFIRMATION });
          if (pkce) target.searchParams.set("message", SECOND_CONFIRMATION);
        } else if (pkce) {
          target.searchParams.set("code", await issueAuthCode(sql, user, METHODS[type]));
        } else {
          const { user: _, expires_in, expires_at, ...session } = await startSession(service, sql, user, "otp");
          target.hash = fragment({ ...session, expires_in: `${expires_in}`, expires_at: `${expires_at}`, type });
        }
      }));
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    const { status, code: error_code, message: error_description } = error, oauthError = OAUTH_ERRORS[status];
    const members = { ...oauthError && { error: oauthError }, error_code, error_description };
    target.hash = fragment(members);
    if (pkce) { for (const [name, value] of Object.entries(members)) target.searchParams.set(name, value); }
  }
  return new Response(null, { status: 303, headers: { location: target.href } });
}

const requireType = (type: string) => type || fail(400, "validation_failed", "Verify requires a verification type");

function parseProof(params: ParamsOf<typeof VERIFY>): CodeProof {
  const { token: code, token_hash: tokenHash, email, phone, redirect_to } = params;
  if (!code === !tokenHash) fail(400, "validation_failed", "Verify requires either a token or a token hash");
  if (tokenHash) {
    if (email || phone || redirect_to) {
      fail(400, "validation_failed", "Only the token_hash and type should be provided");
    }
    return { tokenHash };
  }
  if (!email === !phone) {
    fail(400, "validation_failed", "Only an email address or phone number should be provided on verify");
  }
  if (phone) return rejectCode({ email: parsePhone(phone), code }); // no account has a phone number
  try {
    return { email: parseEmail(email), code };
  } catch {
    return fail(422, "validation_failed", "Invalid email format");
  }
}
