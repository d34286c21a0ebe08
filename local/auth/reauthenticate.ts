// GET /reauthenticate emails a nonce, which a change of the password needs once the session is a day old.
import { timingSafeEqual } from "node:crypto";
import { requireCaller } from "./caller.ts";
import { assertEmailInterval, createCode, hashCode } from "./codes.ts";
import { sendCode } from "./emails.ts";
import { fail, orUnexpectedFailure } from "./errors.ts";
import type { Call, Json, Service } from "./service.ts";
import type { User } from "./users.ts";

export async function reauthenticate(service: Service, call: Call): Promise<Json> {
  const { user } = await requireCaller(service, call);
  if (!user.email) {
    fail(400, "validation_failed", "Reauthentication requires the user to have an email or a phone number");
  }
  if (!user.email_confirmed_at) fail(422, "email_not_confirmed", "Please verify your email first.");
  assertEmailInterval(service, user.reauthentication_sent_at);
  const nonce = createCode(service, user.email);
  await service.sql.begin(async (sql) => {
    await orUnexpectedFailure(
      "Error sending reauthentication email",
      sql`update users set reauthentication_token = ${nonce.hash}, reauthentication_sent_at = now(), updated_at = now()
          where id = ${user.id}`,
    );
    await sendCode(service, call, user, { kind: "reauthentication", to: user.email!, ...nonce });
  });
  return {};
}

/** Consumes the nonce of the last email. It stays consumed if the rest of the request fails, as in the service. */
export async function consumeNonce(service: Service, user: User, nonce: string): Promise<void> {
  const { sql, settings, limits } = service;
  if (limits.wrongCodes.count(user.id) >= settings.wrongCodesPerFiveMinutes) {
    fail(429, "over_request_rate_limit", "Request rate limit reached");
  }
  const sent = user.reauthentication_sent_at, expected = user.reauthentication_token;
  const isValid = user.email && expected && sent &&
    sent.getTime() + settings.codeExpirySeconds * 1000 >= Date.now() &&
    equalHashes(hashCode(user.email, nonce), expected);
  const consumed = isValid
    ? await sql`update users set reauthentication_token = '', updated_at = now()
                where id = ${user.id} and reauthentication_token = ${expected} returning id`
    : [];
  if (consumed.length) return;
  limits.wrongCodes.add(user.id);
  fail(422, "reauthentication_not_valid", "Nonce has expired or is invalid");
}

function equalHashes(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(new TextEncoder().encode(a), new TextEncoder().encode(b));
}
