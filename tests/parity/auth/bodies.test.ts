// Bodies that are empty, malformed or of another type. The texts are those of the service's JSON parser.
import { deepStrictEqual as same } from "node:assert";
import { stack as running } from "../../stack.ts";
import { request, senderOf, signedIn } from "./setup.ts";

const stack = await running();
const admin = { key: stack.secretKey };
const send = senderOf(stack);
const badJson = (reason: string) => [400, "bad_json", `Could not parse request body as JSON: ${reason}`];

Deno.test("each route with a body rejects an empty one", async () => {
  const end = badJson("unexpected end of JSON input");
  for (const path of ["signup", "otp", "recover", "resend", "verify"]) same(await send(`POST /${path}`), end);
  for (const grant of ["password", "refresh_token", "pkce", "id_token"]) {
    same(await send(`POST /token?grant_type=${grant}`), end);
  }
  const { session, id } = await signedIn(stack);
  same(await send("PUT /user", { token: session.access_token }), end);
  for (const route of ["POST /invite", "POST /admin/generate_link", "POST /admin/users", `PUT /admin/users/${id}`]) {
    same(await send(route, admin), end);
  }
  same((await request(stack, `DELETE /admin/users/${id}`, admin)).status, 200);
});

Deno.test("an error of JSON names what the parser found and expected", async () => {
  const reasons = {
    "{": "unexpected end of JSON input",
    "email=a": "invalid character 'e' looking for beginning of value",
    "{'email': 1}": "invalid character '\\'' looking for beginning of object key string",
    '{"email" 1}': "invalid character '1' after object key",
    '{"email": 1 2}': "invalid character '2' after object key:value pair",
    '{"email": 1,}': "invalid character '}' looking for beginning of object key string",
    "[1 2]": "invalid character '2' after array element",
    "[1,]": "invalid character ']' looking for beginning of value",
    "{} x": "invalid character 'x' after top-level value",
    '{"a": tru}': "invalid character '}' in literal true (expecting 'e')",
    '{"a": nil}': "invalid character 'i' in literal null (expecting 'u')",
    '"\n"': "invalid character '\\n' in string literal",
    '"\\x"': "invalid character 'x' in string escape code",
    '"\\u12g4"': "invalid character 'g' in \\u hexadecimal character escape",
    "-": "invalid character ' ' in numeric literal",
    "1.x": "invalid character 'x' after decimal point in numeric literal",
    "1e+": "invalid character ' ' in exponent of numeric literal",
    "01": "invalid character '1' after top-level value",
    "\ufeff{}": "invalid character 'ï' looking for beginning of value",
    "ü": "invalid character 'Ã' looking for beginning of value",
  };
  for (const [text, reason] of Object.entries(reasons)) {
    same(await send("POST /recover", { text }), badJson(reason), text);
  }
});

Deno.test("POST /magiclink has words of its own for JSON errors", async () => {
  const reason = async (text: string) => (await send("POST /magiclink", { text }))[2];
  same(await reason(""), "Could not read verification params: EOF");
  same(await reason("{"), "Could not read verification params: unexpected EOF");
  same(await reason("x"), "Could not read verification params: invalid character 'x' looking for beginning of value");
});

Deno.test("a member of another type is named with the type that it needs, and null is an absent member", async () => {
  const type = (found: string, field: string, type: string) =>
    badJson(`json: cannot unmarshal ${found} into Go struct field ${field} of type ${type}`);
  same(
    await send("POST /signup", { text: "[1]" }),
    badJson(
      "json: cannot unmarshal array into Go value of type api.SignupParams",
    ),
  );
  same(await send("POST /signup", { body: { email: 7 } }), type("number", "SignupParams.email", "string"));
  same(
    await send("POST /signup", { body: { data: "x" } }),
    type(
      ...["string", "SignupParams.data", "map[string]interface {}"] as const,
    ),
  );
  same(await send("POST /otp", { body: { create_user: "no" } }), type("string", "OtpParams.create_user", "bool"));
  same(await send("POST /verify", { body: { token: 123456 } }), type("number", "VerifyParams.token", "string"));
  same(await send("POST /resend", { body: { type: true } }), type("bool", "ResendConfirmationParams.type", "string"));
  same(
    await send("POST /token?grant_type=password", { body: { password: {} } }),
    type(
      ...["object", "PasswordGrantParams.password", "string"] as const,
    ),
  );
  same(
    await send("POST /admin/users", { ...admin, body: { password: 1 } }),
    type(
      ...["number", "AdminUserParams.password", "string"] as const,
    ),
  );
  for (const text of ["null", "{}", '{"email": null}']) {
    same(await send("POST /recover", { text }), [400, "validation_failed", "Password recovery requires an email"]);
  }
  same(
    (await send("POST /recover", { text: '{"EMAIL": "x"}' }))[2],
    "Unable to validate email address: invalid format",
  );
});

Deno.test("a body over a mebibyte is 413", async () => {
  same(await send("POST /signup", { text: `{"data": {"x": "${"x".repeat(2 ** 20)}"}}` }), [
    ...[413, "request_entity_too_large", "Request body too large (max 1048576 bytes)"],
  ]);
});
