// The routes of the service, and the checks that come before them.
import { getUser, updateUser } from "./account.ts";
import { adminCreateUser, adminDeleteUser, adminGetUser, adminUpdateUser, requireUser } from "./admin.ts";
import { requireAdmin, requireCaller, requirePermanentCaller } from "./caller.ts";
import { requireCaptcha } from "./captcha.ts";
import { fail } from "./errors.ts";
import { getSettings, health, jwks, openIdConfiguration } from "./info.ts";
import { generateLink, invite } from "./links.ts";
import { disabled, enrollFactor, failFactor, missing } from "./missing.ts";
import { magicLink, otp, recover, resend } from "./otp.ts";
import {
  authorize,
  failCustomProvider,
  failSsoProvider,
  oauthCallback,
  requireManualLinking,
  unlinkIdentity,
} from "./providers.ts";
import { reauthenticate } from "./reauthenticate.ts";
import type { Call, Route, Service } from "./service.ts";
import { logout } from "./sessions.ts";
import { signUp } from "./sign_up.ts";
import { token } from "./token.ts";
import { listUsers } from "./user_list.ts";
import { verifyCode, verifyLink } from "./verify.ts";

const after = (check: Check, route: Route): Route => async (service, call) => {
  await check(service, call);
  return await route(service, call);
};

/** Their callers have proved who they are. An unknown grant is not among them, as in the service. */
const GRANTS_WITHOUT_CAPTCHA = ["refresh_token", "pkce", "id_token"];

/** `:name` is one segment, and a final slash may be absent. */
const ROUTES: Record<string, Route> = {
  "GET /health": health,
  "GET /settings": getSettings,
  "GET /.well-known/jwks.json": jwks,
  "GET /.well-known/openid-configuration": openIdConfiguration,
  "GET /.well-known/oauth-authorization-server": disabled("oauthServer"),

  "POST /signup/": signUp,
  "POST /token": (service, call) =>
    (GRANTS_WITHOUT_CAPTCHA.includes(call.query.get("grant_type") ?? "") ? token : after(requireCaptcha, token))(
      service,
      call,
    ),
  "POST /otp": after(requireCaptcha, otp),
  "POST /magiclink": after(requireCaptcha, magicLink),
  "POST /recover": after(requireCaptcha, recover),
  "POST /resend": after(requireCaptcha, resend),
  "POST /verify/": verifyCode,
  "GET /verify/": verifyLink,

  "GET /user/": getUser,
  "PUT /user/": updateUser,
  "GET /reauthenticate/": reauthenticate,
  "POST /logout": logout,
  "GET /user/identities/authorize": authorize,
  "DELETE /user/identities/:identity": unlinkIdentity,
  "GET /authorize": authorize,

  "POST /factors/": enrollFactor,
  "POST /invite": after(requireAdmin, invite),
  "POST /admin/generate_link": generateLink,
  "GET /admin/users/": listUsers,
  "POST /admin/users/": adminCreateUser,
  "GET /admin/users/:user/": adminGetUser,
  "PUT /admin/users/:user/": adminUpdateUser,
  "DELETE /admin/users/:user/": adminDeleteUser,
  "GET /admin/users/:user/factors/": () => Response.json([]),
  "GET /admin/users/:user/passkeys/": () => Response.json([]),
  "DELETE /admin/users/:user/passkeys/:passkey/": () => fail(404, "validation_failed", "Passkey not found"),
  "GET /admin/sso/providers/": () => ({ items: [] }),
  "POST /admin/sso/providers/": missing("SSO providers"),
  "GET /admin/custom-providers/": () => ({ providers: [] }),
  "POST /admin/custom-providers/": missing("custom OAuth providers"),
  "GET /admin/custom-providers/:identifier/": failCustomProvider,
  "PUT /admin/custom-providers/:identifier/": failCustomProvider,
  "DELETE /admin/custom-providers/:identifier/": failCustomProvider,
  "GET /admin/audit/": missing("the audit log"),
};

/** A check rejects by throwing or with a response. */
type Check = (service: Service, call: Call) => unknown;

/** Each check covers its path and, with a final `*`, all below, known or not, before the next one and the route. */
const CHECKS: [path: string, check: Check][] = [
  ["/callback*", oauthCallback],
  ["/signup*", requireCaptcha],
  ["/user*", requireCaller],
  ["/user/identities*", requireManualLinking],
  ["/user/oauth/grants*", disabled("oauthServer")],
  ["/reauthenticate*", requireCaller],
  ["/factors*", requirePermanentCaller],
  ["/factors/:factor*", failFactor],
  ["/passkeys*", disabled("passkeys")],
  ["/sso*", disabled("saml")],
  ["/scim/v2*", disabled("scim")],
  ["/oauth*", disabled("oauthServer")],
  ["/admin*", requireAdmin],
  ["/admin/users/:user*", requireUser],
  ["/admin/users/:user/factors/:factor*", failFactor],
  ["/admin/oauth*", disabled("oauthServer")],
  ["/admin/sso/providers/:provider*", failSsoProvider],
];

function pattern(path: string): RegExp {
  const source = path.replaceAll(".", "\\.").replace(/\*$/, "(?:/.*)?").replace(/\/$/, "/?");
  return new RegExp(`^${source.replace(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
}

const PATTERNS = Object.entries(ROUTES).map(([name, route]) => {
  const [method, path] = name.split(" ");
  return { method, pattern: pattern(path), route };
});
const CHECK_PATTERNS = CHECKS.map(([path, check]) => ({ pattern: pattern(path), check }));

/** The route of a request. Paths without one get 404, their other methods 405, as the service's router responds. */
function findRoute(method: string, path: string): { route: Route; path: Record<string, string> } {
  const matches = PATTERNS.flatMap((candidate) => {
    const match = candidate.pattern.exec(path);
    return match ? [{ ...candidate, path: { ...match.groups } }] : [];
  });
  const found = matches.find((match) => match.method === method);
  if (found) return found;
  const allow = matches.map((match) => match.method).join(", ");
  return { route: allow ? methodNotAllowed(allow) : notFound, path: {} };
}

const notFound: Route = () =>
  new Response("404 page not found\n", { status: 404, headers: { "x-content-type-options": "nosniff" } });
const methodNotAllowed = (allow: string): Route => () => new Response(null, { status: 405, headers: { allow } });

/** Runs the checks of a path and its route. */
export async function respond(
  service: Service,
  call: Omit<Call, "path">,
  path: string,
): Promise<Awaited<ReturnType<Route>>> {
  const { route, path: parameters } = findRoute(call.request.method, path);
  const complete: Call = Object.assign(call, { path: parameters }); // which keeps the getter of the body
  for (const { pattern, check } of CHECK_PATTERNS) {
    const match = pattern.exec(path);
    Object.assign(complete.path, match?.groups);
    const rejection = match && await check(service, complete);
    if (rejection instanceof Response) return rejection;
  }
  return await route(service, complete);
}
