// The auth settings of supabase/config.toml, with the CLI's default values.
import { type CaptchaSettings, captchaSettings } from "./captcha_settings.ts";
import { seconds } from "./durations.ts";
import { missingFeatures } from "./features.ts";
import { type MailKind, readTemplate, type Template } from "./templates.ts";
import { repository } from "../host/project.ts";
import { StartupError } from "../host/startup_error.ts";

export interface AuthSettings {
  siteUrl: string;
  /** Globs of URLs that an emailed link may redirect to. */
  redirects: string[];
  allowSignups: boolean;
  /** Sign-up and sign-in by email address. */
  allowEmail: boolean;
  allowAnonymous: boolean;
  /** Per client. */
  anonymousUsersPerHour: number;
  allowManualLinking: boolean;
  /** New users must confirm their email address before they can sign in. */
  confirmEmails: boolean;
  /** Both addresses must confirm an email change. */
  doubleConfirmChanges: boolean;
  /** A session older than a day needs a nonce to change the password. */
  securePasswordChange: boolean;
  jwtExpirySeconds: number;
  /** The URL of the service unless config.toml names another. */
  jwtIssuer: string | null;
  reuseIntervalSeconds: number;
  /** A refresh token that was used before ends its session. */
  endsReusedSessions: boolean;
  /** A session ends this long after its start; 0 for no limit. */
  sessionSeconds: number;
  /** A session ends this long after its last refresh; 0 for no limit. */
  sessionInactivitySeconds: number;
  /** The minimum between two emails of a kind to one user. */
  maxFrequencySeconds: number;
  codeLength: number;
  codeExpirySeconds: number;
  minPasswordLength: number;
  /** Sets of characters; a password needs one of each. */
  requiredCharacters: string[];
  wrongCodesPerFiveMinutes: number;
  /** Without it, a repeated sign-up reveals that the account exists. The CLI's default is false; hosted projects confirm. */
  confirmPhones: boolean;
  captcha: CaptchaSettings | null;
  templates: Record<MailKind, Template>;
  /** The cost of bcrypt: 10 in the service, less on test stacks for speed. */
  passwordCost: number;
  /** What the developer should know at start. */
  warnings: string[];
}

const LOWER = "abcdefghijklmnopqrstuvwxyz", UPPER = LOWER.toUpperCase(), DIGITS = "0123456789";
const SYMBOLS = "!@#$%^&*()_+-=[]{};'\\:\"|<>?,./`~";
const PASSWORD_REQUIREMENTS: Record<string, string[]> = {
  "": [],
  letters_digits: [LOWER + UPPER, DIGITS],
  lower_upper_letters_digits: [LOWER, UPPER, DIGITS],
  lower_upper_letters_digits_symbols: [LOWER, UPPER, DIGITS, SYMBOLS],
};

type Table = Record<string, unknown>;
const table = (value: unknown) => (value ?? {}) as Table;

/**
 * Reads the table [auth] of the config.toml of the project in `folder`. Throws for an enabled feature that the local
 * stack does not support.
 */
export function authSettings(auth: Table = {}, folder = repository): AuthSettings {
  const email = table(auth.email), templates = table(email.template), limits = table(auth.rate_limit);
  const sessions = table(auth.sessions);
  const duration = (name: string, key: string, value: unknown) => {
    try {
      return seconds(String(value));
    } catch {
      return fail(`[${name}] ${key} must be a duration such as 1m.`);
    }
  };
  const requiredCharacters = PASSWORD_REQUIREMENTS[String(auth.password_requirements ?? "")];
  if (!requiredCharacters) {
    const allowed = Object.keys(PASSWORD_REQUIREMENTS).filter(Boolean).join(", ");
    fail(`[auth] password_requirements must be empty or one of: ${allowed}.`);
  }
  const template = (name: string, kind: MailKind) => readTemplate(kind, table(templates[name]), folder);
  return {
    siteUrl: (auth.site_url ?? "http://127.0.0.1:3000") as string,
    redirects: (auth.additional_redirect_urls ?? ["https://127.0.0.1:3000"]) as string[],
    allowSignups: (auth.enable_signup ?? true) as boolean,
    allowEmail: (email.enable_signup ?? true) as boolean,
    allowAnonymous: (auth.enable_anonymous_sign_ins ?? false) as boolean,
    anonymousUsersPerHour: (limits.anonymous_users ?? 30) as number,
    allowManualLinking: (auth.enable_manual_linking ?? false) as boolean,
    confirmEmails: (email.enable_confirmations ?? false) as boolean,
    doubleConfirmChanges: (email.double_confirm_changes ?? true) as boolean,
    securePasswordChange: (email.secure_password_change ?? false) as boolean,
    jwtIssuer: (auth.jwt_issuer || null) as string | null,
    jwtExpirySeconds: (auth.jwt_expiry ?? 3600) as number,
    reuseIntervalSeconds: (auth.refresh_token_reuse_interval ?? 10) as number,
    endsReusedSessions: (auth.enable_refresh_token_rotation ?? true) as boolean,
    sessionSeconds: duration("auth.sessions", "timebox", sessions.timebox ?? "0s"),
    sessionInactivitySeconds: duration("auth.sessions", "inactivity_timeout", sessions.inactivity_timeout ?? "0s"),
    maxFrequencySeconds: duration("auth.email", "max_frequency", email.max_frequency ?? "1s"),
    codeLength: (email.otp_length ?? 6) as number,
    codeExpirySeconds: (email.otp_expiry ?? 3600) as number,
    minPasswordLength: (auth.minimum_password_length ?? 6) as number,
    requiredCharacters,
    wrongCodesPerFiveMinutes: (limits.token_verifications ?? 30) as number,
    confirmPhones: (table(auth.sms).enable_confirmations ?? true) as boolean,
    captcha: captchaSettings(auth.captcha, Deno.env.toObject()),
    templates: {
      signup: template("confirmation", "signup"),
      magiclink: template("magic_link", "magiclink"),
      recovery: template("recovery", "recovery"),
      invite: template("invite", "invite"),
      email_change: template("email_change", "email_change"),
      reauthentication: template("reauthentication", "reauthentication"),
    },
    passwordCost: 10,
    warnings: missingFeatures(auth),
  };
}

function fail(message: string): never {
  throw new StartupError(message);
}
