// Public facts about the service: its health, settings and keys.
import { LISTED_PROVIDERS } from "./providers.ts";
import type { Json, Service } from "./service.ts";

/** The version of Supabase Auth whose source this module follows. */
const VERSION = "v2.196.0";

export function health(): Json {
  const description = "GoTrue is a user registration and authentication API";
  return { version: VERSION, name: "GoTrue", description };
}

export function getSettings({ settings }: Service): Json {
  return {
    external: {
      anonymous_users: settings.allowAnonymous,
      ...Object.fromEntries(LISTED_PROVIDERS.map((name) => [name, false])),
      email: settings.allowEmail,
      phone: false,
    },
    disable_signup: !settings.allowSignups,
    mailer_autoconfirm: !settings.confirmEmails,
    phone_autoconfirm: !settings.confirmPhones,
    sms_provider: "",
    saml_enabled: false,
    saml_private_key_next_configured: false,
    passkeys_enabled: false,
  };
}

const CACHED = { headers: { "cache-control": "public, max-age=600" } };

export function jwks({ tokens }: Service): Response {
  return Response.json(tokens.jwks, CACHED);
}

/** Describes the OAuth server, even while it is off. */
export function openIdConfiguration({ settings, url }: Service): Response {
  const issuer = settings.jwtIssuer ?? url, base = issuer.replace(/\/+$/, "");
  return Response.json({
    issuer,
    authorization_endpoint: `${base}/oauth/authorize`,
    token_endpoint: `${base}/oauth/token`,
    jwks_uri: `${base}/.well-known/jwks.json`,
    userinfo_endpoint: `${base}/oauth/userinfo`,
    scopes_supported: ["openid", "profile", "email", "phone", "offline_access"],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256", "HS256", "ES256"],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
    claims_supported: [
      ...["sub", "aud", "iss", "exp", "iat", "auth_time", "nonce", "email", "email_verified", "phone_number"],
      ...["phone_number_verified", "name", "picture", "preferred_username", "updated_at"],
    ],
    code_challenge_methods_supported: ["S256", "plain"],
  }, CACHED);
}
