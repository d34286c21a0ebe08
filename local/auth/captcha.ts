// Verifies captcha tokens by the siteverify call that hCaptcha and Turnstile share.
import { parseJson } from "../wire/json.ts";
import { isAdmin } from "./caller.ts";
import type { CaptchaSettings } from "./captcha_settings.ts";
import { fail, orUnexpectedFailure } from "./errors.ts";
import { CAPTCHA, parseParams } from "./params.ts";
import type { Call, Service } from "./service.ts";

/** Rejects a call without a valid token. The provider accepts each token once. */
export async function requireCaptcha(service: Service, call: Call): Promise<void> {
  const { captcha } = service.settings;
  if (!captcha || await isAdmin(service, call)) return;
  const token = parseParams(CAPTCHA, call.body).gotrue_meta_security.captcha_token.trim();
  const disallowed = (why: string) => fail(400, "captcha_failed", `captcha protection: request disallowed (${why})`);
  if (!token) return disallowed("no captcha_token found");
  const verification = verify(captcha, token, call.client);
  const { success, errorCodes } = await orUnexpectedFailure("captcha verification process failed", verification);
  if (!success) disallowed(errorCodes.join(", "));
}

interface Verdict {
  success: boolean;
  errorCodes: string[];
}

async function verify({ verifyUrl, secret, timeoutMs }: CaptchaSettings, token: string, client: string) {
  const response = await fetch(verifyUrl, {
    method: "POST",
    body: new URLSearchParams({ secret, response: token, remoteip: client }),
    signal: AbortSignal.timeout(timeoutMs), // which also ends a body that is still arriving
  });
  return parseVerdict(await readVerdict(response)); // of any status, as in the service
}

/** A verdict has some hundred bytes. */
const MAX_VERDICT_BYTES = 64 * 1024;

async function readVerdict(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "", size = 0;
  for await (const chunk of response.body ?? []) {
    if ((size += chunk.length) > MAX_VERDICT_BYTES) throw new Error("The verifier's response is too large");
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

/** Absent and null members have their zero value; other types are an error. */
function parseVerdict(text: string): Verdict {
  const verdict = parseJson(text) ?? {};
  const { success = null, "error-codes": codes = null } = verdict as Record<string, unknown>;
  const errorCodes = codes ?? [];
  const isVerdict = typeof verdict === "object" && !Array.isArray(verdict) &&
    (success === null || typeof success === "boolean") &&
    Array.isArray(errorCodes) && errorCodes.every((code) => typeof code === "string");
  if (!isVerdict) throw new Error("The verifier's response is not a verdict");
  return { success: success === true, errorCodes };
}
