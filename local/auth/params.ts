// The members that each request's body may have. As in the service, other members are ignored, null is an absent member,
// and an error names the type that was expected.
import { isNestedDeeper } from "../wire/json.ts";
import { fail } from "./errors.ts";
import { syntaxErrorOf } from "./json_syntax.ts";
import type { Json } from "./service.ts";

/** `optional` is a string that differs from an absent one. */
type Kind = "string" | "optional" | "bool" | "map" | Params;
interface Params<Fields extends Record<string, Kind> = Record<string, Kind>> {
  /** The name of the service's type, which is part of its errors. */
  name: string;
  fields: Fields;
}
type ValueOf<K extends Kind> = K extends "string" ? string
  : K extends "optional" ? string | undefined
  : K extends "bool" ? boolean
  : K extends "map" ? Json | undefined
  : K extends Params<infer Fields> ? Values<Fields>
  : never;
type Values<Fields extends Record<string, Kind>> = { [Name in keyof Fields]: ValueOf<Fields[Name]> };
export type ParamsOf<P> = P extends Params<infer Fields> ? Values<Fields> : never;

const params = <const Fields extends Record<string, Kind>>(name: string, fields: Fields): Params<Fields> => ({
  name,
  fields,
});

const fieldsOf = <const K extends Kind>(kind: K) => <Name extends string>(...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, kind])) as Record<Name, K>;
const strings = fieldsOf("string"), maps = fieldsOf("map"), flags = fieldsOf("bool"), optional = fieldsOf("optional");

const ADDRESS = strings("email", "phone"), CHALLENGE = strings("code_challenge", "code_challenge_method");
/** What starts a PKCE flow. */
export type Challenge = Values<typeof CHALLENGE>;

export const SIGN_UP = params("SignupParams", {
  ...ADDRESS,
  ...CHALLENGE,
  ...strings("password", "channel"),
  ...maps("data"),
});
export const OTP = params("OtpParams", {
  ...ADDRESS,
  ...CHALLENGE,
  ...strings("channel"),
  ...flags("create_user"),
  ...maps("data"),
});
export const MAGIC_LINK = params("MagicLinkParams", { ...CHALLENGE, ...strings("email"), ...maps("data") });
export const RECOVER = params("RecoverParams", { ...CHALLENGE, ...strings("email") });
export const RESEND = params("ResendConfirmationParams", { ...ADDRESS, ...CHALLENGE, ...strings("type") });
export const VERIFY = params("VerifyParams", { ...ADDRESS, ...strings("type", "token", "token_hash", "redirect_to") });
export const PASSWORD_GRANT = params("PasswordGrantParams", { ...ADDRESS, ...strings("password") });
export const REFRESH_GRANT = params("RefreshTokenGrantParams", strings("refresh_token"));
export const PKCE_GRANT = params("PKCEGrantParams", strings("auth_code", "code_verifier"));
export const ID_TOKEN_GRANT = params("IdTokenGrantParams", {
  ...strings("id_token", "access_token", "nonce", "provider", "client_id", "issuer"),
  ...flags("link_identity"),
});
export const USER_UPDATE = params("UserUpdateParams", {
  ...ADDRESS,
  ...CHALLENGE,
  ...strings("nonce", "channel"),
  ...optional("password", "current_password"),
  ...maps("data", "app_metadata"),
});
export const ENROLL_FACTOR = params("EnrollFactorParams", strings("friendly_name", "factor_type", "issuer", "phone"));
export const ADMIN_USER = params("AdminUserParams", {
  ...ADDRESS,
  ...strings("id", "aud", "role", "password_hash", "ban_duration"),
  ...optional("password"),
  ...flags("email_confirm", "phone_confirm"),
  ...maps("user_metadata", "app_metadata"),
});
export const ADMIN_DELETE = params("adminUserDeleteParams", flags("should_soft_delete"));
export const INVITE = params("InviteParams", { ...strings("email"), ...maps("data") });
export const GENERATE_LINK = params("GenerateLinkParams", {
  ...strings("type", "email", "new_email", "password", "redirect_to"),
  ...maps("data"),
});
export const CAPTCHA = params("captchaRequest", {
  gotrue_meta_security: params("captchaSecurity", strings("captcha_token")),
});

/** Parses a body. Throws 400. */
export function parseParams<Fields extends Record<string, Kind>>(
  expected: Params<Fields>,
  body: string,
  defaults: Partial<Values<Fields>> = {},
): Values<Fields> {
  if (isNestedDeeper(body)) return failJson("exceeded max depth");
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return failJson(syntaxErrorOf(body));
  }
  return convert(expected, value, defaults as Json) as Values<Fields>;
}

function failJson(reason: string): never {
  return fail(400, "bad_json", `Could not parse request body as JSON: ${reason}`);
}

const TYPES = { string: "string", optional: "string", bool: "bool", map: "map[string]interface {}" };
const typeOf = (value: unknown) => Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;

/** The members of a value. Names ignore case, and the last of equal ones counts. */
function convert(expected: Params, value: unknown, defaults: Json = {}, root = expected, path: string[] = []): Json {
  if (value !== null && typeOf(value) !== "object") failType(value, `api.${expected.name}`, root, path);
  const given = Object.entries(value ?? {}).filter(([, member]) => member !== null);
  return Object.fromEntries(
    Object.entries(expected.fields).map(([name, kind]) => {
      const [, member] = given.findLast(([key]) => key.toLowerCase() === name) ?? [];
      return [name, convertMember(kind, member, defaults[name], root, [...path, name])];
    }),
  );
}

function convertMember(kind: Kind, member: unknown, absent: unknown, root: Params, path: string[]): unknown {
  if (typeof kind === "object") return convert(kind, member ?? null, {}, root, path);
  if (member === undefined) return absent ?? { string: "", bool: false, optional: undefined, map: undefined }[kind];
  const isExpected = typeOf(member) === { string: "string", optional: "string", bool: "bool", map: "object" }[kind];
  return isExpected ? member : failType(member, TYPES[kind], root, path);
}

function failType(value: unknown, type: string, root: Params, path: string[]): never {
  const target = path.length ? `Go struct field ${root.name}.${path.join(".")}` : "Go value";
  return failJson(`json: cannot unmarshal ${typeOf(value)} into ${target} of type ${type}`);
}
