/** OAuth 2.0 with the calendar providers: the authorization code flow with PKCE (RFC 7636), refresh and revocation. */
import { z } from "zod";
import { env, requireVariable } from "../../runtime/env.ts";
import { parseResponse } from "../calendar.ts";
import { CalendarError } from "../calendar_error.ts";
import { requestJson } from "../providers/http.ts";

/** Providers of accounts. Calendars by URL have none. */
export type OAuthProvider = "google" | "microsoft";

interface ProviderRegistration {
  name: string;
  /** The prefix of the variables with its client. */
  variables: "GOOGLE" | "MICROSOFT";
  authorizeUrl: string;
  tokenUrl: string;
  revokeUrl?: string;
  /** Without them, calendars cannot be listed, read or written. */
  scopes: string[];
  /** Parameters that make the provider issue a refresh token. */
  authorizeParams: Record<string, string>;
  /** Whether users can decline single scopes, and the response lists those that were granted. */
  hasGranularConsent: boolean;
}

const GOOGLE_SCOPE = "https://www.googleapis.com/auth/";

const registrations: Record<OAuthProvider, ProviderRegistration> = {
  google: {
    name: "Google",
    variables: "GOOGLE",
    authorizeUrl: `${env.GOOGLE_ACCOUNTS_URL}/o/oauth2/v2/auth`,
    tokenUrl: `${env.GOOGLE_OAUTH_URL}/token`,
    revokeUrl: `${env.GOOGLE_OAUTH_URL}/revoke`,
    scopes: ["calendar.calendarlist.readonly", "calendar.freebusy", "calendar.events"].map((scope) =>
      GOOGLE_SCOPE + scope
    ),
    // Google issues a refresh token with the first consent only, unless it asks again
    authorizeParams: { access_type: "offline", prompt: "consent" },
    hasGranularConsent: true,
  },
  microsoft: {
    name: "Microsoft",
    variables: "MICROSOFT",
    authorizeUrl: `${env.MICROSOFT_LOGIN_URL}/common/oauth2/v2.0/authorize`,
    tokenUrl: `${env.MICROSOFT_LOGIN_URL}/common/oauth2/v2.0/token`,
    scopes: ["offline_access", "User.Read", "Calendars.ReadWrite", "MailboxSettings.Read"],
    authorizeParams: { response_mode: "query", prompt: "select_account" },
    hasGranularConsent: false,
  },
};

/** The providers whose variables are set. */
export const configuredProviders = (Object.keys(registrations) as OAuthProvider[])
  .filter((provider) => {
    const { variables } = registrations[provider];
    return env[`${variables}_CLIENT_ID`] && env[`${variables}_CLIENT_SECRET`];
  });

export const providerName = (provider: OAuthProvider) => registrations[provider].name;

interface Client extends ProviderRegistration {
  clientId: string;
  clientSecret: string;
}

/** The registration of this service at a provider; 500 names a variable that is not set. */
export function requireClient(provider: OAuthProvider): Client {
  const registration = registrations[provider], { variables, name } = registration;
  const effect = `${name} calendars cannot be connected`;
  return {
    ...registration,
    clientId: requireVariable(`${variables}_CLIENT_ID`, effect),
    clientSecret: requireVariable(`${variables}_CLIENT_SECRET`, effect),
  };
}

interface AuthorizationRequest {
  state: string;
  codeChallenge: string;
  redirectUri: string;
}

/** The provider's page on which the user grants access. */
export function authorizationUrl(provider: OAuthProvider, request: AuthorizationRequest): string {
  const { authorizeUrl, clientId, scopes, authorizeParams } = requireClient(provider);
  const url = new URL(authorizeUrl);
  url.search = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: request.redirectUri,
    scope: scopes.join(" "),
    state: request.state,
    code_challenge: request.codeChallenge,
    code_challenge_method: "S256",
    ...authorizeParams,
  }).toString();
  return url.href;
}

const TokenResponse = z.object({
  access_token: z.string().min(1).max(16_384),
  refresh_token: z.string().min(1).max(16_384).optional(),
  expires_in: z.coerce.number().positive().max(10 ** 7).transform(Math.floor),
  scope: z.string().optional(),
}).transform(({ access_token, refresh_token, expires_in, scope }) => ({
  // A refresh returns no refresh token if the earlier one stays valid
  tokens: { accessToken: access_token, refreshToken: refresh_token, expiresInSeconds: expires_in },
  scope,
}));

type TokenResult = z.output<typeof TokenResponse>;

/** Codes of errors that the same request will always meet. https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
const REVOKED_CODES = ["invalid_grant", "interaction_required", "consent_required"];

async function requestTokens(provider: OAuthProvider, grant: Record<string, string>): Promise<TokenResult> {
  const { name, tokenUrl, clientId, clientSecret } = requireClient(provider);
  const { status, body } = await requestJson({
    provider: name,
    url: tokenUrl,
    body: new URLSearchParams({ ...grant, client_id: clientId, client_secret: clientSecret }),
    handledStatuses: [400, 401],
  });
  if (status >= 400) {
    const code = (body as { error?: unknown } | undefined)?.error;
    if (REVOKED_CODES.includes(String(code))) {
      throw new CalendarError("revoked", `${name} no longer grants access; connect the account again`, { status });
    }
    // such as invalid_client: the operator's to fix, and no reason to forget the connection
    const cause = new Error(`${name} rejected the token request: ${status} ${/^\w{1,60}$/.exec(String(code)) ?? ""}`);
    throw new CalendarError("unavailable", `${name} rejected the request of this service`, { status, cause });
  }
  return parseResponse(name, TokenResponse, body);
}

/** Exchanges the code of an authorization. A `revoked` error means that the code is invalid. */
export async function exchangeCode(
  provider: OAuthProvider,
  { code, verifier, redirectUri }: { code: string; verifier: string; redirectUri: string },
): Promise<TokenResult["tokens"]> {
  const { name, scopes, hasGranularConsent } = requireClient(provider);
  const { tokens, scope } = await requestTokens(provider, {
    grant_type: "authorization_code",
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  });
  const granted = scope?.split(" ") ?? [];
  if (hasGranularConsent && !scopes.every((scope) => granted.includes(scope))) {
    throw new CalendarError("forbidden", `Allow ${name} to share all that is asked for; then connect again`);
  }
  if (!tokens.refreshToken) throw new CalendarError("malformed", `${name} granted no lasting access`);
  return tokens;
}

export async function refreshTokens(provider: OAuthProvider, refreshToken: string): Promise<TokenResult["tokens"]> {
  return (await requestTokens(provider, { grant_type: "refresh_token", refresh_token: refreshToken })).tokens;
}

/** Ends the provider's grant to this service. Microsoft has no such request: its users remove apps themselves. */
export async function revokeGrant(provider: OAuthProvider, refreshToken: string): Promise<void> {
  const { name, revokeUrl } = registrations[provider];
  if (!revokeUrl) return;
  await requestJson({
    provider: name,
    url: revokeUrl,
    body: new URLSearchParams({ token: refreshToken }),
    handledStatuses: [400], // it was revoked before
    timeoutMs: 5000,
  });
}
