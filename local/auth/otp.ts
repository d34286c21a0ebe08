// POST /otp, /magiclink, /recover and /resend: send an email. The response to an unknown address is the same.
import { emailCode } from "./codes.ts";
import { startEmailChange } from "./email_change.ts";
import { AuthError, fail } from "./errors.ts";
import { MAGIC_LINK, OTP, type ParamsOf, parseParams, RECOVER, RESEND } from "./params.ts";
import { randomPassword } from "./passwords.ts";
import { requireChallenge, startFlow } from "./pkce.ts";
import type { Call, Json, Service } from "./service.ts";
import { register } from "./sign_up.ts";
import { findByEmail, parseEmail } from "./users.ts";

export async function otp(service: Service, call: Call): Promise<Json> {
  const params = parseParams(OTP, call.body, { create_user: true }), { email, phone } = params;
  if (email && phone) fail(400, "validation_failed", "Only an email address or phone number should be provided");
  if (email && params.channel) fail(400, "validation_failed", "Channel should only be specified with Phone OTP");
  requireChallenge(params);
  if (!params.create_user && (email || phone) && !(email && await isRegistered(service, email))) {
    fail(422, "otp_disabled", "Signups not allowed for otp");
  }
  if (email) return await sendMagicLink(service, call, params);
  if (phone) fail(400, "phone_provider_disabled", "Unsupported phone provider");
  return fail(400, "validation_failed", "One of email or phone must be set");
}

async function isRegistered({ sql }: Service, email: string): Promise<boolean> {
  return await findByEmail(sql, email) !== undefined;
}

/** As the service reads this body as a stream, its errors have other words. */
export async function magicLink(service: Service, call: Call): Promise<Json> {
  let params;
  try {
    params = parseParams(MAGIC_LINK, call.body);
  } catch (error) {
    if (!(error instanceof AuthError && error.code === "bad_json")) throw error;
    const reason = error.message.replace(/^[^:]*: /, "")
      .replace("unexpected end of JSON input", call.body.trim() ? "unexpected EOF" : "EOF");
    return fail(400, "bad_json", `Could not read verification params: ${reason}`);
  }
  return await sendMagicLink(service, call, params);
}

/** Sends a sign-in email; for a new user, that is the sign-up's confirmation. */
async function sendMagicLink(service: Service, call: Call, params: ParamsOf<typeof MAGIC_LINK>): Promise<Json> {
  if (!service.settings.allowEmail) fail(422, "email_provider_disabled", "Email logins are disabled");
  if (!params.email) fail(422, "validation_failed", "Password recovery requires an email");
  const email = parseEmail(params.email);
  requireChallenge(params);
  const user = await findByEmail(service.sql, email);
  if (!user?.email_confirmed_at) {
    await register(service, call, { ...params, email, password: randomPassword() });
  } else {
    await service.sql.begin(async (sql) => {
      await startFlow(sql, user, "magiclink", params);
      await emailCode(service, sql, call, user, "magiclink", params);
    });
  }
  return {};
}

export async function recover(service: Service, call: Call): Promise<Json> {
  if (!service.settings.allowEmail) fail(400, "email_provider_disabled", "Email logins are disabled");
  const params = parseParams(RECOVER, call.body);
  if (!params.email) fail(400, "validation_failed", "Password recovery requires an email");
  const email = parseEmail(params.email);
  requireChallenge(params);
  const user = await findByEmail(service.sql, email);
  if (user) {
    await service.sql.begin(async (sql) => {
      await startFlow(sql, user, "recovery", params);
      await emailCode(service, sql, call, user, "recovery", params);
    });
  }
  return {};
}

export async function resend(service: Service, call: Call): Promise<Json> {
  const params = parseParams(RESEND, call.body), { type, phone } = params;
  if (type === "signup" || type === "email_change") {
    requireChallenge(params);
  } else if (type !== "sms" && type !== "phone_change") {
    fail(400, "validation_failed", "Missing one of these types: signup, email_change, sms, phone_change");
  }
  if (!params.email && type === "signup") fail(400, "validation_failed", "Type provided requires an email address");
  if (!phone && type === "sms") fail(400, "validation_failed", "Type provided requires a phone number");
  if (params.email && phone) {
    fail(400, "validation_failed", "Only an email address or phone number should be provided.");
  }
  if (phone) fail(400, "phone_provider_disabled", "Phone logins are disabled");
  if (!params.email) fail(400, "validation_failed", "Missing email address or phone number");
  if (!service.settings.allowEmail) fail(400, "email_provider_disabled", "Email logins are disabled");
  const user = await findByEmail(service.sql, parseEmail(params.email));
  if (user && type === "signup" && !user.email_confirmed_at) {
    await service.sql.begin(async (sql) => {
      await startFlow(sql, user, "email/signup", params);
      await emailCode(service, sql, call, user, "signup", params);
    });
  }
  if (user?.email_change && type === "email_change") {
    await service.sql.begin((sql) => startEmailChange(service, sql, call, user, user.email_change, params));
  }
  return {};
}
