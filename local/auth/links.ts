// Links for the back end: POST /invite emails one, POST /admin/generate_link returns one.
import { createCode, emailCode, hashCode, storeCode } from "./codes.ts";
import { storeChange } from "./email_change.ts";
import { fail } from "./errors.ts";
import { verificationLink } from "./emails.ts";
import { GENERATE_LINK, INVITE, type ParamsOf, parseParams } from "./params.ts";
import { hashPassword, randomPassword, requireValidPassword } from "./passwords.ts";
import { allowedRedirect } from "./redirects.ts";
import type { Call, Json, Service, Sql } from "./service.ts";
import type { MailKind } from "./templates.ts";
import {
  assertEmailIsFree,
  createInvitedUser,
  findByEmail,
  mergeMetadata,
  parseEmail,
  reload,
  type User,
  userView,
} from "./users.ts";

export async function invite(service: Service, call: Call): Promise<Json> {
  const params = parseParams(INVITE, call.body), email = parseEmail(params.email);
  return await service.sql.begin(async (sql) => {
    const user = await unconfirmed(sql, email) ?? await createInvitedUser(sql, { email, metadata: params.data });
    await emailCode(service, sql, call, user, "invite");
    return await userView(sql, await reload(sql, user));
  });
}

/** Finds the unconfirmed user of an address. Throws if the address is confirmed. */
async function unconfirmed(sql: Sql, email: string): Promise<User | undefined> {
  const user = await findByEmail(sql, email);
  if (user?.email_confirmed_at) await assertEmailIsFree(sql, email);
  return user;
}

export async function generateLink(service: Service, call: Call): Promise<Json> {
  const params = parseParams(GENERATE_LINK, call.body), email = parseEmail(params.email);
  const redirectTo = allowedRedirect(service.settings, params.redirect_to, call.redirectTo);
  const known = await findByEmail(service.sql, email);
  // A magic link for a new user is that of a sign-up with a random password
  const isNewUser = !known && params.type === "magiclink";
  const type = isNewUser ? "signup" : params.type;
  const prepare = LINKS.get(type) ??
    fail(400, "validation_failed", `Invalid email action link type requested: ${type}`);
  const password = isNewUser ? randomPassword() : params.password;
  return await service.sql.begin(async (sql) => {
    const { kind, user, code, hash } = await prepare(service, sql, { ...params, email, known, password });
    return {
      ...await userView(sql, user),
      action_link: verificationLink(service, kind, hash, redirectTo),
      email_otp: code,
      hashed_token: hashCode(email, code), // of the current address, also for the link of a new one
      redirect_to: redirectTo,
      verification_type: type,
    };
  });
}

interface LinkRequest extends ParamsOf<typeof GENERATE_LINK> {
  known: User | undefined;
}
interface Prepared {
  kind: MailKind;
  user: User;
  code: string;
  hash: string;
}
type Prepare = (service: Service, sql: Sql, wanted: LinkRequest) => Promise<Prepared>;

async function withCode(
  service: Service,
  sql: Sql,
  user: User,
  kind: Exclude<MailKind, "email_change" | "reauthentication">,
) {
  const created = createCode(service, user.email!);
  await storeCode(sql, user, kind, created.hash);
  return { kind, user, ...created };
}

const forExistingUser = (kind: "magiclink" | "recovery"): Prepare => (service, sql, { known }) =>
  withCode(service, sql, known ?? fail(404, "user_not_found", "User with this email not found"), kind);

const forChange = (mailbox: "current" | "next"): Prepare => async (service, sql, { new_email, known }) => {
  const user = known ?? fail(404, "user_not_found", "User with this email not found");
  if (mailbox === "current" && !service.settings.doubleConfirmChanges) {
    fail(400, "validation_failed", "Enable secure email change to generate link for current email");
  }
  const to = parseEmail(new_email);
  await assertEmailIsFree(sql, to);
  const created = createCode(service, mailbox === "current" ? user.email! : to);
  await storeChange(sql, user, to, { [mailbox]: created });
  return { kind: "email_change", user, ...created };
};

const LINKS = new Map(Object.entries<Prepare>({
  async signup(service, sql, { email, known, password, data }) {
    if (known) {
      await unconfirmed(sql, email);
      if (data) await mergeMetadata(sql, known, "raw_user_meta_data", data);
      return await withCode(service, sql, known, "signup");
    }
    if (!password) fail(400, "validation_failed", "Signup requires a valid password");
    const passwordHash = await hashPassword(service, requireValidPassword(service, password));
    return await withCode(
      service,
      sql,
      await createInvitedUser(sql, { email, passwordHash, metadata: data }),
      "signup",
    );
  },
  async invite(service, sql, { email, data }) {
    const user = await unconfirmed(sql, email) ?? await createInvitedUser(sql, { email, metadata: data });
    return await withCode(service, sql, user, "invite");
  },
  magiclink: forExistingUser("magiclink"),
  recovery: forExistingUser("recovery"),
  email_change_current: forChange("current"),
  email_change_new: forChange("next"),
}));
