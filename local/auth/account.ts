// GET and PUT /user: the caller's account.
import { startEmailChange } from "./email_change.ts";
import { fail, orUnexpectedFailure } from "./errors.ts";
import { authenticate, hashPassword, requireValidPassword, setPassword } from "./passwords.ts";
import { parseChallenge } from "./pkce.ts";
import { type Call, type Json, object, type Service, text } from "./service.ts";
import { requireCaller } from "./sessions.ts";
import { assertEmailIsFree, mergeMetadata, parseEmail, userView } from "./users.ts";

export async function getUser(service: Service, call: Call): Promise<Json> {
  return await userView(service.sql, (await requireCaller(service, call)).user);
}

export async function updateUser(service: Service, call: Call): Promise<Json> {
  const { body } = call;
  const { user, session } = await requireCaller(service, call);
  const email = text(body, "email") && parseEmail(text(body, "email"));
  const password = body.password == null ? undefined : requireValidPassword(service, text(body, "password"));
  const data = object(body, "data");
  parseChallenge(body);
  if (body.app_metadata) fail(403, "not_admin", "Updating app_metadata requires admin privileges");
  const changesEmail = email && email !== user.email;
  if (changesEmail) await assertEmailIsFree(service.sql, email);
  if (password && await authenticate(service, user.email!, password)) {
    fail(422, "same_password", "New password should be different from the old password.");
  }
  const hash = password && await hashPassword(service, password);
  return await service.sql.begin(async (sql) => {
    if (hash) await orUnexpectedFailure("Error during password storage", setPassword(sql, user, hash, session));
    if (data) await orUnexpectedFailure("Error updating user", mergeMetadata(sql, user, "raw_user_meta_data", data));
    if (changesEmail) await startEmailChange(service, sql, call, user, email);
    return await userView(sql, user);
  });
}
