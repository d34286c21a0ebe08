// Routes of features that the local stack lacks. They respond as the service does while the feature is off.
import { fail } from "./errors.ts";
import { failDisabled, failMissing, type MissingFeature } from "./features.ts";
import { type Call, isUuid, type Json, type Route, type Service, text } from "./service.ts";
import { type Caller, requireCaller } from "./sessions.ts";

export const disabled = (feature: MissingFeature): Route => () => failDisabled(feature);
/** For a route that checks the session first. */
export const disabledForUser = (feature: MissingFeature): Route => async (service, call) => {
  await requireCaller(service, call);
  return failDisabled(feature);
};
export const missing = (what: string): Route => () => failMissing(what);

const FACTORS: Record<string, MissingFeature> = { totp: "totp", phone: "phoneFactor", webauthn: "webauthn" };

export async function enrollFactor(service: Service, call: Call): Promise<Json> {
  await requirePermanentCaller(service, call);
  const type = text(call.body, "factor_type");
  if (!Object.hasOwn(FACTORS, type)) {
    fail(400, "validation_failed", "factor_type needs to be totp, phone, or webauthn");
  }
  return failDisabled(FACTORS[type]);
}

/** Challenge, verification and removal of a factor: no user has one. */
export async function useFactor(service: Service, call: Call): Promise<Json> {
  await requirePermanentCaller(service, call);
  return failFactor(call);
}

async function requirePermanentCaller(service: Service, call: Call): Promise<Caller> {
  const caller = await requireCaller(service, call);
  if (caller.isAnonymous) fail(403, "no_authorization", "Anonymous user not allowed to perform these actions");
  return caller;
}

export function failFactor({ path }: Call): never {
  if (!isUuid(path.factor)) fail(404, "validation_failed", "factor_id must be an UUID");
  return fail(404, "mfa_factor_not_found", "Factor not found");
}
