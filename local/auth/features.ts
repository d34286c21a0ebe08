// Features of the service that the local stack lacks: what config.toml may enable, and the service's errors for them.
import { StartupError } from "../host/startup_error.ts";
import { AuthError } from "./errors.ts";

/** The errors of the service for a feature that is off. */
const DISABLED = {
  totp: [422, "mfa_totp_enroll_not_enabled", "MFA enroll is disabled for TOTP"],
  phoneFactor: [422, "mfa_phone_enroll_not_enabled", "MFA enroll is disabled for Phone"],
  webauthn: [422, "mfa_webauthn_enroll_not_enabled", "MFA enroll is disabled for WebAuthn"],
  passkeys: [404, "passkey_disabled", "Passkeys are disabled"],
  saml: [404, "saml_provider_disabled", "SAML 2.0 is disabled"],
  oauthServer: [404, "feature_disabled", "OAuth server is disabled"],
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
/** Paths of tables below [auth], `*` for each member, and the flags that enable them. */
type Tables = Record<string, string[]>;

/** Requests for these get an error. */
const REJECTED: Tables = {
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

/** These send emails elsewhere, or further ones. */
const IGNORED: Tables = { "email.smtp": ["enabled"], "email.notification.*": ["enabled"] };

/** Without these, other requests would silently behave differently. */
const REQUIRED: Tables = { "hook.*": ["enabled"] };

/** Returns a warning for enabled features that are missing. Throws for one that other requests depend on. */
export function missingFeatures(auth: Table): string[] {
  const [required] = enabledTables(auth, REQUIRED);
  if (required) throw new StartupError(`The local stack does not support ${required}. Disable it to start.`);
  const rejected = enabledTables(auth, REJECTED), ignored = enabledTables(auth, IGNORED);
  const start = "supabase/config.toml enables what the local stack lacks:";
  return [
    ...rejected.length
      ? [`${start} ${rejected.join(", ")}. Requests for these get the error of a disabled feature.`]
      : [],
    ...ignored.length ? [`${start} ${ignored.join(", ")}. All emails are in the local inbox.`] : [],
  ];
}

/** The enabled ones of these tables, as `[auth.name]`. */
function enabledTables(auth: Table, tables: Tables): string[] {
  return Object.entries(tables).flatMap(([path, flags]) => {
    let found: [name: string, table: Table][] = [["auth", auth]];
    for (const segment of path.split(".")) {
      found = found.flatMap(([name, table]) =>
        (segment === "*" ? Object.keys(table) : [segment])
          .filter((key) => table[key] && typeof table[key] === "object")
          .map((key): [string, Table] => [`${name}.${key}`, table[key] as Table])
      );
    }
    return found.filter(([, table]) => flags.some((flag) => table[flag])).map(([name]) => `[${name}]`);
  });
}
