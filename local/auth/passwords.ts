// Passwords: bcrypt by pgcrypto, the same hashes as the service's.
import { randomBytes } from "node:crypto";
import { fail } from "./errors.ts";
import type { Service, Sql } from "./service.ts";
import { isBanned, type User } from "./users.ts";

export function requireValidPassword({ settings }: Service, password: string): string {
  const bytes = new TextEncoder().encode(password).length;
  if (bytes > 72) fail(400, "validation_failed", "Password cannot be longer than 72 characters"); // the limit of bcrypt
  const { minPasswordLength, requiredCharacters } = settings;
  const weaknesses = [
    ...bytes < minPasswordLength
      ? [{ reason: "length", message: `Password should be at least ${minPasswordLength} characters.` }]
      : [],
    ...requiredCharacters.every((set) => [...set].some((character) => password.includes(character))) ? [] : [{
      reason: "characters",
      message: `Password should contain at least one character of each: ${requiredCharacters.join(", ")}.`,
    }],
  ];
  if (weaknesses.length) {
    fail(422, "weak_password", weaknesses.map(({ message }) => message).join(" "), {
      weak_password: { reasons: weaknesses.map(({ reason }) => reason) },
    });
  }
  return password;
}

/** A password that no one knows. */
export const randomPassword = () => randomBytes(48).toString("base64url");

export async function hashPassword({ sql, settings }: Service, password: string): Promise<string> {
  const [{ hash }] = await sql`
    select extensions.crypt(${password}, extensions.gen_salt('bf', ${settings.passwordCost})) as hash`;
  return hash;
}

/** Finds the user of an address and a password. Throws for a banned one, regardless of the password. An unknown address takes as long as a wrong password. */
export async function authenticate(service: Service, email: string, password: string): Promise<User | undefined> {
  const [user] = await service.sql<(User & { matches: boolean })[]>`
    with known as (select *, ${pgcryptoHash(service.sql)} as hash from users
                   where lower(email) = ${email.toLowerCase()} and not is_sso_user)
    select known.*, extensions.crypt(${password}, coalesce(hash,
        extensions.gen_salt('bf', ${service.settings.passwordCost}))) = hash as matches
    from (values (1)) one left join known on true`;
  if (user.encrypted_password && isBanned(user)) fail(400, "user_banned", "User is banned");
  return user.matches ? user : undefined;
}

/** A user's hash in the form of pgcrypto, which knows one of the names of bcrypt. */
const pgcryptoHash = (sql: Sql) => sql`overlay(nullif(encrypted_password, '') placing '2a' from 2 for 2)`;

/** Whether this is a hash of bcrypt. */
export const isBcryptHash = (hash: string) => /^\$2[abxy]\$(0[4-9]|[12]\d|3[01])\$[./\w]{53}$/.test(hash);

/** Whether this is the user's password; false if they have none. */
export async function isPasswordOf({ sql }: Service, user: User, password: string): Promise<boolean> {
  if (!user.encrypted_password) return false;
  const [{ matches }] = await sql<{ matches: boolean }[]>`
    select extensions.crypt(${password}, hash) = hash as matches
    from (select ${pgcryptoHash(sql)} as hash from users where id = ${user.id}) own`;
  return matches;
}

/** Sets a password, revokes all codes, and ends all sessions except this one. */
export async function setPassword(sql: Sql, user: User, hash: string, session: string | null): Promise<void> {
  await sql`update users set encrypted_password = ${hash}, confirmation_token = '', confirmation_sent_at = null,
      recovery_token = '', recovery_sent_at = null, email_change_token_current = '', email_change_token_new = '',
      email_change_sent_at = null, reauthentication_token = '', reauthentication_sent_at = null, updated_at = now()
    where id = ${user.id}`;
  await sql`delete from sessions where user_id = ${user.id} and id is distinct from ${session}`;
}
