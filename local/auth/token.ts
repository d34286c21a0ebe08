// POST /token: a session for a password, a refresh token, or the code at the end of a PKCE link.
import { AuthError, fail } from "./errors.ts";
import { failDisabled } from "./features.ts";
import { parseParams, PASSWORD_GRANT, PKCE_GRANT, REFRESH_GRANT } from "./params.ts";
import { authenticate, requireValidPassword } from "./passwords.ts";
import { exchangeCode } from "./pkce.ts";
import { idTokenGrant } from "./providers.ts";
import type { Call, Json, Service } from "./service.ts";
import { refreshSession, startSession } from "./sessions.ts";
import { findById } from "./users.ts";

export async function token(service: Service, call: Call): Promise<Json> {
  const grant = GRANTS[call.query.get("grant_type") ?? ""];
  if (!grant) fail(400, "invalid_credentials", "unsupported_grant_type");
  return await grant(service, call);
}

const GRANTS: Record<string, (service: Service, call: Call) => Promise<Json> | Json> = {
  id_token: idTokenGrant,

  web3: () => failDisabled("web3"),

  async password(service, { body }) {
    const { email, phone, password } = parseParams(PASSWORD_GRANT, body);
    if (email && phone) {
      fail(400, "validation_failed", "Only an email address or phone number should be provided on login.");
    }
    if (phone) fail(422, "phone_provider_disabled", "Phone logins are disabled");
    if (!email) fail(400, "validation_failed", "missing email or phone");
    if (!service.settings.allowEmail) fail(422, "email_provider_disabled", "Email logins are disabled");
    const user = await authenticate(service, email, password) ??
      fail(400, "invalid_credentials", "Invalid login credentials");
    if (!user.email_confirmed_at) fail(400, "email_not_confirmed", "Email not confirmed");
    const session = await service.sql.begin((sql) => startSession(service, sql, user, "password"));
    return { ...session, weak_password: weakness(service, password) };
  },

  async refresh_token(service, { body }) {
    const { refresh_token } = parseParams(REFRESH_GRANT, body);
    const session = await service.sql.begin((sql) => refreshSession(service, sql, refresh_token));
    if (session instanceof AuthError) throw session;
    return session;
  },

  async pkce(service, { body }) {
    const { auth_code, code_verifier } = parseParams(PKCE_GRANT, body);
    return await service.sql.begin(async (sql) => {
      const flow = await exchangeCode(sql, auth_code, code_verifier);
      return await startSession(service, sql, (await findById(sql, flow.user_id))!, flow.authentication_method);
    });
  },
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
