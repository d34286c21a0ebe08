// OAuth, ID token and Web3 providers, of which the local stack has none, and the linking of their identities.
import { decodeJwt } from "jose";
import { requireCaller } from "./caller.ts";
import { fail, OAuthError } from "./errors.ts";
import { failMissing } from "./features.ts";
import { ID_TOKEN_GRANT, parseParams } from "./params.ts";
import { type Call, isUuid, type Json, type Service } from "./service.ts";

/** The providers of the service that GET /settings lists. */
export const LISTED_PROVIDERS = [
  ...["apple", "azure", "bitbucket", "discord", "facebook", "snapchat", "figma", "fly", "github", "gitlab", "google"],
  ...["keycloak", "kakao", "linkedin", "linkedin_oidc", "notion", "spotify", "slack", "slack_oidc", "workos", "twitch"],
  ...["twitter", "zoom"],
];
const PROVIDERS = [...LISTED_PROVIDERS, "x", "vercel_marketplace"];

/** GET /authorize and /user/identities/authorize: where a front end starts to sign in or to link an identity. */
export function authorize(_: Service, { query }: Call): never {
  const name = (query.get("provider") ?? "").toLowerCase();
  const reason = name.startsWith("custom:")
    ? `custom provider ${name} not found`
    : PROVIDERS.includes(name)
    ? "provider is not enabled"
    : `Provider ${name} could not be found`;
  return fail(400, "validation_failed", `Unsupported provider: ${reason}`);
}

/** The admin API finds no SAML and no custom OAuth provider. */
export function failSsoProvider(): never {
  return fail(404, "sso_provider_not_found", "SSO Identity Provider not found");
}

export function failCustomProvider(_: Service, { path: { identifier } }: Call): never {
  if (!identifier.startsWith("custom:")) {
    const what = `identifier must start with 'custom:' prefix, e.g. 'custom:${identifier}'`;
    fail(400, "validation_failed", what);
  }
  return fail(404, "custom_provider_not_found", "Custom OAuth provider not found");
}

/** GET and POST /callback: where a provider sends the browser back. */
export function oauthCallback({ settings }: Service, { query }: Call): Response {
  const state = query.get("state");
  const [error_code, error_description] = !state
    ? ["bad_oauth_callback", "OAuth state parameter missing"]
    : ["bad_oauth_state", isUuid(state) ? "OAuth state not found or expired" : "OAuth state parameter is invalid"];
  const target = new URL(settings.siteUrl);
  for (const [name, value] of Object.entries({ error: "invalid_request", error_code, error_description })) {
    target.searchParams.set(name, value);
  }
  return new Response(null, { status: 303, headers: { location: target.href } });
}

/** The issuers of ID tokens; those of Apple and Azure are in the token. */
const ISSUERS: Record<string, string> = {
  google: "https://accounts.google.com",
  facebook: "https://www.facebook.com",
  keycloak: "",
  kakao: "https://kauth.kakao.com",
  vercel_marketplace: "https://marketplace.vercel.com",
  snapchat: "https://accounts.snapchat.com/accounts/oauth2/token",
};

/** POST /token?grant_type=id_token: a session for the token of a provider. */
export async function idTokenGrant(service: Service, call: Call): Promise<Json> {
  const { id_token: token, provider, issuer, client_id, link_identity } = parseParams(ID_TOKEN_GRANT, call.body);
  if (!token) throw new OAuthError("invalid request", "id_token required");
  if (!provider && !(client_id && issuer)) {
    throw new OAuthError("invalid request", "provider or client_id and issuer required");
  }
  if (link_identity) await requireCaller(service, call);
  if (provider.startsWith("custom:")) fail(400, "validation_failed", `Custom provider "${provider}" not found`);
  const known = provider === "apple" || provider === "azure"
    ? issuerOf(token, provider)
    : Object.entries(ISSUERS).find(([name, url]) => name === provider || url && url === issuer)?.[1];
  if (known === undefined) fail(400, "validation_failed", `Custom OIDC provider "${provider}" not allowed`);
  return fail(400, "provider_disabled", `Provider (issuer "${known}") is not enabled`);
}

function issuerOf(token: string, provider: "apple" | "azure"): string {
  const name = { apple: "Apple", azure: "Azure" }[provider];
  let issuer: string;
  try {
    issuer = decodeJwt(token).iss ?? "";
  } catch {
    return fail(400, "validation_failed", `Unable to detect issuer in ID token for ${name} provider`);
  }
  const isKnown = provider === "apple"
    ? ["https://appleid.apple.com", "https://account.apple.com"].includes(issuer)
    : /^https:\/\/(login\.microsoftonline\.com|sts\.windows\.net)\//.test(issuer);
  if (isKnown) return issuer;
  return fail(400, "validation_failed", `Detected ID token issuer is not an ${name} ID token issuer`);
}

/** The identities below /user can be linked and unlinked if the project allows it. */
export function requireManualLinking({ settings }: Service): void {
  if (!settings.allowManualLinking) fail(404, "manual_linking_disabled", "Manual linking is disabled");
}

/** DELETE /user/identities/:identity. */
export async function unlinkIdentity(service: Service, call: Call): Promise<Json> {
  const { user } = await requireCaller(service, call), id = call.path.identity;
  if (!isUuid(id)) fail(404, "validation_failed", "identity_id must be an UUID");
  const identities = await service.sql<{ id: string }[]>`select id from identities where user_id = ${user.id}`;
  if (identities.length <= 1) {
    fail(422, "single_identity_not_deletable", "User must have at least 1 identity after unlinking");
  }
  if (!identities.some((identity) => identity.id === id)) fail(422, "identity_not_found", "Identity doesn't exist");
  return failMissing("more than one identity of a user");
}
