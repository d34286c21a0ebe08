// What the service would do and the local stack does not: phone numbers, and password hashes other than those of bcrypt.
import { deepStrictEqual as same } from "node:assert";
import { newAddress, senderOf, signedIn } from "../../parity/auth/setup.ts";
import { startAuth } from "./auth_service.ts";

const auth = await startAuth(), withoutPhoneCodes = await startAuth({ confirmPhones: false });
const phone = "+41791234567", key = auth.secretKey;
const noPhones = [501, "feature_disabled", "The local stack does not support phone numbers"];

Deno.test("the admin API rejects a user's phone number", async () => {
  const { id } = await signedIn(auth), send = senderOf(auth);
  for (const route of ["POST /admin/users", `PUT /admin/users/${id}`]) {
    same(await send(route, { key, body: { phone } }), noPhones);
    same((await send(route, { key, body: { phone: "x" } }))[2], "Invalid phone number format (E.164 required)");
  }
});

Deno.test("PUT /user rejects a phone number as a project without an SMS provider does", async () => {
  const change = async (at: typeof auth) => {
    const { session } = await signedIn(at);
    return await senderOf(at)("PUT /user", { token: session.access_token, body: { phone } });
  };
  same(await change(auth), [500, "unexpected_failure", "Unable to get SMS provider"]);
  same(await change(withoutPhoneCodes), noPhones);
});

Deno.test("the admin API rejects hashes of Argon2 and of Firebase", async () => {
  for (const password_hash of ["$argon2id$v=19$m=1,t=1,p=1$c2FsdA$aGFzaA", "$fbscrypt$v=1,n=1,r=1,p=1$c2FsdA$aGFzaA"]) {
    const [status, code] = await senderOf(auth)("POST /admin/users", {
      key,
      body: { email: newAddress(), password_hash },
    });
    same([status, code], [501, "feature_disabled"]);
  }
});
