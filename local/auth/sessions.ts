// Sessions: start at sign-in, continue by rotating refresh tokens, end at sign-out.
import { randomInt } from "node:crypto";
import { requireCaller } from "./caller.ts";
import { AuthError, fail } from "./errors.ts";
import type { Call, Json, Service, Sql } from "./service.ts";
import { findById, isBanned, reload, type User, userView } from "./users.ts";

interface Session extends Json {
  access_token: string;
  token_type: "bearer";
  expires_in: number;
  expires_at: number;
  refresh_token: string;
  user: Json;
}

const NO_INSTANCE = "00000000-0000-0000-0000-000000000000";
const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
const newToken = () => Array.from({ length: 12 }, () => LETTERS[randomInt(LETTERS.length)]).join("");

/** Signs the user in. `method` is the authentication method in `amr`. */
export async function startSession(service: Service, sql: Sql, user: User, method: string): Promise<Session> {
  const id = crypto.randomUUID();
  await sql`insert into sessions (id, user_id, created_at, updated_at, aal) values (${id}, ${user.id}, now(), now(), 'aal1')`;
  await sql`insert into mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
            values (gen_random_uuid(), ${id}, now(), now(), ${method})`;
  await sql`update users set last_sign_in_at = now(), updated_at = now() where id = ${user.id}`;
  return await sessionReply(service, sql, user, id, await storeRefreshToken(sql, user, id));
}

async function storeRefreshToken(sql: Sql, user: User, session: string, parent: string | null = null): Promise<string> {
  const token = newToken();
  await sql`insert into refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
            values (${NO_INSTANCE}, ${token}, ${user.id}, false, now(), now(), ${parent}, ${session})`;
  return token;
}

async function sessionReply(service: Service, sql: Sql, signedIn: User, session: string, refreshToken: string) {
  const user = await reload(sql, signedIn);
  const lifetime = service.settings.jwtExpirySeconds, now = Math.floor(Date.now() / 1000);
  const amr = await sql<{ method: string; timestamp: number }[]>`
    select authentication_method as method, floor(extract(epoch from updated_at))::int as timestamp
    from mfa_amr_claims where session_id = ${session} order by updated_at desc`;
  const accessToken = await service.tokens.sign({
    iss: service.settings.jwtIssuer ?? service.url,
    sub: user.id,
    aud: user.aud,
    exp: now + lifetime,
    iat: now,
    email: user.email ?? "",
    phone: user.phone ?? "",
    app_metadata: user.raw_app_meta_data ?? {},
    user_metadata: user.raw_user_meta_data ?? {},
    role: user.role,
    aal: "aal1",
    amr: amr.map((entry) => ({ ...entry })),
    session_id: session,
    is_anonymous: user.is_anonymous,
  });
  return {
    access_token: accessToken,
    token_type: "bearer" as const,
    expires_in: lifetime,
    expires_at: now + lifetime,
    refresh_token: refreshToken,
    user: await userView(sql, user),
  };
}

interface RefreshToken {
  token: string;
  user_id: string;
  session_id: string;
  revoked: boolean;
  reusable: boolean;
}

/**
 * Exchanges a refresh token for a new one. A used token is valid only if its successor was never used (the client lost
 * the response) or is recent (two tabs at once). In all other cases it was copied, and the session ends. This error is returned,
 * not thrown, so that the transaction commits.
 */
export async function refreshSession(service: Service, sql: Sql, token: string): Promise<Session | AuthError> {
  if (!/^[a-z0-9]{12}$/.test(token)) fail(400, "validation_failed", "Refresh token is not valid");
  const { reuseIntervalSeconds, sessionSeconds, sessionInactivitySeconds } = service.settings;
  const [found] = await sql<{ id: string; is_over: boolean; is_inactive: boolean }[]>`
    select s.id, s.created_at + make_interval(secs => ${sessionSeconds}) < now() as is_over,
      coalesce(s.refreshed_at at time zone 'utc', s.created_at) + make_interval(secs => ${sessionInactivitySeconds})
        < now() as is_inactive
    from sessions s join refresh_tokens t on t.session_id = s.id where t.token = ${token} for update of s`;
  if (!found) fail(400, "refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found");
  const [current] = await sql<RefreshToken[]>`
    select *, updated_at > now() - make_interval(secs => ${reuseIntervalSeconds}) as reusable
    from refresh_tokens where token = ${token}`;
  const user = (await findById(sql, current.user_id))!;
  if (isBanned(user)) fail(400, "user_banned", "Invalid Refresh Token: User Banned");
  if (sessionSeconds && found.is_over) fail(400, "session_expired", "Invalid Refresh Token: Session Expired");
  if (sessionInactivitySeconds && found.is_inactive) {
    fail(400, "session_expired", "Invalid Refresh Token: Session Expired (Inactivity)");
  }
  await sql`update sessions set refreshed_at = now() at time zone 'utc', updated_at = now() where id = ${found.id}`;
  if (current.revoked) {
    const [active] = await sql<{ token: string; parent: string | null }[]>`
      select token, parent from refresh_tokens where session_id = ${found.id} and not revoked order by id desc limit 1`;
    if (active?.parent === token) return await sessionReply(service, sql, user, found.id, active.token);
    if (!current.reusable) {
      if (service.settings.endsReusedSessions) {
        await sql`update refresh_tokens set revoked = true, updated_at = now()
                  where session_id = ${found.id} and not revoked`;
      }
      return new AuthError(400, "refresh_token_already_used", "Invalid Refresh Token: Already Used");
    }
  }
  await sql`update refresh_tokens set revoked = true, updated_at = now() where token = ${token}`;
  return await sessionReply(service, sql, user, found.id, await storeRefreshToken(sql, user, found.id, token));
}

/** Ends this session, the others, or all. */
export async function logout(service: Service, call: Call): Promise<Response> {
  const { sql } = service;
  const { user, session } = await requireCaller(service, call);
  const scope = call.query.get("scope") || "global";
  if (!["global", "local", "others"].includes(scope)) {
    fail(400, "validation_failed", `Unsupported logout scope ${JSON.stringify(scope)}`);
  }
  const which = !session || scope === "global" // a token without a session ends all
    ? sql``
    : scope === "local"
    ? sql`and id = ${session.id}`
    : sql`and id <> ${session.id}`;
  await sql`delete from sessions where user_id = ${user.id} ${which}`;
  return new Response(null, { status: 204 });
}
