// One-time codes: six digits in the mail, their hash in the link and in the user's row.
import { createHash, randomInt } from "node:crypto";
import { orFailure, refuse } from "./errors.ts";
import { sendCode } from "./mails.ts";
import { challenge, PREFIX } from "./pkce.ts";
import type { Call, Service, Sql } from "./service.ts";
import type { MailKind } from "./templates.ts";
import { isBanned, type User } from "./users.ts";

type Kind = Exclude<MailKind, "email_change">;

/** Where the hash and the time of the last mail are kept. A magic link is a recovery that asks for no password. */
const COLUMNS = {
  signup: { token: "confirmation_token", sentAt: "confirmation_sent_at" },
  invite: { token: "confirmation_token", sentAt: "confirmation_sent_at" },
  recovery: { token: "recovery_token", sentAt: "recovery_sent_at" },
  magiclink: { token: "recovery_token", sentAt: "recovery_sent_at" },
} as const;

export interface Code {
  code: string;
  hash: string;
}

/** A fresh code, hashed with the address it goes to. */
export function newCode({ settings }: Service, email: string, prefix = ""): Code {
  const code = String(randomInt(10 ** settings.codeLength)).padStart(settings.codeLength, "0");
  return { code, hash: prefix + hashOf(email, code) };
}

const hashOf = (email: string, code: string) => createHash("sha224").update(email + code).digest("hex");

/** The prefix that a request's codes carry. */
export const flowPrefix = (call: Call) => challenge(call.body) ? PREFIX : "";

/** Replaces the user's code of this kind. */
export async function storeCode(sql: Sql, user: User, kind: Kind, hash: string): Promise<void> {
  const { token, sentAt } = COLUMNS[kind];
  await orFailure(
    "Database error updating user",
    sql`update users set ${sql(token)} = ${hash}, ${sql(sentAt)} = now(), updated_at = now()
          ${kind === "invite" ? sql`, invited_at = now()` : sql``} where id = ${user.id}`,
  );
}

/** Stores a code and mails it, unless the last mail is too recent. */
export async function mailCode(service: Service, sql: Sql, call: Call, user: User, kind: Kind): Promise<void> {
  if (kind !== "invite") refuseTooSoon(service, user[COLUMNS[kind].sentAt]);
  const made = newCode(service, user.email!, flowPrefix(call));
  await storeCode(sql, user, kind, made.hash);
  await sendCode(service, call, user, { kind, to: user.email!, ...made });
}

export function refuseTooSoon({ settings }: Service, sentAt: Date | null): void {
  const left = sentAt ? sentAt.getTime() / 1000 + settings.maxFrequencySeconds - Date.now() / 1000 : 0;
  if (left <= 0) return;
  const message = `For security purposes, you can only request this after ${Math.floor(left)} seconds.`;
  refuse(429, "over_email_send_rate_limit", message);
}

/** What was handed in: the hash out of a link, or an address with the code that was typed. */
export type Proof = { tokenHash: string } | { email: string; code: string };

export const hashesOf = (proof: Proof): string[] =>
  "tokenHash" in proof
    ? [proof.tokenHash]
    : [hashOf(proof.email, proof.code), PREFIX + hashOf(proof.email, proof.code)];

/** The user whose code this is, locked; `email` stands for a sign-up's or a magic link's. */
export async function findByCode(
  service: Service,
  sql: Sql,
  type: Kind | "email",
  proof: Proof,
): Promise<{ user: User; kind: Kind }> {
  const kinds: Kind[] = type === "email" ? ["signup", "magiclink"] : [type];
  for (const kind of kinds) {
    const { token, sentAt } = COLUMNS[kind];
    const [user] = await sql<User[]>`select * from users where ${sql(token)} in ${sql(hashesOf(proof))} for update`;
    if (user) return { user: usable(service, user, user[sentAt], proof), kind };
  }
  return noSuchCode(proof);
}

/** The user, if the code is fresh and they are not banned. */
export function usable({ settings }: Service, user: User, sentAt: Date | null, proof: Proof): User {
  if (isBanned(user)) refuse(403, "user_banned", "User is banned");
  if (!sentAt || sentAt.getTime() + settings.codeExpirySeconds * 1000 < Date.now()) noSuchCode(proof);
  return user;
}

export function noSuchCode(proof: Proof): never {
  const typed = "code" in proof;
  refuse(403, "otp_expired", typed ? "Token has expired or is invalid" : "Email link is invalid or has expired");
}

/** A code works once. */
export async function useUp(sql: Sql, user: User, kind: Kind): Promise<void> {
  await sql`update users set ${sql(COLUMNS[kind].token)} = '', updated_at = now() where id = ${user.id}`;
}
