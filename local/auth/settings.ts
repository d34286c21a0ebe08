// The auth settings of supabase/config.toml, with the CLI's default values.
import { type CaptchaSettings, captchaSettings } from "./captcha_settings.ts";
import { seconds } from "./durations.ts";
import { type MailKind, readTemplate, type Template } from "./templates.ts";
import { repository } from "../project.ts";

export interface AuthSettings {
  siteUrl: string;
  /** Globs of URLs that an emailed link may redirect to. */
  redirects: string[];
  allowSignups: boolean;
  /** New users must confirm their email address before they can sign in. */
  confirmEmails: boolean;
  /** Both addresses must confirm an email change. */
  doubleConfirmChanges: boolean;
  jwtExpirySeconds: number;
  reuseIntervalSeconds: number;
  /** The minimum between two emails of a kind to one user. */
  maxFrequencySeconds: number;
  codeLength: number;
  codeExpirySeconds: number;
  minPasswordLength: number;
  wrongCodesPerFiveMinutes: number;
  captcha: CaptchaSettings | null;
  templates: Record<MailKind, Template>;
  /** The cost of bcrypt: 10 in the service, less on test stacks for speed. */
  passwordCost: number;
}

type Table = Record<string, unknown>;
const table = (value: unknown) => (value ?? {}) as Table;

/**
 * Reads the table [auth] of the config.toml of the project in `folder`. Throws for an enabled feature that the local
 * stack does not support.
 */
export function authSettings(auth: Table = {}, folder = repository): AuthSettings {
  const email = table(auth.email), templates = table(email.template);
  if (auth.enable_anonymous_sign_ins) throw new Error("Anonymous sign-ins are not supported by the local stack.");
  if (email.secure_password_change) {
    throw new Error("[auth.email] secure_password_change is not supported by the local stack.");
  }
  const maxFrequencySeconds = seconds(String(email.max_frequency ?? "1s"));
  if (maxFrequencySeconds === undefined) throw new Error("[auth.email] max_frequency must be a duration such as 1m.");
  const template = (name: string, kind: MailKind) => readTemplate(kind, table(templates[name]), folder);
  return {
    siteUrl: (auth.site_url ?? "http://127.0.0.1:3000") as string,
    redirects: (auth.additional_redirect_urls ?? ["https://127.0.0.1:3000"]) as string[],
    allowSignups: (auth.enable_signup ?? true) as boolean,
    confirmEmails: (email.enable_confirmations ?? false) as boolean,
    doubleConfirmChanges: (email.double_confirm_changes ?? true) as boolean,
    jwtExpirySeconds: (auth.jwt_expiry ?? 3600) as number,
    reuseIntervalSeconds: (auth.refresh_token_reuse_interval ?? 10) as number,
    maxFrequencySeconds,
    codeLength: (email.otp_length ?? 6) as number,
    codeExpirySeconds: (email.otp_expiry ?? 3600) as number,
    minPasswordLength: (auth.minimum_password_length ?? 6) as number,
    wrongCodesPerFiveMinutes: (table(auth.rate_limit).token_verifications ?? 30) as number,
    captcha: captchaSettings(auth.captcha, Deno.env.toObject()),
    templates: {
      signup: template("confirmation", "signup"),
      magiclink: template("magic_link", "magiclink"),
      recovery: template("recovery", "recovery"),
      invite: template("invite", "invite"),
      email_change: template("email_change", "email_change"),
    },
    passwordCost: 10,
  };
}
