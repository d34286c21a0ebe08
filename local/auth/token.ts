// POST /token: a session for a password, a refresh token, or the code at the end of a PKCE link.
import { AuthError, fail } from "./errors.ts";
import { failDisabled } from "./features.ts";
import { authenticate, requireValidPassword } from "./passwords.ts";
import { exchangeCode } from "./pkce.ts";
import { idTokenGrant } from "./providers.ts";
import { type Call, type Json, type Service, text } from "./service.ts";
import { refreshSession, startSession } from "./sessions.ts";
import { findById, isBanned } from "./users.ts";

export async function token(service: Service, call: Call): Promise<Json> {
  const grant = GRANTS[call.query.get("grant_type") ?? ""];
  if (!grant) fail(400, "invalid_credentials", "unsupported_grant_type");
  return await grant(service, call);
}

const GRANTS: Record<string, (service: Service, call: Call) => Promise<Json> | Json> = {
  id_token: idTokenGrant,

  web3: () => failDisabled("web3"),

  async password(service, { body }) {
    if (text(body, "email") && text(body, "phone")) {
      fail(400, "validation_failed", "Only an email address or phone number should be provided on login.");
    }
    if (text(body, "phone")) fail(422, "phone_provider_disabled", "Phone logins are disabled");
    if (!text(body, "email")) fail(400, "validation_failed", "missing email or phone");
    if (!service.settings.allowEmail) fail(422, "email_provider_disabled", "Email logins are disabled");
    const password = text(body, "password");
    const user = await authenticate(service, text(body, "email"), password) ??
      fail(400, "invalid_credentials", "Invalid login credentials");
    if (isBanned(user)) fail(400, "user_banned", "User is banned");
    if (!user.email_confirmed_at) fail(400, "email_not_confirmed", "Email not confirmed");
    const session = await service.sql.begin((sql) => startSession(service, sql, user, "password"));
    return { ...session, weak_password: weakness(service, password) };
  },

  async refresh_token(service, { body }) {
    const session = await service.sql.begin((sql) => refreshSession(service, sql, text(body, "refresh_token")));
    if (session instanceof AuthError) throw session;
    return session;
  },

  pkce: (service, { body }) =>
    service.sql.begin(async (sql) => {
      const flow = await exchangeCode(sql, text(body, "auth_code"), text(body, "code_verifier"));
      return await startSession(service, sql, (await findById(sql, flow.user_id))!, flow.authentication_method);
    }),
};

/** An older password that violates the current rules still works; the reply reports it. */
function weakness(service: Service, password: string): Json | null {
  try {
    requireValidPassword(service, password);
    return null;
  } catch (error) {
    return { message: (error as AuthError).message, ...(error as AuthError).extra.weak_password as Json | undefined };
  }
}
