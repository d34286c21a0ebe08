// [auth.captcha] of supabase/config.toml, read as the CLI reads it.
import { StartupError } from "../host/startup_error.ts";

export interface CaptchaSettings {
  /** The provider's siteverify URL. */
  verifyUrl: string;
  secret: string;
  timeoutMs: number;
}

export type Environment = Record<string, string | undefined>;

const SITEVERIFY: Record<string, string> = {
  hcaptcha: "https://hcaptcha.com/siteverify",
  turnstile: "https://challenges.cloudflare.com/turnstile/v0/siteverify",
};
/** The values of a flag that the CLI accepts in the environment. */
const TRUE = ["1", "t", "T", "true", "True", "TRUE"], FALSE = ["0", "f", "F", "false", "False", "FALSE"];

/**
 * Returns null while captcha protection is off. SUPABASE_AUTH_CAPTCHA_<KEY> overrides a key of the table, and env(NAME)
 * is the value of a variable. CAPTCHA_VERIFY_URL names another verifier; the platform has no such setting.
 */
export function captchaSettings(table: unknown, env: Environment): CaptchaSettings | null {
  if (!table) return null; // without the table, the CLI ignores the variables
  const read = (key: string): string => {
    const override = env[`SUPABASE_AUTH_CAPTCHA_${key.toUpperCase()}`];
    const value = String((table as Record<string, unknown>)[key] ?? "");
    return override || env[variableIn(value) ?? ""] || value;
  };
  const enabled = read("enabled"), provider = read("provider"), secret = read("secret").trim();
  if (enabled === "" || FALSE.includes(enabled)) return null;
  if (!TRUE.includes(enabled)) throw new StartupError(`[auth.captcha] enabled must be true or false (got ${enabled}).`);
  if (!Object.hasOwn(SITEVERIFY, provider)) {
    throw new StartupError(`[auth.captcha] provider must be hcaptcha or turnstile (got ${provider}).`);
  }
  const unset = variableIn(secret);
  if (!secret || unset) throw new StartupError(`[auth.captcha] requires a secret${unset ? `; set ${unset}` : ""}.`);
  return { verifyUrl: httpUrl(env.CAPTCHA_VERIFY_URL) ?? SITEVERIFY[provider], secret, timeoutMs: 10_000 };
}

/** The name of the variable that a value refers to as env(NAME). */
const variableIn = (value: string): string | undefined => /^env\((.*)\)$/.exec(value)?.[1];

function httpUrl(value: string | undefined): string | undefined {
  if (!value || URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value || undefined;
  throw new StartupError(`CAPTCHA_VERIFY_URL must be an http or https URL (got ${value}).`);
}
