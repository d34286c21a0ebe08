// What supabase/config.toml says about auth, with the CLI's defaults for what it leaves out.
import { refuse } from "./errors.ts";

export interface AuthSettings {
  siteUrl: string;
  /** Globs of addresses that a mailed link may lead to. */
  redirects: string[];
  allowSignups: boolean;
  /** A new address must be confirmed by mail before its owner can sign in. */
  confirmEmails: boolean;
  /** An e-mail change needs a click in both mailboxes. */
  doubleConfirmChanges: boolean;
  jwtExpirySeconds: number;
  reuseIntervalSeconds: number;
  /** Between two mails of a kind to one user. */
  maxFrequencySeconds: number;
  codeLength: number;
  codeExpirySeconds: number;
  minPasswordLength: number;
  wrongCodesPerFiveMinutes: number;
  captcha: { verifyUrl: string; secret: string } | null;
  /** Of bcrypt; the service's is 10. Only test stacks go lower, for speed. */
  passwordCost: number;
}

type Table = Record<string, unknown>;
const SITEVERIFY: Record<string, string> = {
  hcaptcha: "https://hcaptcha.com/siteverify",
  turnstile: "https://challenges.cloudflare.com/turnstile/v0/siteverify",
};

/** `auth` is the table [auth] of config.toml. Throws for what is switched on there and this stand-in cannot do. */
export function authSettings(auth: Table = {}): AuthSettings {
  const email = (auth.email ?? {}) as Table;
  const limits = (auth.rate_limit ?? {}) as Table;
  if (auth.enable_anonymous_sign_ins) throw new Error("The local stack has no anonymous sign-ins.");
  if (email.secure_password_change) throw new Error("The local stack has no secure_password_change.");
  return {
    siteUrl: (auth.site_url ?? "http://127.0.0.1:3000") as string,
    redirects: (auth.additional_redirect_urls ?? ["https://127.0.0.1:3000"]) as string[],
    allowSignups: (auth.enable_signup ?? true) as boolean,
    confirmEmails: (email.enable_confirmations ?? false) as boolean,
    doubleConfirmChanges: (email.double_confirm_changes ?? true) as boolean,
    jwtExpirySeconds: (auth.jwt_expiry ?? 3600) as number,
    reuseIntervalSeconds: (auth.refresh_token_reuse_interval ?? 10) as number,
    maxFrequencySeconds: seconds((email.max_frequency ?? "1s") as string),
    codeLength: (email.otp_length ?? 6) as number,
    codeExpirySeconds: (email.otp_expiry ?? 3600) as number,
    minPasswordLength: (auth.minimum_password_length ?? 6) as number,
    wrongCodesPerFiveMinutes: (limits.token_verifications ?? 30) as number,
    captcha: captcha((auth.captcha ?? {}) as Table),
    passwordCost: 10,
  };
}

function captcha({ enabled, provider, secret }: Table): AuthSettings["captcha"] {
  if (!enabled) return null;
  const verifyUrl = SITEVERIFY[String(provider)];
  if (!verifyUrl) throw new Error(`[auth.captcha] provider is hcaptcha or turnstile, not ${provider}.`);
  const variable = /^env\((.+)\)$/.exec(String(secret))?.[1];
  const value = variable ? Deno.env.get(variable) : secret;
  if (!value) throw new Error(`[auth.captcha] is enabled but has no secret${variable ? `: set ${variable}` : ""}.`);
  return { verifyUrl, secret: String(value) };
}

const UNITS: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600 };

/** Seconds of a duration as Go writes it: `1s`, `1h30m`. */
export function seconds(duration: string): number {
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(duration)) {
    refuse(400, "validation_failed", `invalid format for ban duration: time: invalid duration "${duration}"`);
  }
  return [...duration.matchAll(/([\d.]+)(ms|s|m|h)/g)].reduce((sum, [, n, unit]) => sum + Number(n) * UNITS[unit], 0);
}
