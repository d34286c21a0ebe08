// POST /signup
import { emailCode } from "./codes.ts";
import { fail, orUnexpectedFailure } from "./errors.ts";
import { type ParamsOf, parseParams, SIGN_UP } from "./params.ts";
import { hashPassword, requireValidPassword } from "./passwords.ts";
import { requireChannel } from "./phones.ts";
import { requireChallenge, startFlow } from "./pkce.ts";
import type { Call, Json, Service } from "./service.ts";
import { startSession } from "./sessions.ts";
import { confirmUser, createUser, ensureSignUpIdentity, findByEmail, parseEmail, reload, userView } from "./users.ts";

type SignUp = ParamsOf<typeof SIGN_UP>;

export async function signUp(service: Service, call: Call): Promise<Json> {
  const params = parseParams(SIGN_UP, call.body);
  if (!params.email && !params.phone) return await signUpAnonymously(service, call, params);
  requireSignups(service);
  if (!params.password) fail(400, "validation_failed", "Signup requires a valid password");
  requireValidPassword(service, params.password);
  if (params.email && params.phone) {
    fail(400, "validation_failed", "Only an email address or phone number should be provided on signup.");
  }
  if (params.phone) requireChannel(params.channel);
  if (params.phone && params.code_challenge) fail(400, "validation_failed", "PKCE not supported for phone signups");
  requireChallenge(params);
  if (params.phone) fail(400, "phone_provider_disabled", "Phone signups are disabled");
  if (!service.settings.allowEmail) fail(400, "email_provider_disabled", "Email signups are disabled");
  return await register(service, call, { ...params, email: parseEmail(params.email) });
}

function requireSignups({ settings }: Service): void {
  if (!settings.allowSignups) fail(422, "signup_disabled", "Signups not allowed for this instance");
}

/** Starts the only session that an anonymous user can have, until they confirm an email address. */
async function signUpAnonymously(service: Service, { client }: Call, { data }: SignUp): Promise<Json> {
  const { settings, limits } = service;
  if (!settings.allowAnonymous) fail(422, "anonymous_provider_disabled", "Anonymous sign-ins are disabled");
  if (limits.anonymousSignIns.count(client) >= settings.anonymousUsersPerHour) {
    fail(429, "over_request_rate_limit", "Request rate limit reached");
  }
  limits.anonymousSignIns.add(client);
  requireSignups(service);
  const signedIn = service.sql.begin(async (sql) => {
    const user = await createUser(sql, { email: null, metadata: data });
    return await startSession(service, sql, user, "anonymous");
  });
  return await orUnexpectedFailure("Database error creating anonymous user", signedIn);
}

/** Creates the user and emails the confirmation. Neither reply nor duration reveals whether an account exists. */
export async function register(service: Service, call: Call, params: Omit<SignUp, "phone" | "channel">): Promise<Json> {
  const { email, password, data: metadata = {} } = params, { settings } = service;
  requireSignups(service);
  const passwordHash = await hashPassword(service, password);
  return await service.sql.begin(async (sql) => {
    const known = await findByEmail(sql, email);
    if (known?.email_confirmed_at) {
      if (!settings.confirmEmails || !settings.confirmPhones) {
        fail(422, "user_already_exists", "User already registered");
      }
      return obfuscatedUser(email, metadata);
    }
    // An unconfirmed user stays unchanged, because another person may repeat the sign-up
    const user = known ?? await createUser(sql, { email, passwordHash, metadata });
    await ensureSignUpIdentity(sql, user, email, metadata);
    if (!settings.confirmEmails) {
      await orUnexpectedFailure("Database error updating user", confirmUser(sql, user));
      return await startSession(service, sql, user, "password");
    }
    await startFlow(sql, user, "email/signup", params);
    await emailCode(service, sql, call, user, "signup", params);
    const view = await userView(sql, await reload(sql, user));
    return user.invited_at ? { ...view, user_metadata: {}, identities: [] } : view;
  });
}

/** The reply for an address that has an account: a user that does not exist. */
function obfuscatedUser(email: string, metadata: Json): Json {
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
