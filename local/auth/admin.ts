// /admin/users: for the secret key only.
import { createHash } from "node:crypto";
import { seconds } from "./durations.ts";
import { fail, orUnexpectedFailure } from "./errors.ts";
import { failMissing } from "./features.ts";
import { ADMIN_DELETE, ADMIN_USER, type ParamsOf, parseParams } from "./params.ts";
import { parsePhone } from "./phones.ts";
import { hashPassword, isBcryptHash, randomPassword, requireValidPassword, setPassword } from "./passwords.ts";
import { type Call, isUuid, type Json, type Service, type Sql } from "./service.ts";
import {
  assertEmailIsFree,
  confirmUser,
  createEmailIdentity,
  findById,
  identitiesOf,
  insertUser,
  mergeMetadata,
  parseEmail,
  setIdentityEmail,
  setRole,
  type User,
  userView,
} from "./users.ts";

/** Reads the user of the path. Throws 404. */
export async function requireUser({ sql }: Service, { path }: Call): Promise<User> {
  if (!isUuid(path.user)) fail(404, "validation_failed", "user_id must be an UUID");
  return await findById(sql, path.user) ?? fail(404, "user_not_found", "User not found");
}

export async function adminGetUser(service: Service, call: Call): Promise<Json> {
  return await userView(service.sql, await requireUser(service, call));
}

export async function adminCreateUser(service: Service, call: Call): Promise<Json> {
  const params = parseParams(ADMIN_USER, call.body);
  if (!params.email && !params.phone) {
    fail(400, "validation_failed", "Cannot create a user without either an email or phone");
  }
  if (params.phone && parsePhone(params.phone)) failMissing("phone numbers");
  const email = parseEmail(params.email);
  await assertEmailIsFree(service.sql, email);
  const passwordHash = await hashOfNewUser(service, params);
  const id = parseId(params.id), banned = parseBanDuration(params.ban_duration);
  const created = service.sql.begin(async (sql) => {
    const user = await insertUser(sql, { id, email, passwordHash, metadata: params.user_metadata });
    await createEmailIdentity(sql, user, email);
    await setRole(sql, user, params.role || "authenticated");
    if (params.app_metadata) await mergeMetadata(sql, user, "raw_app_meta_data", params.app_metadata);
    if (params.email_confirm) await confirmUser(sql, user);
    if (banned !== undefined) await ban(sql, user, banned);
    return { ...await userView(sql, user), confirmed_at: undefined }; // a generated column, which is not read again
  });
  return await orUnexpectedFailure("Database error creating new user", created);
}

/** The hash of a new user, whose password may be weak. Without one, it is that of a password that no one knows. */
async function hashOfNewUser(service: Service, params: ParamsOf<typeof ADMIN_USER>): Promise<string> {
  const { password, password_hash: hash } = params;
  if (password !== undefined && hash) {
    fail(400, "validation_failed", "Only a password or a password hash should be provided");
  }
  if (hash) {
    if (/^\$(argon2|fbscrypt)/.test(hash)) failMissing("password hashes other than those of bcrypt");
    if (!isBcryptHash(hash)) fail(500, "unexpected_failure", "Error creating user");
    return hash;
  }
  if (new TextEncoder().encode(password).length > 72) {
    fail(500, "unexpected_failure", "Internal Server Error"); // bcrypt's limit, which the service does not expect
  }
  return await hashPassword(service, password || randomPassword());
}

function parseId(id: string): string | undefined {
  if (!id) return undefined;
  if (!isUuid(id)) fail(400, "validation_failed", "ID must conform to the uuid v4 format");
  if (/^[0-]+$/.test(id)) fail(400, "validation_failed", "ID cannot be a nil uuid");
  return id;
}

export async function adminUpdateUser(service: Service, call: Call): Promise<Json> {
  const user = await requireUser(service, call), params = parseParams(ADMIN_USER, call.body);
  const email = params.email && parseEmail(params.email);
  if (params.phone && parsePhone(params.phone)) failMissing("phone numbers");
  const banned = parseBanDuration(params.ban_duration);
  const hash = params.password === undefined
    ? undefined
    : await hashPassword(service, requireValidPassword(service, params.password));
  const { role, app_metadata: app, user_metadata: data } = params, identities = await identitiesOf(service.sql, user);
  const updated = service.sql.begin(async (sql) => {
    if (role) await setRole(sql, user, role);
    if (params.email_confirm) await confirmUser(sql, user);
    if (hash) await setPassword(sql, user, hash, null);
    if (email) {
      await setIdentityEmail(sql, user, email, params.email_confirm);
      await sql`update users set email = ${email}, updated_at = now() where id = ${user.id}`;
    }
    if (app) await mergeMetadata(sql, user, "raw_app_meta_data", app);
    if (data) await mergeMetadata(sql, user, "raw_user_meta_data", data);
    if (banned !== undefined) await ban(sql, user, banned);
    return { ...await userView(sql, user), identities: await withoutChanges(sql, user, identities) };
  });
  return await orUnexpectedFailure("Error updating user", updated);
}

/** The user's identities with the data they had before, as in the response of the service. */
async function withoutChanges(sql: Sql, user: User, before: Json[]): Promise<Json[]> {
  const isNew = ({ identity_id }: Json) => before.every((known) => known.identity_id !== identity_id);
  return [...before, ...(await identitiesOf(sql, user)).filter(isNew)];
}

/** Parses the duration in seconds; null lifts the ban, undefined keeps it. */
function parseBanDuration(duration: string): number | null | undefined {
  if (!duration) return undefined;
  if (duration === "none") return null;
  try {
    return seconds(duration) || null;
  } catch (error) {
    return fail(400, "validation_failed", `invalid format for ban duration: ${(error as Error).message}`);
  }
}

async function ban(sql: Sql, user: User, seconds: number | null): Promise<void> {
  await sql`update users set banned_until = now() + make_interval(secs => ${seconds}), updated_at = now()
            where id = ${user.id}`;
}

export async function adminDeleteUser(service: Service, call: Call): Promise<Json> {
  const user = await requireUser(service, call);
  const { should_soft_delete: keepsRow } = call.body ? parseParams(ADMIN_DELETE, call.body) : {};
  if (!keepsRow) {
    await orUnexpectedFailure("Database error deleting user", service.sql`delete from users where id = ${user.id}`);
  } else if (!user.deleted_at) {
    await orUnexpectedFailure("Error soft deleting user", service.sql.begin((sql) => softDelete(sql, user)));
  }
  return {};
}

/** Keeps the row for references, hashes what identifies the user, and frees the email address. */
async function softDelete(sql: Sql, user: User): Promise<void> {
  const obscured = (value: string | null) => createHash("sha256").update(user.id + (value ?? "")).digest("base64url");
  await sql`update users set email = ${obscured(user.email)}, phone = ${obscured(user.phone).slice(0, 15)},
      encrypted_password = null, email_change = ${obscured(user.email_change)},
      phone_change = ${obscured(user.phone_change).slice(0, 15)}, confirmation_token = '', recovery_token = '',
      email_change_token_current = '', email_change_token_new = '', phone_change_token = '', deleted_at = now(),
      updated_at = now() where id = ${user.id}`;
  await sql`update users set raw_user_meta_data = '{}', updated_at = now() where id = ${user.id}`;
  await sql`update users set raw_app_meta_data = '{}', updated_at = now() where id = ${user.id}`;
  await sql`update identities set identity_data = '{}' where user_id = ${user.id}`;
  await sql`update identities set provider_id = ${obscured(`email:${user.id}`)} where user_id = ${user.id}`;
  await sql`delete from sessions where user_id = ${user.id}`;
}
