// GET and PUT /user: the caller's account.
import { type Caller, requireCaller } from "./caller.ts";
import { applyEmailChange, startEmailChange } from "./email_change.ts";
import { fail, orUnexpectedFailure } from "./errors.ts";
import { failMissing } from "./features.ts";
import { parseParams, USER_UPDATE } from "./params.ts";
import { hashPassword, isPasswordOf, requireValidPassword, setPassword } from "./passwords.ts";
import { parsePhone, requireChannel } from "./phones.ts";
import { consumeNonce } from "./reauthenticate.ts";
import type { Call, Json, Service } from "./service.ts";
import { assertEmailIsFree, mergeMetadata, parseEmail, userView } from "./users.ts";

export async function getUser(service: Service, call: Call): Promise<Json> {
  return await userView(service.sql, (await requireCaller(service, call)).user);
}

export async function updateUser(service: Service, call: Call): Promise<Json> {
  const params = parseParams(USER_UPDATE, call.body), { password, data } = params;
  const caller = await requireCaller(service, call), { user, session } = caller;
  const email = params.email && parseEmail(params.email), phone = params.phone && parsePhone(params.phone);
  if (phone) requireChannel(params.channel);
  if (password !== undefined) requireValidPassword(service, password);
  if (params.app_metadata) fail(403, "not_admin", "Updating app_metadata requires admin privileges");
  if (user.is_anonymous && password && !email && !phone) {
    const what = "Updating password of an anonymous user without an email or phone is not allowed";
    fail(422, "validation_failed", what);
  }
  const changesEmail = email && email !== user.email;
  if (changesEmail) await assertEmailIsFree(service.sql, email);
  const hash = password && await hashNewPassword(service, caller, password, params.nonce);
  return await service.sql.begin(async (sql) => {
    if (hash) {
      await orUnexpectedFailure("Error during password storage", setPassword(sql, user, hash, session?.id ?? null));
    }
    if (data) await orUnexpectedFailure("Error updating user", mergeMetadata(sql, user, "raw_user_meta_data", data));
    if (changesEmail && user.is_anonymous && !service.settings.confirmEmails) {
      await applyEmailChange(sql, user, email); // as a sign-up, which needs no confirmation either
    } else if (changesEmail) {
      await startEmailChange(service, sql, call, user, email, params);
    }
    if (phone) failPhoneChange(service);
    return await userView(sql, user);
  });
}

/** The error of a project without an SMS provider. If phone numbers need no code, the service would set the number. */
function failPhoneChange({ settings }: Service): never {
  if (!settings.confirmPhones) failMissing("phone numbers");
  return fail(500, "unexpected_failure", "Unable to get SMS provider");
}

const RECENT_SIGN_IN_MS = 24 * 60 * 60 * 1000;

async function hashNewPassword(service: Service, { user, session }: Caller, password: string, nonce: string) {
  const isRecent = session && session.created_at.getTime() + RECENT_SIGN_IN_MS >= Date.now();
  if (service.settings.securePasswordChange && !isRecent) {
    if (!nonce) fail(400, "reauthentication_needed", "Password update requires reauthentication");
    await consumeNonce(service, user, nonce);
  }
  if (await isPasswordOf(service, user, password)) {
    fail(422, "same_password", "New password should be different from the old password.");
  }
  return await hashPassword(service, password);
}
