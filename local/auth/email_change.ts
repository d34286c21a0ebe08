// Email changes: the new address confirms; with double_confirm_changes the old one confirms as well.
import {
  assertEmailInterval,
  type Code,
  codeHashes,
  codePrefix,
  type CodeProof,
  createCode,
  isExpired,
  rejectCode,
} from "./codes.ts";
import { fail, orUnexpectedFailure } from "./errors.ts";
import { sendCode } from "./emails.ts";
import type { Challenge } from "./params.ts";
import { startFlow } from "./pkce.ts";
import type { Call, Service, Sql } from "./service.ts";
import { confirmUser, isBanned, reload, setIdentityEmail, type User } from "./users.ts";

/** Emails a code to both addresses, or to the new one only. */
export async function startEmailChange(
  service: Service,
  sql: Sql,
  call: Call,
  user: User,
  to: string,
  challenge: Challenge,
): Promise<void> {
  await startFlow(sql, user, "email_change", challenge);
  assertEmailInterval(service, user.email_change_sent_at);
  const next = createCode(service, to, codePrefix(challenge));
  const current = service.settings.doubleConfirmChanges && user.email
    ? createCode(service, user.email, codePrefix(challenge))
    : undefined;
  await storeChange(sql, user, to, { next, current });
  const changing = { ...user, email_change: to };
  await sendCode(service, call, changing, { kind: "email_change", to, ...next });
  if (current) await sendCode(service, call, changing, { kind: "email_change", to: user.email!, ...current });
}

/** Stores the codes; an absent code keeps the stored one. */
export async function storeChange(
  sql: Sql,
  user: User,
  to: string,
  { next, current }: { next?: Code; current?: Code },
): Promise<void> {
  await orUnexpectedFailure(
    "Database error updating user",
    sql`update users set email_change = ${to}, email_change_sent_at = now(), email_change_confirm_status = 0,
          email_change_token_new = ${next?.hash ?? user.email_change_token_new},
          email_change_token_current = ${current?.hash ?? user.email_change_token_current},
          updated_at = now() where id = ${user.id}`,
  );
}

/** Confirms one address. Returns null if the other one must also confirm. */
export async function confirmEmailChange(service: Service, sql: Sql, proof: CodeProof): Promise<User | null> {
  const hashes = sql(codeHashes(proof));
  const [user] = await sql<User[]>`
    select * from users where email_change_token_new in ${hashes}
      or ${service.settings.doubleConfirmChanges} and email_change_token_current in ${hashes} for update`;
  if (!user) return rejectCode(proof);
  if (isBanned(user)) fail(403, "user_banned", "User is banned");
  if (isExpired(service, user.email_change_sent_at)) rejectCode(proof);
  const { doubleConfirmChanges, confirmEmails } = service.settings;
  if (doubleConfirmChanges && confirmEmails && user.email && user.email_change_confirm_status === 0) {
    const used = codeHashes(proof).includes(user.email_change_token_current)
      ? "email_change_token_current"
      : "email_change_token_new";
    await sql`update users set ${
      sql(used)
    } = '', email_change_confirm_status = 1, updated_at = now() where id = ${user.id}`;
    return null;
  }
  await applyEmailChange(sql, user, user.email_change);
  return await reload(sql, user);
}

/** Sets the confirmed address, which also makes an anonymous user permanent. */
export async function applyEmailChange(sql: Sql, user: User, email: string): Promise<void> {
  await setIdentityEmail(sql, user, email, true);
  await orUnexpectedFailure(
    "Error confirm email",
    sql`update users set email = ${email}, email_change = '', email_change_token_new = '',
          email_change_token_current = '', email_change_confirm_status = 0, updated_at = now() where id = ${user.id}`,
  );
  if (!user.email_confirmed_at) await orUnexpectedFailure("Error confirm email", confirmUser(sql, user));
}
