// PKCE: a link returns a code that only the browser which requested the link can exchange for a session.
import { createHash } from "node:crypto";
import { fail } from "./errors.ts";
import type { Challenge } from "./params.ts";
import type { Sql } from "./service.ts";
import type { User } from "./users.ts";

/** The authentication method, as in `amr`. */
export type Method = "email/signup" | "magiclink" | "recovery" | "invite" | "email_change";

/** Marks the hash of a code of a PKCE flow. */
export const PREFIX = "pkce_";
const EXPIRY_SECONDS = 300;

interface Flow {
  user_id: string;
  code_challenge: string;
  code_challenge_method: string;
  authentication_method: Method;
  expired: boolean;
}

/** Rejects a challenge that is incomplete or malformed. */
export function requireChallenge({ code_challenge: value, code_challenge_method: method }: Challenge): void {
  if (!value !== !method) {
    fail(400, "validation_failed", "PKCE flow requires code_challenge_method and code_challenge");
  }
  if (!value) return;
  if (value.length < 43 || value.length > 128) {
    fail(400, "validation_failed", "code challenge has to be between 43 and 128 characters");
  }
  if (!/^[\w.~-]+$/.test(value)) {
    const allowed = "alphanumeric characters, hyphens, periods, underscores and tildes";
    fail(400, "validation_failed", `code challenge can only contain ${allowed}`);
  }
}

/** Stores the challenge, if any, until the user follows the link. An unknown method is the service's 500. */
export async function startFlow(sql: Sql, user: User, method: Method, challenge: Challenge): Promise<void> {
  const { code_challenge: value, code_challenge_method } = challenge;
  if (!value) return;
  const how = code_challenge_method.toLowerCase();
  if (how !== "s256" && how !== "plain") throw new Error(`unsupported code_challenge method "${how}"`);
  await sql`insert into flow_state (id, user_id, auth_code, code_challenge_method, code_challenge, provider_type,
              authentication_method, created_at, updated_at)
            values (gen_random_uuid(), ${user.id}, ${crypto.randomUUID()}, ${how}, ${value}, 'email', ${method}, now(), now())`;
}

/** Issues the code that the link passes to the redirect. */
export async function issueAuthCode(sql: Sql, user: User, method: Method): Promise<string> {
  const [flow] = await sql`
    update flow_state set auth_code_issued_at = now(), updated_at = now()
    where id = (select id from flow_state where user_id = ${user.id} and authentication_method = ${method}
                order by created_at desc limit 1)
    returning auth_code`;
  const message = "No associated flow state found. 422: No valid flow state found for user.";
  return flow?.auth_code ?? fail(400, "flow_state_not_found", message);
}

/** Consumes the code and returns its flow. */
export async function exchangeCode(sql: Sql, code: string, verifier: string): Promise<Flow> {
  if (!code || !verifier) {
    fail(400, "validation_failed", "invalid request: both auth code and code verifier should be non-empty");
  }
  const [flow] = await sql<Flow[]>`
    select *, now() - make_interval(secs => ${EXPIRY_SECONDS}) >
      case authentication_method when 'magiclink' then auth_code_issued_at else created_at end as expired
    from flow_state where auth_code = ${code} for update`;
  if (!flow) fail(404, "flow_state_not_found", "invalid flow state, no valid flow state found");
  if (flow.expired) fail(422, "flow_state_expired", "invalid flow state, flow state has expired");
  const actual = flow.code_challenge_method === "plain"
    ? verifier
    : createHash("sha256").update(verifier).digest("base64url");
  if (actual !== flow.code_challenge) {
    fail(400, "bad_code_verifier", "code challenge does not match previously saved code verifier");
  }
  await sql`delete from flow_state where auth_code = ${code}`;
  return flow;
}
