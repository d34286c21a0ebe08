// The routes of the service, with the checks that come before each.
import { getUser, updateUser } from "./account.ts";
import { adminCreateUser, adminDeleteUser, adminGetUser, adminUpdateUser, listUsers, withUser } from "./admin.ts";
import { requireCaptcha } from "./captcha.ts";
import { fail } from "./errors.ts";
import { getSettings, health, jwks } from "./info.ts";
import { generateLink, invite } from "./links.ts";
import { disabled, disabledForUser, enrollFactor, failFactor, missing, useFactor } from "./missing.ts";
import { otp, recover, resend } from "./otp.ts";
import { authorize, linkIdentity, oauthCallback, unlinkIdentity } from "./providers.ts";
import { reauthenticate } from "./reauthenticate.ts";
import type { Route } from "./service.ts";
import { logout } from "./sessions.ts";
import { signUp } from "./sign_up.ts";
import { token } from "./token.ts";
import { verifyCode, verifyLink } from "./verify.ts";

const captcha = (route: Route): Route => async (service, call) => {
  await requireCaptcha(service, call);
  return await route(service, call);
};

/** Their callers have proved who they are. An unknown grant is not among them, as in the service. */
const GRANTS_WITHOUT_CAPTCHA = ["refresh_token", "pkce", "id_token"];

const admin = (route: Route): Route => (service, call) =>
  call.isAdmin ? route(service, call) : fail(403, "not_admin", "User not allowed");

/** `:name` is one segment; a final `*` adds every path below. */
const ROUTES: Record<string, Route> = {
  "GET /health": health,
  "GET /settings": getSettings,
  "GET /.well-known/jwks.json": jwks,
  "GET /.well-known/oauth-authorization-server": disabled("oauthServer"),

  "POST /signup": captcha(signUp),
  "POST /token": (service, call) =>
    (GRANTS_WITHOUT_CAPTCHA.includes(call.query.get("grant_type") ?? "") ? token : captcha(token))(service, call),
  "POST /otp": captcha(otp),
  "POST /magiclink": captcha(otp),
  "POST /recover": captcha(recover),
  "POST /resend": captcha(resend),
  "POST /verify": verifyCode,
  "GET /verify": verifyLink,

  "GET /user": getUser,
  "PUT /user": updateUser,
  "GET /reauthenticate": reauthenticate,
  "POST /logout": logout,
  "GET /user/identities/authorize": linkIdentity,
  "DELETE /user/identities/:identity": unlinkIdentity,
  "GET /authorize": authorize,
  "GET /callback": oauthCallback,
  "POST /callback": oauthCallback,

  "POST /factors": enrollFactor,
  "POST /factors/:factor/challenge": useFactor,
  "POST /factors/:factor/verify": useFactor,
  "DELETE /factors/:factor": useFactor,
  "* /passkeys*": disabled("passkeys"),
  "* /sso*": disabled("saml"),
  "* /scim/v2*": disabled("scim"),
  "* /user/oauth/grants": disabledForUser("oauthServer"),
  "* /oauth*": disabled("oauthServer"),

  "POST /invite": admin(invite),
  "POST /admin/generate_link": admin(generateLink),
  "GET /admin/users": admin(listUsers),
  "POST /admin/users": admin(adminCreateUser),
  "GET /admin/users/:user": admin(adminGetUser),
  "PUT /admin/users/:user": admin(adminUpdateUser),
  "DELETE /admin/users/:user": admin(adminDeleteUser),
  "GET /admin/users/:user/factors": admin(withUser(() => Response.json([]))),
  "PUT /admin/users/:user/factors/:factor": admin(withUser(failFactor)),
  "DELETE /admin/users/:user/factors/:factor": admin(withUser(failFactor)),
  "GET /admin/users/:user/passkeys": admin(withUser(() => Response.json([]))),
  "DELETE /admin/users/:user/passkeys/:passkey": admin(
    withUser(() => fail(404, "validation_failed", "Passkey not found")),
  ),
  "GET /admin/sso/providers": admin(() => ({ items: [] })),
  "* /admin/sso*": admin(missing("SSO providers")),
  "* /admin/audit": admin(missing("the audit log")),
  "* /admin/oauth*": admin(disabled("oauthServer")),
  "* /admin/custom-providers*": admin(disabled("customProviders")),
};

const PATTERNS = Object.entries(ROUTES).map(([name, route]) => {
  const [method, path] = name.split(" ");
  const source = path.replaceAll(".", "\\.").replace(/\*$/, "(?:/.*)?").replace(/:(\w+)/g, "(?<$1>[^/]+)");
  return { method, pattern: new RegExp(`^${source}$`), route };
});

/** The route of a request and the parameters of its path. */
export function findRoute(method: string, path: string): { route: Route; path: Record<string, string> } | undefined {
  for (const candidate of PATTERNS) {
    const match = (candidate.method === "*" || candidate.method === method) && candidate.pattern.exec(path);
    if (match) return { route: candidate.route, path: { ...match.groups } };
  }
}
