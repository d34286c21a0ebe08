// Links for the back end: POST /invite emails one, POST /admin/generate_link returns one.
import { randomBytes } from "node:crypto";
import { createCode, emailCode, storeCode } from "./codes.ts";
import { storeChange } from "./email_change.ts";
import { fail } from "./errors.ts";
import { verificationLink } from "./emails.ts";
import { hashPassword, requireValidPassword } from "./passwords.ts";
import { allowedRedirect } from "./redirects.ts";
import { type Call, type Json, object, type Service, type Sql, text } from "./service.ts";
import type { MailKind } from "./templates.ts";
import {
  assertEmailIsFree,
  createUser,
  findByEmail,
  mergeMetadata,
  parseEmail,
  reload,
  type User,
  userView,
} from "./users.ts";

export async function invite(service: Service, call: Call): Promise<Json> {
  const email = parseEmail(text(call.body, "email"));
  return await service.sql.begin(async (sql) => {
    const user = await unconfirmed(sql, email) ?? await createUser(sql, { email, metadata: object(call.body, "data") });
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
  const { body } = call;
  const email = parseEmail(text(body, "email"));
  const redirectTo = allowedRedirect(service.settings, text(body, "redirect_to"), call.redirectTo);
  const known = await findByEmail(service.sql, email);
  // A magic link for a new user is that of a sign-up with a random password
  const isNewUser = !known && body.type === "magiclink";
  const type = isNewUser ? "signup" : text(body, "type");
  const prepare = LINKS.get(type) ??
    fail(400, "validation_failed", `Invalid email action link type requested: ${type}`);
  const password = isNewUser ? randomBytes(24).toString("base64url") : text(body, "password");
  return await service.sql.begin(async (sql) => {
    const { kind, user, code, hash } = await prepare(service, sql, { body, email, known, password });
    return {
      ...await userView(sql, user),
      action_link: verificationLink(service, kind, hash, redirectTo),
      email_otp: code,
      hashed_token: hash,
      redirect_to: redirectTo,
      verification_type: type,
    };
  });
}

interface LinkRequest {
  body: Json;
  email: string;
  known: User | undefined;
  password: string;
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

const forChange = (mailbox: "current" | "next"): Prepare => async (service, sql, { body, known }) => {
  const user = known ?? fail(404, "user_not_found", "User with this email not found");
  if (mailbox === "current" && !service.settings.doubleConfirmChanges) {
    fail(400, "validation_failed", "Enable secure email change to generate link for current email");
  }
  const to = parseEmail(text(body, "new_email"));
  await assertEmailIsFree(sql, to);
  const created = createCode(service, mailbox === "current" ? user.email! : to);
  await storeChange(sql, user, to, { [mailbox]: created });
  return { kind: "email_change", user, ...created };
};

const LINKS = new Map(Object.entries<Prepare>({
  async signup(service, sql, { body, email, password }) {
    if (!password) fail(400, "validation_failed", "Signup requires a valid password");
    const hash = await hashPassword(service, requireValidPassword(service, password));
    const known = await unconfirmed(sql, email), metadata = object(body, "data");
    if (known && metadata) await mergeMetadata(sql, known, "raw_user_meta_data", metadata);
    return await withCode(
      service,
      sql,
      known ?? await createUser(sql, { email, passwordHash: hash, metadata }),
      "signup",
    );
  },
  async invite(service, sql, { body, email }) {
    const user = await unconfirmed(sql, email) ?? await createUser(sql, { email, metadata: object(body, "data") });
    return await withCode(service, sql, user, "invite");
  },
  magiclink: forExistingUser("magiclink"),
  recovery: forExistingUser("recovery"),
  email_change_current: forChange("current"),
  email_change_new: forChange("next"),
}));
