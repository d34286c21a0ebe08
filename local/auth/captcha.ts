// The check of a captcha token, by the siteverify call that hCaptcha and Turnstile share.
import { orFailure, refuse } from "./errors.ts";
import { type Call, object, type Service, text } from "./service.ts";

/** Refuses a call without a good token. Each token is good once: the verifier remembers. */
export async function requireCaptcha({ settings }: Service, { body, client, isAdmin }: Call): Promise<void> {
  if (!settings.captcha || isAdmin) return;
  const token = text(object(body, "gotrue_meta_security") ?? {}, "captcha_token").trim();
  const disallowed = (why: string) => refuse(400, "captcha_failed", `captcha protection: request disallowed (${why})`);
  if (!token) return disallowed("no captcha_token found");
  const { verifyUrl, secret } = settings.captcha;
  const asked = fetch(verifyUrl, {
    method: "POST",
    body: new URLSearchParams({ secret, response: token, remoteip: client }),
    signal: AbortSignal.timeout(10_000),
  }).then((response) => response.json());
  const verdict = await orFailure("captcha verification process failed", asked);
  if (!verdict.success) disallowed((verdict["error-codes"] ?? []).join(", "));
}
