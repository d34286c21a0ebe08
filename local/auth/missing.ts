// Routes of features that the local stack lacks. They respond as the service does while the feature is off.
import { fail } from "./errors.ts";
import { failDisabled, failMissing, type MissingFeature } from "./features.ts";
import { ENROLL_FACTOR, parseParams } from "./params.ts";
import { type Call, isUuid, type Json, type Route, type Service } from "./service.ts";

export const disabled = (feature: MissingFeature) => (): never => failDisabled(feature);
export const missing = (what: string): Route => () => failMissing(what);

const FACTORS: Record<string, MissingFeature> = { totp: "totp", phone: "phoneFactor", webauthn: "webauthn" };

export function enrollFactor(_: Service, call: Call): Json {
  const { factor_type: type } = parseParams(ENROLL_FACTOR, call.body);
  if (!Object.hasOwn(FACTORS, type)) {
    fail(400, "validation_failed", "factor_type needs to be totp, phone, or webauthn");
  }
  return failDisabled(FACTORS[type]);
}

/** Challenge, verification, update and removal of a factor: no user has one. */
export function failFactor(_: Service, { path }: Call): never {
  if (!isUuid(path.factor)) fail(404, "validation_failed", "factor_id must be an UUID");
  return fail(404, "mfa_factor_not_found", "Factor not found");
}
