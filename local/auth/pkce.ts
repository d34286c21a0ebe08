// PKCE: a link ends in a code, which only the browser that asked for the link can exchange for a session.
import { createHash } from "node:crypto";
import { refuse } from "./errors.ts";
import { type Json, type Sql, text } from "./service.ts";
import type { User } from "./users.ts";

/** How the user came, as `amr` names it. */
export type Method = "email/signup" | "magiclink" | "recovery" | "invite" | "email_change";

/** Marks the hash of a code whose link ends in PKCE. */
export const PREFIX = "pkce_";
const EXPIRY_SECONDS = 300;

interface Flow {
  user_id: string;
  code_challenge: string;
  code_challenge_method: string;
  authentication_method: Method;
  expired: boolean;
}

/** The challenge of a request, or "" when it is not PKCE. */
export function challenge(body: Json): string {
  const value = text(body, "code_challenge"), method = text(body, "code_challenge_method");
  if (!value !== !method) {
    refuse(400, "validation_failed", "PKCE flow requires code_challenge_method and code_challenge");
  }
  if (!value) return "";
  if (value.length < 43 || value.length > 128) {
    refuse(400, "validation_failed", "code challenge has to be between 43 and 128 characters");
  }
  if (!/^[\w.~-]+$/.test(value)) {
    const allowed = "alphanumeric characters, hyphens, periods, underscores and tildes";
    refuse(400, "validation_failed", `code challenge can only contain ${allowed}`);
  }
  return value;
}

/** Remembers the challenge, if there is one, until the link is followed. */
export async function startFlow(sql: Sql, user: User, method: Method, body: Json): Promise<void> {
  const value = challenge(body);
  if (!value) return;
  const how = text(body, "code_challenge_method").toLowerCase();
  if (how !== "s256" && how !== "plain") refuse(400, "validation_failed", "code challenge method not supported");
  await sql`insert into flow_state (id, user_id, auth_code, code_challenge_method, code_challenge, provider_type,
              authentication_method, created_at, updated_at)
            values (gen_random_uuid(), ${user.id}, ${crypto.randomUUID()}, ${how}, ${value}, 'email', ${method}, now(), now())`;
}

/** The code that the followed link hands over. */
export async function issueAuthCode(sql: Sql, user: User, method: Method): Promise<string> {
  const [flow] = await sql`
    update flow_state set auth_code_issued_at = now(), updated_at = now()
    where id = (select id from flow_state where user_id = ${user.id} and authentication_method = ${method}
                order by created_at desc limit 1)
    returning auth_code`;
  return flow?.auth_code ?? refuse(422, "flow_state_not_found", "No valid flow state found for user.");
}

/** Uses up the code: whose it is and how they came. */
export async function exchangeCode(sql: Sql, code: string, verifier: string): Promise<Flow> {
  if (!code || !verifier) {
    refuse(400, "validation_failed", "invalid request: both auth code and code verifier should be non-empty");
  }
  const [flow] = await sql<Flow[]>`
    select *, now() - make_interval(secs => ${EXPIRY_SECONDS}) >
      case authentication_method when 'magiclink' then auth_code_issued_at else created_at end as expired
    from flow_state where auth_code = ${code} for update`;
  if (!flow) refuse(404, "flow_state_not_found", "invalid flow state, no valid flow state found");
  if (flow.expired) refuse(422, "flow_state_expired", "invalid flow state, flow state has expired");
  const given = flow.code_challenge_method === "plain"
    ? verifier
    : createHash("sha256").update(verifier).digest("base64url");
  if (given !== flow.code_challenge) {
    refuse(400, "bad_code_verifier", "code challenge does not match previously saved code verifier");
  }
  await sql`delete from flow_state where auth_code = ${code}`;
  return flow;
}
