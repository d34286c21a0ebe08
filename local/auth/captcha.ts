// Verifies captcha tokens by the siteverify call that hCaptcha and Turnstile share.
import { fail, orUnexpectedFailure } from "./errors.ts";
import { type Call, object, type Service, text } from "./service.ts";

/** Rejects a call without a valid token. The provider accepts each token once. */
export async function requireCaptcha({ settings }: Service, { body, client, isAdmin }: Call): Promise<void> {
  if (!settings.captcha || isAdmin) return;
  const token = text(object(body, "gotrue_meta_security") ?? {}, "captcha_token").trim();
  const disallowed = (why: string) => fail(400, "captcha_failed", `captcha protection: request disallowed (${why})`);
  if (!token) return disallowed("no captcha_token found");
  const { verifyUrl, secret } = settings.captcha;
  const verification = fetch(verifyUrl, {
    method: "POST",
    body: new URLSearchParams({ secret, response: token, remoteip: client }),
    signal: AbortSignal.timeout(10_000),
  }).then((response) => response.json());
  const verdict = await orUnexpectedFailure("captcha verification process failed", verification);
  if (!verdict.success) disallowed((verdict["error-codes"] ?? []).join(", "));
}
