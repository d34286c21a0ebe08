// Features of the service that the local stack lacks: what config.toml may enable, and the service's errors for them.
import { StartupError } from "../startup_error.ts";
import { AuthError } from "./errors.ts";

/** The errors of the service for a feature that is off. */
const DISABLED = {
  totp: [422, "mfa_totp_enroll_not_enabled", "MFA enroll is disabled for TOTP"],
  phoneFactor: [422, "mfa_phone_enroll_not_enabled", "MFA enroll is disabled for Phone"],
  webauthn: [422, "mfa_webauthn_enroll_not_enabled", "MFA enroll is disabled for WebAuthn"],
  passkeys: [404, "passkey_disabled", "Passkeys are disabled"],
  saml: [404, "saml_provider_disabled", "SAML 2.0 is disabled"],
  oauthServer: [404, "feature_disabled", "OAuth server is disabled"],
  customProviders: [404, "feature_disabled", "Custom OAuth providers are disabled"],
  scim: [404, "feature_disabled", "SCIM server is disabled"],
  web3: [422, "web3_provider_disabled", "Web3 provider is disabled"],
} as const;

export type MissingFeature = keyof typeof DISABLED;

export function failDisabled(feature: MissingFeature): never {
  const [status, code, message] = DISABLED[feature];
  throw new AuthError(status, code, message);
}

/** For a request that the service would serve and whose feature it cannot turn off. */
export function failMissing(what: string): never {
  throw new AuthError(501, "feature_disabled", `The local stack does not support ${what}`);
}

type Table = Record<string, unknown>;

/** Tables of [auth] whose requests get an error; in each, the flags that enable it. */
const REFUSED: Record<string, string[]> = {
  "mfa.totp": ["enroll_enabled", "verify_enabled"],
  "mfa.phone": ["enroll_enabled", "verify_enabled"],
  "mfa.web_authn": ["enroll_enabled", "verify_enabled"],
  "external.*": ["enabled"],
  "web3.*": ["enabled"],
  "third_party.*": ["enabled"],
  passkey: ["enabled"],
  oauth_server: ["enabled"],
  sms: ["enable_signup"],
};

/** Without these, other requests would silently behave differently. */
const REQUIRED: Record<string, string[]> = { "hook.*": ["enabled"] };

/** Throws for a feature that other requests depend on; returns the names of enabled tables that the stack refuses. */
export function missingFeatures(auth: Table): string[] {
  const [required] = enabledTables(auth, REQUIRED);
  if (required) throw new StartupError(`The local stack does not support [auth.${required}]. Disable it to start.`);
  return enabledTables(auth, REFUSED);
}

export const missingWarning = (tables: string[]) =>
  `supabase/config.toml enables what the local stack lacks: ${tables.map((table) => `[auth.${table}]`).join(", ")}. ` +
  "Requests for it get the error of the disabled feature.";

function enabledTables(auth: Table, tables: Record<string, string[]>): string[] {
  return Object.entries(tables).flatMap(([path, flags]) => {
    const [name, member] = path.split(".");
    const table = (auth[name] ?? {}) as Table;
    const members = member === "*" ? Object.keys(table) : [member];
    return members
      .filter((member) => {
        const found = (member ? table[member] : table) as Table | undefined;
        return flags.some((flag) => found?.[flag]);
      })
      .map((member) => member ? `${name}.${member}` : name);
  });
}
