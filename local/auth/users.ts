// Rows of auth.users.
import type postgres from "../postgres/client.ts";
import { fail, orUnexpectedFailure } from "./errors.ts";
import type { Json, Sql } from "./service.ts";

export interface User {
  id: string;
  aud: string;
  role: string;
  email: string | null;
  phone: string | null;
  encrypted_password: string | null;
  email_confirmed_at: Date | null;
  confirmed_at: Date | null;
  invited_at: Date | null;
  confirmation_token: string;
  confirmation_sent_at: Date | null;
  recovery_token: string;
  recovery_sent_at: Date | null;
  email_change: string;
  phone_change: string | null;
  email_change_token_current: string;
  email_change_token_new: string;
  email_change_sent_at: Date | null;
  email_change_confirm_status: number;
  reauthentication_token: string;
  reauthentication_sent_at: Date | null;
  last_sign_in_at: Date | null;
  raw_app_meta_data: Json | null;
  raw_user_meta_data: Json | null;
  banned_until: Date | null;
  deleted_at: Date | null;
  created_at: Date;
  updated_at: Date;
  is_anonymous: boolean;
}

const NO_INSTANCE = "00000000-0000-0000-0000-000000000000";

const json = (sql: Sql, value: unknown) => sql.json(value as postgres.JSONValue);

export async function findByEmail(sql: Sql, email: string): Promise<User | undefined> {
  const [user] = await sql<User[]>`select * from users where lower(email) = ${email.toLowerCase()} and not is_sso_user`;
  return user;
}

export async function findById(sql: Sql, id: string): Promise<User | undefined> {
  const [user] = await sql<User[]>`select * from users where id = ${id}`;
  return user;
}

/** Reads the row again, after updates and their triggers. */
export async function reload(sql: Sql, user: User): Promise<User> {
  return await findById(sql, user.id) ?? fail(404, "user_not_found", "User not found");
}

export function parseEmail(email: string): string {
  if (!email) fail(400, "validation_failed", "An email address is required");
  if (email.length > 255) fail(400, "validation_failed", "An email address is too long");
  if (!/^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(email)) {
    fail(400, "validation_failed", "Unable to validate email address: invalid format");
  }
  return email.toLowerCase();
}

export async function assertEmailIsFree(sql: Sql, email: string): Promise<void> {
  if (!await findByEmail(sql, email)) return;
  fail(422, "email_exists", "A user with this email address has already been registered");
}

interface NewUser {
  /** Null creates an anonymous user, who has no identity. */
  email: string | null;
  passwordHash?: string;
  metadata?: Json;
  id?: string;
}

/** Inserts an unconfirmed user. As in the service, all that follows are updates in its transaction. */
export async function insertUser(sql: Sql, created: NewUser): Promise<User> {
  const { email, passwordHash = "", metadata = {}, id = crypto.randomUUID() } = created;
  const app = email ? { provider: "email", providers: ["email"] } : {};
  await sql`insert into users (instance_id, id, aud, role, email, encrypted_password, raw_app_meta_data,
          raw_user_meta_data, is_anonymous, confirmation_token, recovery_token, email_change, email_change_token_new,
          created_at, updated_at)
        values (${NO_INSTANCE}, ${id}, 'authenticated', '', ${email}, ${passwordHash}, ${json(sql, app)},
          ${json(sql, metadata)}, ${!email}, '', '', '', '', now(), now())`;
  return (await findById(sql, id))!;
}

export async function setRole(sql: Sql, user: User, role: string): Promise<void> {
  await sql`update users set role = ${role.trim()}, updated_at = now() where id = ${user.id}`;
}

/** Creates the user of a sign-up, an invitation or an anonymous sign-in. */
export async function createUser(sql: Sql, created: NewUser): Promise<User> {
  const user = await orUnexpectedFailure("Database error saving new user", insertUser(sql, created));
  await orUnexpectedFailure("Database error updating user", setRole(sql, user, "authenticated"));
  return await reload(sql, user);
}

/** Creates a user whom the back end invites. */
export async function createInvitedUser(sql: Sql, created: NewUser & { email: string }): Promise<User> {
  const user = await createUser(sql, created);
  await createEmailIdentity(sql, user, created.email);
  return user;
}

interface EmailIdentity {
  isVerified?: boolean;
  metadata?: Json;
}

/** Creates the email identity. Returns its data, of which sign-up metadata can replace nothing. */
export async function createEmailIdentity(
  sql: Sql,
  { id }: User,
  email: string,
  { isVerified = false, metadata }: EmailIdentity = {},
): Promise<Json> {
  const data = { ...metadata, sub: id, email, email_verified: isVerified, phone_verified: false };
  const inserted = sql`
    insert into identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
    values (${id}, ${id}, ${json(sql, data)}, 'email', now(), now(), now())`;
  await orUnexpectedFailure("Error creating identity", inserted);
  return data;
}

/** Sets the address of the email identity; a verified one makes an anonymous user permanent. */
export async function setIdentityEmail(sql: Sql, user: User, email: string, isVerified: boolean): Promise<void> {
  const data = { email, email_verified: isVerified };
  const { count } = await sql`update identities set identity_data = identity_data || ${json(sql, data)},
            updated_at = now() where user_id = ${user.id} and provider = 'email'`;
  if (count === 0) await createEmailIdentity(sql, user, email, { isVerified });
  if (isVerified && user.is_anonymous) await sql`update users set is_anonymous = false where id = ${user.id}`;
}

/** Creates the identity of a sign-up. Its data replaces user_metadata, because no one has confirmed the address. */
export async function ensureSignUpIdentity(sql: Sql, user: User, email: string, metadata: Json): Promise<void> {
  const known = await sql`select 1 from identities where provider_id = ${user.id} and provider = 'email'`;
  if (known.length) return;
  const data = Object.entries(await createEmailIdentity(sql, user, email, { metadata }));
  await sql`update users set raw_user_meta_data = ${
    json(sql, Object.fromEntries(data.filter(([, value]) => value !== null)))
  }, updated_at = now() where id = ${user.id}`;
  await updateProviders(sql, user);
}

/** Marks the identities with the user's address as verified. */
export async function verifyIdentities(sql: Sql, user: User): Promise<void> {
  await sql`update identities set identity_data = identity_data || '{"email_verified": true}', updated_at = now()
            where user_id = ${user.id} and email = ${user.email}`;
}

/** Derives the providers of app_metadata from the identities. */
export async function updateProviders(sql: Sql, user: User): Promise<void> {
  const providers = (await sql<{ provider: string }[]>`
    select provider from identities where user_id = ${user.id} group by provider order by min(created_at)`)
    .map((identity) => identity.provider);
  const provider = providers.length ? { provider: providers[0] } : {};
  await mergeMetadata(sql, user, "raw_app_meta_data", { ...provider, providers });
}

/** Confirms the email address and consumes its code, which lets triggers provision the account. */
export async function confirmUser(sql: Sql, user: User): Promise<void> {
  await sql`update users set confirmation_token = '', email_confirmed_at = now(), updated_at = now()
            where id = ${user.id}`;
  await mergeMetadata(sql, user, "raw_user_meta_data", { email_verified: true });
}

/** Merges members; null removes one. */
export async function mergeMetadata(
  sql: Sql,
  user: User,
  column: "raw_user_meta_data" | "raw_app_meta_data",
  changes: Json,
): Promise<void> {
  const removed = Object.keys(changes).filter((key) => changes[key] === null);
  await sql`update users set ${sql(column)} = (coalesce(${sql(column)}, '{}') || ${
    json(sql, changes)
  }) - ${removed}::text[],
              updated_at = now() where id = ${user.id}`;
}

export function isBanned(user: User): boolean {
  return user.banned_until !== null && user.banned_until > new Date();
}

interface Identity {
  id: string;
  provider_id: string;
  user_id: string;
  identity_data: Json;
  provider: string;
  last_sign_in_at: Date;
  created_at: Date;
  updated_at: Date;
  email: string;
}

/** The user in responses, with identities. */
export async function userView(sql: Sql, user: Pick<User, "id">): Promise<Json> {
  return { ...userFields((await findById(sql, user.id))!), identities: await identitiesOf(sql, user) };
}

export async function identitiesOf(sql: Sql, user: Pick<User, "id">): Promise<Json[]> {
  const identities = await sql<Identity[]>`select * from identities where user_id = ${user.id} order by created_at`;
  return identities.map(({ id, provider_id, email, identity_data, ...identity }) => ({
    identity_id: id,
    id: provider_id,
    ...identity,
    identity_data: Object.keys(identity_data).length ? identity_data : undefined,
    email: email ?? undefined,
  }));
}

/** The user without identities, as in the list of users. Null columns are absent, as in the service. */
export function userFields(user: User): Json {
  return {
    id: user.id,
    aud: user.aud,
    role: user.role,
    email: user.email ?? "",
    phone: user.phone ?? "",
    email_confirmed_at: user.email_confirmed_at ?? undefined,
    confirmed_at: user.confirmed_at ?? undefined,
    invited_at: user.invited_at ?? undefined,
    confirmation_sent_at: user.confirmation_sent_at ?? undefined,
    recovery_sent_at: user.recovery_sent_at ?? undefined,
    new_email: user.email_change || undefined,
    new_phone: user.phone_change || undefined,
    email_change_sent_at: user.email_change_sent_at ?? undefined,
    reauthentication_sent_at: user.reauthentication_sent_at ?? undefined,
    last_sign_in_at: user.last_sign_in_at ?? undefined,
    app_metadata: user.raw_app_meta_data ?? {},
    user_metadata: user.raw_user_meta_data ?? {},
    identities: null,
    created_at: user.created_at,
    updated_at: user.updated_at,
    banned_until: user.banned_until ?? undefined,
    deleted_at: user.deleted_at ?? undefined,
    is_anonymous: user.is_anonymous,
  };
}
