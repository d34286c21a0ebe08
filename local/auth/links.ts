// Links that the back end asks for: POST /invite mails one, POST /admin/generate_link hands one out.
import { randomBytes } from "node:crypto";
import { mailCode, newCode, storeCode } from "./codes.ts";
import { storeChange } from "./email_change.ts";
import { refuse } from "./errors.ts";
import { verificationLink } from "./mails.ts";
import { hashPassword, strongPassword } from "./passwords.ts";
import { allowedRedirect } from "./redirects.ts";
import { type Call, type Json, object, type Service, type Sql, text } from "./service.ts";
import type { MailKind } from "./templates.ts";
import {
  createUser,
  findByEmail,
  mergeMetadata,
  refuseTakenEmail,
  reload,
  type User,
  userView,
  validEmail,
} from "./users.ts";

export async function invite(service: Service, call: Call): Promise<Json> {
  const email = validEmail(text(call.body, "email"));
  return await service.sql.begin(async (sql) => {
    const user = await unconfirmed(sql, email) ?? await createUser(sql, { email, metadata: object(call.body, "data") });
    await mailCode(service, sql, call, user, "invite");
    return await userView(sql, await reload(sql, user));
  });
}

/** The user who has this address, if there is one; refused when they have confirmed it. */
async function unconfirmed(sql: Sql, email: string): Promise<User | undefined> {
  const user = await findByEmail(sql, email);
  if (user?.email_confirmed_at) await refuseTakenEmail(sql, email);
  return user;
}

export async function generateLink(service: Service, call: Call): Promise<Json> {
  const { body } = call;
  const email = validEmail(text(body, "email"));
  const redirectTo = allowedRedirect(service.settings, text(body, "redirect_to"), call.redirectTo);
  const known = await findByEmail(service.sql, email);
  // a magic link for a newcomer is a sign-up's, with a password that nobody knows
  const newcomer = !known && body.type === "magiclink";
  const type = newcomer ? "signup" : text(body, "type");
  const prepare = LINKS.get(type) ??
    refuse(400, "validation_failed", `Invalid email action link type requested: ${type}`);
  const password = newcomer ? randomBytes(24).toString("base64url") : text(body, "password");
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

interface Wanted {
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
type Prepare = (service: Service, sql: Sql, wanted: Wanted) => Promise<Prepared>;

async function withCode(service: Service, sql: Sql, user: User, kind: Exclude<MailKind, "email_change">) {
  const made = newCode(service, user.email!);
  await storeCode(sql, user, kind, made.hash);
  return { kind, user, ...made };
}

const forKnown = (kind: "magiclink" | "recovery"): Prepare => (service, sql, { known }) =>
  withCode(service, sql, known ?? refuse(404, "user_not_found", "User with this email not found"), kind);

const forChange = (mailbox: "current" | "next"): Prepare => async (service, sql, { body, known }) => {
  const user = known ?? refuse(404, "user_not_found", "User with this email not found");
  if (mailbox === "current" && !service.settings.doubleConfirmChanges) {
    refuse(400, "validation_failed", "Enable secure email change to generate link for current email");
  }
  const to = validEmail(text(body, "new_email"));
  await refuseTakenEmail(sql, to);
  const made = newCode(service, mailbox === "current" ? user.email! : to);
  await storeChange(sql, user, to, { [mailbox]: made });
  return { kind: "email_change", user, ...made };
};

const LINKS = new Map(Object.entries<Prepare>({
  async signup(service, sql, { body, email, password }) {
    if (!password) refuse(400, "validation_failed", "Signup requires a valid password");
    const hash = await hashPassword(service, strongPassword(service, password));
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
  magiclink: forKnown("magiclink"),
  recovery: forKnown("recovery"),
  email_change_current: forChange("current"),
  email_change_new: forChange("next"),
}));
