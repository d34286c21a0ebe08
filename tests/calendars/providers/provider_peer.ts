// What the peers of calendar providers have in common: accounts, OAuth 2.0 with PKCE (RFC 6749, 7636), and faults.
import { createHash } from "node:crypto";
import { cutOff, startHttpServer } from "../../http_server.ts";

export const CLIENT_ID = "client-of-the-peer";
export const CLIENT_SECRET = "secret-of-the-peer";
/** Longer than the backoff of queues and calendars in their tests. */
export const RETRY_AFTER_SECONDS = 100;

/** What the peer does with a request instead of responding normally. */
export type Fault =
  | "unauthorized"
  | "forbidden"
  /** Google's rate limit: a 403. */
  | "rate_limited_403"
  | "not_found"
  | "gone"
  | "conflict"
  /** 412, though the event may not have changed. */
  | "precondition_failed"
  | "bad_request"
  /** 429 with RETRY_AFTER_SECONDS. */
  | "rate_limited"
  | "server_error"
  | "request_timeout"
  | "redirect"
  /** Never responds. */
  | "slow"
  | "truncated"
  | "malformed"
  /** JSON of another form. */
  | "wrong_shape"
  | "huge"
  /** The request is executed, and the connection is lost. */
  | "lost_after";

export interface PeerCalendar {
  id: string;
  name: string;
  isPrimary?: boolean;
  isWritable?: boolean;
  /** Microsoft's; "busy" by default. */
  busy: { start: Date; end: Date; isAllDay?: boolean; showAs?: string; isCancelled?: boolean }[];
  /** Of Google's free/busy: the reason with which this calendar alone cannot be read. */
  error?: string;
  /** Events by id, for the routes of another file. */
  // deno-lint-ignore no-explicit-any -- each provider has its own form
  events: Map<string, any>;
}

export interface PeerAccount {
  id: string;
  address: string;
  calendars: Map<string, PeerCalendar>;
  /** Of the mailbox, as Outlook names it; undefined: not granted. */
  timeZone?: string;
}

export interface PeerRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  text: string;
  /** Of the response, once there is one. */
  status?: number;
}

/** A request with a valid access token. */
export interface AuthorizedRequest extends PeerRequest {
  account: PeerAccount;
}

/** Responds to a request, or leaves it to the next handler. */
export type Route = (request: AuthorizedRequest) => Response | undefined | Promise<Response | undefined>;

interface Options {
  paths: { authorize: string; token: string; revoke?: string };
  /** Each refresh returns a new refresh token, which ends the earlier one. */
  rotatesRefreshTokens?: boolean;
  error(status: number, reason: string): Response;
  routes: Route[];
}

const FAULT_STATUSES: Partial<Record<Fault, [status: number, reason: string]>> = {
  unauthorized: [401, "authError"],
  forbidden: [403, "forbidden"],
  rate_limited_403: [403, "rateLimitExceeded"],
  not_found: [404, "notFound"],
  gone: [410, "deleted"],
  bad_request: [400, "invalid"],
  conflict: [409, "duplicate"],
  precondition_failed: [412, "conditionNotMet"],
  server_error: [500, "backendError"],
  request_timeout: [408, "requestTimeout"],
};

export const sha256 = (text: string) => createHash("sha256").update(text).digest("base64url");

export function startProviderPeer({ paths, rotatesRefreshTokens, error, routes }: Options) {
  const accounts = new Map<string, PeerAccount>(), requests: PeerRequest[] = [];
  const codes = new Map<string, { account: PeerAccount; redirectUri: string; challenge: string; scope: string }>();
  const accessTokens = new Map<string, { account: PeerAccount; isExpired: boolean }>();
  const refreshTokens = new Map<string, { account: PeerAccount; scope: string; isRevoked: boolean }>();
  const clientSecrets = new Set([CLIENT_SECRET]);
  const counts = { exchanges: 0, refreshes: 0, revocations: 0 };
  /** Further routes, before the peer's own. */
  const extraRoutes: Route[] = [];
  const state = {
    signedInAs: "",
    denial: "",
    /** If the user grants less than what is asked for. */
    grantedScope: undefined as string | undefined,
    rotatesRefreshTokens,
    /** Of lists; smaller than the providers'. */
    pageSize: 2,
  };
  let chooseFault: (request: PeerRequest) => Fault | undefined = () => undefined;
  let beforeToken: (grant: string) => Promise<void> | void = () => {};

  const newToken = (kind: string) => `${kind}-${crypto.randomUUID()}`;
  const oauthError = (code: string, status = 400) =>
    Response.json({ error: code, error_description: `The peer says ${code}` }, { status });

  /** The user grants or denies access on the provider's page. */
  function authorize(query: URLSearchParams): Response {
    const redirectUri = query.get("redirect_uri") ?? "", account = accounts.get(state.signedInAs);
    if (query.get("client_id") !== CLIENT_ID || !account) return oauthError("invalid_request");
    if (query.get("response_type") !== "code" || query.get("code_challenge_method") !== "S256") {
      return oauthError("invalid_request");
    }
    const target = new URL(redirectUri), scope = state.grantedScope ?? query.get("scope") ?? "";
    target.searchParams.set("state", query.get("state") ?? "");
    if (state.denial) {
      target.searchParams.set("error", state.denial);
      target.searchParams.set("error_description", "The user said no");
    } else {
      const code = newToken("4/code");
      codes.set(code, { account, redirectUri, challenge: query.get("code_challenge") ?? "", scope });
      target.searchParams.set("code", code);
      target.searchParams.set("scope", scope);
    }
    return new Response(null, { status: 302, headers: { location: target.href } });
  }

  function issue(account: PeerAccount, scope: string, refreshToken?: string): Response {
    const accessToken = newToken("access");
    accessTokens.set(accessToken, { account, isExpired: false });
    return Response.json({
      token_type: "Bearer",
      access_token: accessToken,
      expires_in: 3599,
      scope,
      ...refreshToken && { refresh_token: refreshToken },
    });
  }

  function addRefreshToken(account: PeerAccount, scope: string): string {
    const token = newToken("refresh");
    refreshTokens.set(token, { account, scope, isRevoked: false });
    return token;
  }

  function exchange(form: URLSearchParams): Response {
    counts.exchanges++;
    const code = form.get("code") ?? "", found = codes.get(code);
    codes.delete(code);
    if (!found || found.redirectUri !== form.get("redirect_uri")) return oauthError("invalid_grant");
    if (sha256(form.get("code_verifier") ?? "") !== found.challenge) return oauthError("invalid_grant");
    return issue(found.account, found.scope, addRefreshToken(found.account, found.scope));
  }

  function refresh(form: URLSearchParams): Response {
    counts.refreshes++;
    const token = form.get("refresh_token") ?? "", found = refreshTokens.get(token);
    if (!found || found.isRevoked) return oauthError("invalid_grant");
    if (!state.rotatesRefreshTokens) return issue(found.account, found.scope);
    refreshTokens.delete(token);
    return issue(found.account, found.scope, addRefreshToken(found.account, found.scope));
  }

  async function issueToken(text: string): Promise<Response> {
    const form = new URLSearchParams(text), grant = form.get("grant_type") ?? "";
    await beforeToken(grant);
    if (form.get("client_id") !== CLIENT_ID || !clientSecrets.has(form.get("client_secret") ?? "")) {
      return oauthError("invalid_client", 401);
    }
    if (grant === "authorization_code") return exchange(form);
    return grant === "refresh_token" ? refresh(form) : oauthError("unsupported_grant_type");
  }

  function revokeAccount(address: string) {
    for (const token of refreshTokens.values()) if (token.account.address === address) token.isRevoked = true;
    for (const token of accessTokens.values()) if (token.account.address === address) token.isExpired = true;
  }

  function revoke(text: string): Response {
    counts.revocations++;
    const found = refreshTokens.get(new URLSearchParams(text).get("token") ?? "");
    if (!found || found.isRevoked) return oauthError("invalid_token");
    revokeAccount(found.account.address);
    return Response.json({});
  }

  async function run(request: PeerRequest): Promise<Response> {
    const { method, path, text, headers } = request;
    if (method === "GET" && path === paths.authorize) return authorize(request.query);
    if (method === "POST" && path === paths.token) return await issueToken(text);
    if (method === "POST" && path === paths.revoke) return revoke(text);
    const token = accessTokens.get(headers.get("authorization")?.replace(/^Bearer /, "") ?? "");
    if (!token || token.isExpired) return error(401, "authError");
    for (const route of [...extraRoutes, ...routes]) {
      const response = await route({ ...request, account: token.account });
      if (response) return response;
    }
    return error(404, "notFound");
  }

  async function misbehave(fault: Fault, request: PeerRequest): Promise<Response> {
    const [status, reason] = FAULT_STATUSES[fault] ?? [];
    if (status) return error(status, reason!);
    switch (fault) {
      case "rate_limited": {
        const response = error(429, "rateLimitExceeded");
        response.headers.set("retry-after", String(RETRY_AFTER_SECONDS));
        return response;
      }
      case "redirect":
        return new Response(null, { status: 302, headers: { location: "http://169.254.169.254/" } });
      case "slow":
        return await new Promise<Response>(() => {});
      case "truncated":
        return cutOff();
      case "malformed":
        return new Response('{"items": [', { headers: { "content-type": "application/json" } });
      case "wrong_shape":
        return Response.json({ items: 7, value: "none", calendars: [], access_token: 1 });
      case "huge":
        return new Response(`{"items": [${"0,".repeat(2_000_000)}0]}`);
    }
    await run(request); // lost_after
    return cutOff();
  }

  const server = startHttpServer(async (http) => {
    const { pathname: path, searchParams: query } = new URL(http.url);
    const request: PeerRequest = { method: http.method, path, query, headers: http.headers, text: await http.text() };
    requests.push(request);
    const fault = chooseFault(request);
    const response = fault ? await misbehave(fault, request) : await run(request);
    request.status = response.status;
    return response;
  });

  return {
    url: server.url,
    accounts,
    /** Every request, in order. */
    requests,
    accessTokens,
    refreshTokens,
    /** The secrets of the client that it accepts. */
    clientSecrets,
    counts,
    extraRoutes,
    state,
    /** Chooses what happens to each request. */
    setFault: (choose: typeof chooseFault) => void (chooseFault = choose),
    /** Runs before each response of the token endpoint, with the type of the grant. */
    onToken: (run: typeof beforeToken) => void (beforeToken = run),
    addAccount(address: string, calendars: Partial<PeerCalendar>[] = [{}]): PeerAccount {
      const account: PeerAccount = { id: `id-of-${address}`, address, calendars: new Map() };
      for (const [i, calendar] of calendars.entries()) {
        const isPrimary = i === 0;
        const id = isPrimary ? address : `${i}-${address}`;
        const made = {
          id,
          name: `Calendar ${i}`,
          isPrimary,
          isWritable: true,
          busy: [],
          events: new Map(),
          ...calendar,
        };
        account.calendars.set(made.id, made);
      }
      accounts.set(address, account);
      return account;
    },
    /** The user opens the URL, signs in with the address and grants access, or denies it. Where the browser is sent. */
    async consent(authorizeUrl: string, address: string, denial = ""): Promise<URL> {
      Object.assign(state, { signedInAs: address, denial });
      const response = await fetch(authorizeUrl, { redirect: "manual" });
      const text = await response.text();
      if (response.status !== 302) throw new Error(`the peer rejects the authorization: ${text}`);
      return new URL(response.headers.get("location")!);
    },
    /** Tokens as after a finished authorization. */
    issueTokens(address: string) {
      const account = accounts.get(address)!, accessToken = newToken("access");
      accessTokens.set(accessToken, { account, isExpired: false });
      return { accessToken, refreshToken: addRefreshToken(account, "") };
    },
    /** All access tokens get 401 from now on; refresh tokens stay valid. */
    expireTokens() {
      for (const token of accessTokens.values()) token.isExpired = true;
    },
    /** The user removes the app at the provider. */
    revokeAccount,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

export type ProviderPeer = ReturnType<typeof startProviderPeer>;
