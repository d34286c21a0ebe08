// POST /otp, /magiclink, /recover and /resend: ask for a mail. An address without an account gets the same answer.
import { randomBytes } from "node:crypto";
import { mailCode } from "./codes.ts";
import { startEmailChange } from "./email_change.ts";
import { refuse } from "./errors.ts";
import { challenge, startFlow } from "./pkce.ts";
import { type Call, type Json, type Service, text } from "./service.ts";
import { register } from "./sign_up.ts";
import { findByEmail, validEmail } from "./users.ts";

/** A sign-in mail; for a newcomer it is the sign-up's confirmation. */
export async function otp(service: Service, call: Call): Promise<Json> {
  const { body } = call;
  if (text(body, "phone")) refuse(400, "phone_provider_disabled", "Unsupported phone provider");
  if (!text(body, "email")) refuse(400, "validation_failed", "One of email or phone must be set");
  const email = validEmail(text(body, "email"));
  challenge(body);
  const user = await findByEmail(service.sql, email);
  if (!user && body.create_user === false) refuse(422, "otp_disabled", "Signups not allowed for otp");
  if (!user?.email_confirmed_at) {
    await register(service, call, email, randomBytes(24).toString("base64url"));
  } else {
    await service.sql.begin(async (sql) => {
      await startFlow(sql, user, "magiclink", body);
      await mailCode(service, sql, call, user, "magiclink");
    });
  }
  return {};
}

export async function recover(service: Service, call: Call): Promise<Json> {
  const email = text(call.body, "email") ? validEmail(text(call.body, "email")) : undefined;
  if (!email) return refuse(400, "validation_failed", "Password recovery requires an email");
  challenge(call.body);
  const user = await findByEmail(service.sql, email);
  if (user) {
    await service.sql.begin(async (sql) => {
      await startFlow(sql, user, "recovery", call.body);
      await mailCode(service, sql, call, user, "recovery");
    });
  }
  return {};
}

export async function resend(service: Service, call: Call): Promise<Json> {
  const type = text(call.body, "type");
  if (type !== "signup" && type !== "email_change") {
    refuse(400, "validation_failed", "Missing one of these types: signup, email_change, sms, phone_change");
  }
  if (!text(call.body, "email")) {
    refuse(400, "validation_failed", "Type provided requires an email address");
  }
  challenge(call.body);
  const user = await findByEmail(service.sql, validEmail(text(call.body, "email")));
  if (user && type === "signup" && !user.email_confirmed_at) {
    await service.sql.begin(async (sql) => {
      await startFlow(sql, user, "email/signup", call.body);
      await mailCode(service, sql, call, user, "signup");
    });
  }
  if (user?.email_change && type === "email_change") {
    await service.sql.begin((sql) => startEmailChange(service, sql, call, user, user.email_change));
  }
  return {};
}
