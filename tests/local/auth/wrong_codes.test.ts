// Wrong codes of a client, which the local stack alone counts by the first address of X-Forwarded-For.
import { deepStrictEqual as same, ok } from "node:assert";
import { stack as running } from "../../stack.ts";
import { clientOf, lastEmail, signedIn } from "../../parity/auth/setup.ts";

const stack = await running();

/** The address and code of a user who asked for one. */
async function emailedCode() {
  const { email } = await signedIn(stack);
  await clientOf(stack).auth.signInWithOtp({ email });
  return { email, code: (await lastEmail(stack, email)).code };
}

/** A guess by a client of its own. */
async function guessCode(client: string, email: string, token: string) {
  const response = await fetch(`${stack.url}/auth/v1/verify`, {
    method: "POST",
    headers: { apikey: stack.publishableKey, "x-forwarded-for": client },
    body: JSON.stringify({ email, token, type: "email" }),
  });
  return [response.status, (await response.json()).error_code];
}

Deno.test("auth returns 429 to all but thirty of many guesses at once", async () => {
  const { email } = await emailedCode();
  const guesses = Array.from({ length: 60 }, (_, i) => guessCode("203.0.113.8", email, `wrong ${i}`));
  const statuses = (await Promise.all(guesses)).map(([status]) => status);
  same([403, 429].map((status) => statuses.filter((one) => one === status).length), [30, 30]);
});

Deno.test("auth returns 429 after thirty wrong codes, also for the right one", async () => {
  const { email, code } = await emailedCode();
  const guess = (token: string) => guessCode("203.0.113.7", email, token);
  for (let i = 0; i < 30; i++) same(await guess(`wrong ${i}`), [403, "otp_expired"]);
  same(await guess(code), [429, "over_request_rate_limit"]);
  ok(
    (await clientOf(stack).auth.verifyOtp({ email, token: code, type: "email" })).data.session,
    "others are not held up",
  );
});
