// POST /otp, /magiclink, /recover and /resend: send an email. The response to an unknown address is the same.
import { randomBytes } from "node:crypto";
import { emailCode } from "./codes.ts";
import { startEmailChange } from "./email_change.ts";
import { fail } from "./errors.ts";
import { parseChallenge, startFlow } from "./pkce.ts";
import { type Call, type Json, type Service, text } from "./service.ts";
import { register } from "./sign_up.ts";
import { findByEmail, parseEmail } from "./users.ts";

/** Sends a sign-in email; for a new user, that is the sign-up's confirmation. */
export async function otp(service: Service, call: Call): Promise<Json> {
  const { body } = call;
  if (text(body, "phone")) fail(400, "phone_provider_disabled", "Unsupported phone provider");
  if (!text(body, "email")) fail(400, "validation_failed", "One of email or phone must be set");
  const email = parseEmail(text(body, "email"));
  parseChallenge(body);
  const user = await findByEmail(service.sql, email);
  if (!user && body.create_user === false) fail(422, "otp_disabled", "Signups not allowed for otp");
  if (!service.settings.allowEmail) fail(422, "email_provider_disabled", "Email logins are disabled");
  if (!user?.email_confirmed_at) {
    await register(service, call, email, randomBytes(24).toString("base64url"));
  } else {
    await service.sql.begin(async (sql) => {
      await startFlow(sql, user, "magiclink", body);
      await emailCode(service, sql, call, user, "magiclink");
    });
  }
  return {};
}

export async function recover(service: Service, call: Call): Promise<Json> {
  if (!service.settings.allowEmail) fail(400, "email_provider_disabled", "Email logins are disabled");
  const email = text(call.body, "email") ? parseEmail(text(call.body, "email")) : undefined;
  if (!email) return fail(400, "validation_failed", "Password recovery requires an email");
  parseChallenge(call.body);
  const user = await findByEmail(service.sql, email);
  if (user) {
    await service.sql.begin(async (sql) => {
      await startFlow(sql, user, "recovery", call.body);
      await emailCode(service, sql, call, user, "recovery");
    });
  }
  return {};
}

export async function resend(service: Service, call: Call): Promise<Json> {
  const type = text(call.body, "type");
  const given = text(call.body, "email"), phone = text(call.body, "phone");
  if (!["signup", "email_change", "sms", "phone_change"].includes(type)) {
    fail(400, "validation_failed", "Missing one of these types: signup, email_change, sms, phone_change");
  }
  if (!given && type === "signup") fail(400, "validation_failed", "Type provided requires an email address");
  if (!phone && type === "sms") fail(400, "validation_failed", "Type provided requires a phone number");
  if (given && phone) {
    fail(400, "validation_failed", "Only an email address or phone number should be provided.");
  }
  if (phone) fail(400, "phone_provider_disabled", "Phone logins are disabled");
  if (!given) fail(400, "validation_failed", "Missing email address or phone number");
  if (!service.settings.allowEmail) fail(400, "email_provider_disabled", "Email logins are disabled");
  const email = parseEmail(given);
  parseChallenge(call.body);
  const user = await findByEmail(service.sql, email);
  if (user && type === "signup" && !user.email_confirmed_at) {
    await service.sql.begin(async (sql) => {
      await startFlow(sql, user, "email/signup", call.body);
      await emailCode(service, sql, call, user, "signup");
    });
  }
  if (user?.email_change && type === "email_change") {
    await service.sql.begin((sql) => startEmailChange(service, sql, call, user, user.email_change));
  }
  return {};
}
