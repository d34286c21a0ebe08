// /admin/users: for the secret key only.
import { createHash } from "node:crypto";
import { seconds } from "./durations.ts";
import { fail, orUnexpectedFailure } from "./errors.ts";
import { failMissing } from "./features.ts";
import { hashPassword, requireValidPassword, setPassword } from "./passwords.ts";
import { type Call, isUuid, type Json, object, type Route, type Service, type Sql, text } from "./service.ts";
import {
  assertEmailIsFree,
  confirmUser,
  createUser,
  findById,
  mergeMetadata,
  parseEmail,
  setIdentityEmail,
  type User,
  userFields,
  userView,
} from "./users.ts";

/** Reads the user of the path. Throws 404. */
async function requireUser({ sql }: Service, { path }: Call): Promise<User> {
  if (!isUuid(path.user)) fail(404, "validation_failed", "user_id must be an UUID");
  return await findById(sql, path.user) ?? fail(404, "user_not_found", "User not found");
}

/** Responds after the check that the user exists. */
export const withUser = (respond: (call: Call) => Response): Route => async (service, call) => {
  await requireUser(service, call);
  return respond(call);
};

export async function listUsers({ sql }: Service, { query }: Call): Promise<Response> {
  const page = positive(query.get("page"), 1), perPage = positive(query.get("per_page"), 50);
  const [{ total }] = await sql<{ total: number }[]>`select count(*)::int as total from users`;
  const users = await sql<User[]>`
    select * from users order by created_at desc, id limit ${perPage} offset ${(page - 1) * perPage}`;
  const last = Math.max(1, Math.ceil(total / perPage));
  // Clients read the first parameter of each link as the page
  const link = (page: number, rel: string) => `</admin/users?page=${page}&per_page=${perPage}>; rel="${rel}"`;
  return Response.json({ users: users.map(userFields), aud: "authenticated" }, {
    headers: {
      link: [...page < last ? [link(page + 1, "next")] : [], link(last, "last")].join(", "),
      "x-total-count": String(total),
    },
  });
}

function positive(value: string | null, defaultValue: number): number {
  if (!value) return defaultValue;
  if (/^\d+$/.test(value)) return Math.max(1, Number(value));
  return fail(400, "validation_failed", `Bad Pagination Parameters: "${value}" is not a number`);
}

export async function adminGetUser(service: Service, call: Call): Promise<Json> {
  return await userView(service.sql, await requireUser(service, call));
}

export async function adminCreateUser(service: Service, call: Call): Promise<Json> {
  const { body } = call;
  if (text(body, "phone")) failMissing("phone numbers");
  if (!text(body, "email")) {
    fail(400, "validation_failed", "Cannot create a user without either an email or phone");
  }
  const email = parseEmail(text(body, "email")), password = text(body, "password");
  await assertEmailIsFree(service.sql, email);
  const banned = parseBanDuration(body);
  const passwordHash = password ? await hashPassword(service, requireValidPassword(service, password)) : undefined;
  const created = service.sql.begin(async (sql) => {
    const user = await createUser(sql, {
      email,
      passwordHash,
      metadata: object(body, "user_metadata"),
      id: text(body, "id") || undefined,
      role: text(body, "role") || undefined,
    });
    const app = object(body, "app_metadata");
    if (app) await mergeMetadata(sql, user, "raw_app_meta_data", app);
    if (body.email_confirm) await confirmUser(sql, user);
    if (banned !== undefined) await ban(sql, user, banned);
    return await userView(sql, user);
  });
  return await orUnexpectedFailure("Database error creating new user", created);
}

export async function adminUpdateUser(service: Service, call: Call): Promise<Json> {
  const { body } = call;
  const user = await requireUser(service, call);
  if (text(body, "phone")) failMissing("phone numbers");
  const email = text(body, "email") && parseEmail(text(body, "email"));
  const password = body.password == null ? undefined : requireValidPassword(service, text(body, "password"));
  const hash = password && await hashPassword(service, password);
  const banned = parseBanDuration(body);
  const app = object(body, "app_metadata"), data = object(body, "user_metadata"), role = text(body, "role");
  const updated = service.sql.begin(async (sql) => {
    if (role) await sql`update users set role = ${role}, updated_at = now() where id = ${user.id}`;
    if (body.email_confirm) await confirmUser(sql, user);
    if (hash) await setPassword(sql, user, hash, null);
    if (email) {
      await setIdentityEmail(sql, user, email, Boolean(body.email_confirm));
      await sql`update users set email = ${email}, updated_at = now() where id = ${user.id}`;
    }
    if (app) await mergeMetadata(sql, user, "raw_app_meta_data", app);
    if (data) await mergeMetadata(sql, user, "raw_user_meta_data", data);
    if (banned !== undefined) await ban(sql, user, banned);
    return await userView(sql, user);
  });
  return await orUnexpectedFailure("Error updating user", updated);
}

/** Parses the duration in seconds; null lifts the ban, undefined keeps it. */
function parseBanDuration(body: Json): number | null | undefined {
  const duration = text(body, "ban_duration");
  if (!duration) return undefined;
  if (duration === "none") return null;
  return seconds(duration) ??
    fail(400, "validation_failed", `invalid format for ban duration: time: invalid duration "${duration}"`);
}

async function ban(sql: Sql, user: User, seconds: number | null): Promise<void> {
  await sql`update users set banned_until = now() + make_interval(secs => ${seconds}), updated_at = now()
            where id = ${user.id}`;
}

export async function adminDeleteUser(service: Service, call: Call): Promise<Json> {
  const user = await requireUser(service, call);
  if (!call.body.should_soft_delete) {
    await orUnexpectedFailure("Database error deleting user", service.sql`delete from users where id = ${user.id}`);
  } else if (!user.deleted_at) {
    await orUnexpectedFailure("Error soft deleting user", service.sql.begin((sql) => softDelete(sql, user)));
  }
  return {};
}

/** Keeps the row for references, hashes what identifies the user, and frees the email address. */
async function softDelete(sql: Sql, user: User): Promise<void> {
  const obscured = (value: string) => createHash("sha256").update(user.id + value).digest("base64url");
  await sql`update users set email = ${obscured(user.email ?? "")}, email_change = '', encrypted_password = null,
      confirmation_token = '', recovery_token = '', email_change_token_current = '', email_change_token_new = '',
      raw_user_meta_data = '{}', raw_app_meta_data = '{}', deleted_at = now(), updated_at = now() where id = ${user.id}`;
  await sql`update identities set identity_data = '{}', provider_id = ${obscured(`email:${user.id}`)},
      updated_at = now() where user_id = ${user.id}`;
  await sql`delete from sessions where user_id = ${user.id}`;
}
