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

export function jwks({ tokens }: Service): Response {
  return Response.json(tokens.jwks, { headers: { "cache-control": "public, max-age=600" } });
}
