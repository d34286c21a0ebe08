// POST /signup
import { mailCode } from "./codes.ts";
import { refuse } from "./errors.ts";
import { hashPassword, strongPassword } from "./passwords.ts";
import { challenge, startFlow } from "./pkce.ts";
import { type Call, type Json, object, type Service, text } from "./service.ts";
import { startSession } from "./sessions.ts";
import { confirmUser, createUser, findByEmail, reload, userView, validEmail } from "./users.ts";

export async function signUp(service: Service, call: Call): Promise<Json> {
  const { body } = call;
  if (!text(body, "email") && !text(body, "phone")) {
    refuse(422, "anonymous_provider_disabled", "Anonymous sign-ins are disabled");
  }
  if (!text(body, "password")) refuse(400, "validation_failed", "Signup requires a valid password");
  const password = strongPassword(service, text(body, "password"));
  if (text(body, "phone")) refuse(400, "phone_provider_disabled", "Phone signups are disabled");
  return await register(service, call, validEmail(text(body, "email")), password);
}

/** Makes the user and mails the confirmation. Nothing in the reply or its time tells whether an address has an account. */
export async function register(service: Service, call: Call, email: string, password: string): Promise<Json> {
  if (!service.settings.allowSignups) refuse(422, "signup_disabled", "Signups not allowed for this instance");
  challenge(call.body);
  const metadata = object(call.body, "data") ?? {};
  const passwordHash = await hashPassword(service, password);
  return await service.sql.begin(async (sql) => {
    const known = await findByEmail(sql, email);
    if (known?.email_confirmed_at) {
      if (!service.settings.confirmEmails) refuse(422, "user_already_exists", "User already registered");
      return lookalike(email, metadata);
    }
    // an unconfirmed user stays as it is: who asks again may be someone else
    const user = known ?? await createUser(sql, { email, passwordHash, metadata });
    if (!service.settings.confirmEmails) {
      await confirmUser(sql, user);
      return await startSession(service, sql, user, "password");
    }
    await startFlow(sql, user, "email/signup", call.body);
    await mailCode(service, sql, call, user, "signup");
    const view = await userView(sql, await reload(sql, user));
    return user.invited_at ? { ...view, user_metadata: {}, identities: [] } : view;
  });
}

/** What a stranger gets for an address that has an account. */
function lookalike(email: string, metadata: Json): Json {
  const now = new Date();
  return {
    id: crypto.randomUUID(),
    aud: "authenticated",
    role: "",
    email,
    phone: "",
    confirmation_sent_at: now,
    app_metadata: { provider: "email", providers: ["email"] },
    user_metadata: metadata,
    identities: [],
    created_at: now,
    updated_at: now,
    is_anonymous: false,
  };
}
