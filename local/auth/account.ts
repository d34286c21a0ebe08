// GET and PUT /user: the caller's account.
import { applyEmailChange, startEmailChange } from "./email_change.ts";
import { fail, orUnexpectedFailure } from "./errors.ts";
import { failMissing } from "./features.ts";
import { hashPassword, isPasswordOf, requireValidPassword, setPassword } from "./passwords.ts";
import { parsePhone } from "./phones.ts";
import { parseChallenge } from "./pkce.ts";
import { consumeNonce } from "./reauthenticate.ts";
import { type Call, type Json, object, type Service, text } from "./service.ts";
import { type Caller, requireCaller } from "./sessions.ts";
import { assertEmailIsFree, mergeMetadata, parseEmail, userView } from "./users.ts";

export async function getUser(service: Service, call: Call): Promise<Json> {
  return await userView(service.sql, (await requireCaller(service, call)).user);
}

export async function updateUser(service: Service, call: Call): Promise<Json> {
  const { body } = call;
  const caller = await requireCaller(service, call), { user, session } = caller;
  const email = text(body, "email") && parseEmail(text(body, "email"));
  const phone = text(body, "phone") && parsePhone(text(body, "phone"));
  const password = body.password == null ? undefined : requireValidPassword(service, text(body, "password"));
  const data = object(body, "data");
  parseChallenge(body);
  if (body.app_metadata) fail(403, "not_admin", "Updating app_metadata requires admin privileges");
  if (user.is_anonymous && password && !email && !phone) {
    const what = "Updating password of an anonymous user without an email or phone is not allowed";
    fail(422, "validation_failed", what);
  }
  if (phone) failMissing("phone numbers");
  const changesEmail = email && email !== user.email;
  if (changesEmail) await assertEmailIsFree(service.sql, email);
  const hash = password && await hashNewPassword(service, caller, password, text(body, "nonce"));
  return await service.sql.begin(async (sql) => {
    if (hash) {
      await orUnexpectedFailure("Error during password storage", setPassword(sql, user, hash, session?.id ?? null));
    }
    if (data) await orUnexpectedFailure("Error updating user", mergeMetadata(sql, user, "raw_user_meta_data", data));
    if (changesEmail && user.is_anonymous && !service.settings.confirmEmails) {
      await applyEmailChange(sql, user, email); // as a sign-up, which needs no confirmation either
    } else if (changesEmail) {
      await startEmailChange(service, sql, call, user, email);
    }
    return await userView(sql, user);
  });
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
