// One-time codes: six digits in the email, their hash in the link and in the user's row.
import { createHash, randomInt } from "node:crypto";
import { fail, orUnexpectedFailure } from "./errors.ts";
import { sendCode } from "./emails.ts";
import type { Challenge } from "./params.ts";
import { PREFIX } from "./pkce.ts";
import type { Call, Service, Sql } from "./service.ts";
import type { MailKind } from "./templates.ts";
import { isBanned, type User } from "./users.ts";

type Kind = Exclude<MailKind, "email_change" | "reauthentication">;

/** The columns of the hash and of the last email's time. A magic link uses those of a recovery. */
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

/** Creates a code and its hash, which includes the recipient's address. */
export function createCode({ settings }: Service, email: string, prefix = ""): Code {
  const code = String(randomInt(10 ** settings.codeLength)).padStart(settings.codeLength, "0");
  return { code, hash: prefix + hashCode(email, code) };
}

export const hashCode = (email: string, code: string) => createHash("sha224").update(email + code).digest("hex");

/** The prefix of the codes of a flow. */
export const codePrefix = (challenge?: Challenge) => challenge?.code_challenge ? PREFIX : "";

/** Replaces the user's code of this kind. */
export async function storeCode(sql: Sql, user: User, kind: Kind, hash: string): Promise<void> {
  const { token, sentAt } = COLUMNS[kind];
  await orUnexpectedFailure(
    "Database error updating user",
    sql`update users set ${sql(token)} = ${hash}, ${sql(sentAt)} = now(), updated_at = now()
          ${kind === "invite" ? sql`, invited_at = now()` : sql``} where id = ${user.id}`,
  );
}

/** Stores a code and emails it. Throws 429 if the last email is too recent. */
export async function emailCode(
  service: Service,
  sql: Sql,
  call: Call,
  user: User,
  kind: Kind,
  challenge?: Challenge,
): Promise<void> {
  if (kind !== "invite") assertEmailInterval(service, user[COLUMNS[kind].sentAt]);
  const created = createCode(service, user.email!, codePrefix(challenge));
  await storeCode(sql, user, kind, created.hash);
  await sendCode(service, call, user, { kind, to: user.email!, ...created });
}

export function assertEmailInterval({ settings }: Service, sentAt: Date | null): void {
  const left = sentAt ? sentAt.getTime() / 1000 + settings.maxFrequencySeconds - Date.now() / 1000 : 0;
  if (left <= 0) return;
  const message = `For security purposes, you can only request this after ${Math.floor(left)} seconds.`;
  fail(429, "over_email_send_rate_limit", message);
}

/** The hash of a link, or an address with its code. */
export type CodeProof = { tokenHash: string } | { email: string; code: string };

export const codeHashes = (proof: CodeProof): string[] =>
  "tokenHash" in proof
    ? [proof.tokenHash]
    : [hashCode(proof.email, proof.code), PREFIX + hashCode(proof.email, proof.code)];

/** Finds and locks the user of a code. The type `email` covers sign-ups and magic links. */
export async function findByCode(
  service: Service,
  sql: Sql,
  type: Kind | "email",
  proof: CodeProof,
): Promise<{ user: User; kind: Kind }> {
  const kinds: Kind[] = type === "email" ? ["signup", "magiclink"] : [type];
  const user = await findCandidate(sql, kinds, proof) ?? rejectCode(proof);
  if (isBanned(user)) fail(403, "user_banned", "User is banned");
  const hashes = codeHashes(proof);
  const kind = kinds.find((kind) =>
    hashes.includes(user[COLUMNS[kind].token]) && !isExpired(service, user[COLUMNS[kind].sentAt])
  );
  return { user, kind: kind ?? rejectCode(proof) };
}

/** The user of a link's hash, or of an address, whose ban the service reports before it compares codes. */
async function findCandidate(sql: Sql, kinds: Kind[], proof: CodeProof): Promise<User | undefined> {
  if ("code" in proof) {
    const [user] = await sql<User[]>`
      select * from users where lower(email) = ${proof.email} and not is_sso_user for update`;
    return user;
  }
  for (const kind of kinds) {
    const [user] = await sql<User[]>`
      select * from users where ${sql(COLUMNS[kind].token)} = ${proof.tokenHash} for update`;
    if (user) return user;
  }
}

/** Whether a code that was sent at this time no longer works. */
export function isExpired({ settings }: Service, sentAt: Date | null): boolean {
  return !sentAt || sentAt.getTime() + settings.codeExpirySeconds * 1000 < Date.now();
}

export function rejectCode(proof: CodeProof): never {
  const typed = "code" in proof;
  fail(403, "otp_expired", typed ? "Token has expired or is invalid" : "Email link is invalid or has expired");
}

/** Deletes a code, because each works once. */
export async function consumeCode(sql: Sql, user: User, kind: Kind): Promise<void> {
  await sql`update users set ${sql(COLUMNS[kind].token)} = '', updated_at = now() where id = ${user.id}`;
}
