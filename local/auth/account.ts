// GET and PUT /user: the caller's own account.
import { startEmailChange } from "./email_change.ts";
import { orFailure, refuse } from "./errors.ts";
import { authenticate, hashPassword, setPassword, strongPassword } from "./passwords.ts";
import { challenge } from "./pkce.ts";
import { type Call, type Json, object, type Service, text } from "./service.ts";
import { caller } from "./sessions.ts";
import { mergeMetadata, refuseTakenEmail, userView, validEmail } from "./users.ts";

export async function getUser(service: Service, call: Call): Promise<Json> {
  return await userView(service.sql, (await caller(service, call)).user);
}

export async function updateUser(service: Service, call: Call): Promise<Json> {
  const { body } = call;
  const { user, session } = await caller(service, call);
  const email = text(body, "email") && validEmail(text(body, "email"));
  const password = body.password == null ? undefined : strongPassword(service, text(body, "password"));
  const data = object(body, "data");
  challenge(body);
  if (body.app_metadata) refuse(403, "not_admin", "Updating app_metadata requires admin privileges");
  const changesEmail = email && email !== user.email;
  if (changesEmail) await refuseTakenEmail(service.sql, email);
  if (password && await authenticate(service, user.email!, password)) {
    refuse(422, "same_password", "New password should be different from the old password.");
  }
  const hash = password && await hashPassword(service, password);
  return await service.sql.begin(async (sql) => {
    if (hash) await orFailure("Error during password storage", setPassword(sql, user, hash, session));
    if (data) await orFailure("Error updating user", mergeMetadata(sql, user, "raw_user_meta_data", data));
    if (changesEmail) await startEmailChange(service, sql, call, user, email);
    return await userView(sql, user);
  });
}
