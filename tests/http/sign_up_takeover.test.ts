// A person signs up with the address of another, its owner, who then acts on the email.
import assert from "node:assert/strict";
import {
  backdateUser,
  clientOf,
  confirm,
  lastEmail,
  newAddress,
  PASSWORD,
  request,
  signedIn,
  type Way,
} from "../parity/auth/setup.ts";
import { sql, stackInfo } from "./harness.ts";

const THEIRS = "the other person's 1", DATA = { display_name: "Mallory", full_name: "Mallory", name: "Mallory" };
const { auth } = clientOf(stackInfo);
const signInError = async (email: string, password: string) =>
  (await clientOf(stackInfo).auth.signInWithPassword({ email, password })).error?.code;

/** The other person signs up; their email is opened by a scanner, twice. */
async function signUpFirst() {
  const email = newAddress().toLowerCase();
  await auth.signUp({ email, password: THEIRS, options: { data: DATA } });
  const { page } = await lastEmail(stackInfo, email);
  assert.deepEqual(new URL(page).search, "", "a server of the page learns no token");
  assert.equal(await signInError(email, THEIRS), "email_not_confirmed");
  await backdateUser(stackInfo, email, 3600 / 2);
  return email;
}

const nameOf = async (email: string) =>
  (await sql`select f.display_name from public.profiles f join auth.users u using (id) where u.email = ${email}`)[0]
    .display_name;

const acts: Record<string, (email: string) => Promise<unknown>> = {
  "confirms that sign-up": () => Promise.resolve(),
  "signs up as well": (email) => auth.signUp({ email, password: PASSWORD }),
  "resets the password": (email) => auth.resetPasswordForEmail(email),
  "asks for a sign-in code": (email) => auth.signInWithOtp({ email }),
};
for (const [act, start] of Object.entries(acts)) {
  for (const way of ["code", "link"] satisfies Way[]) {
    Deno.test(`an owner of an address who ${act}, by ${way}, ends the password and name of an earlier sign-up`, async () => {
      const email = await signUpFirst();
      await start(email);
      const owner = clientOf(stackInfo);
      const { data, error } = await confirm(owner, await lastEmail(stackInfo, email), way);
      assert.equal(error, null);
      // the owner closes the page here
      assert.equal(await signInError(email, THEIRS), "invalid_credentials");
      assert.equal(await signInError(email, ""), "invalid_credentials");
      assert.equal(await nameOf(email), null);

      await owner.auth.updateUser({ password: PASSWORD });
      await owner.from("profiles").update({ display_name: "Ola" }).eq("id", data.user!.id).throwOnError();
      assert.deepEqual([await signInError(email, THEIRS), await signInError(email, PASSWORD)], [
        "invalid_credentials",
        undefined,
      ]);
      assert.equal(await nameOf(email), "Ola");
    });
  }
}

Deno.test("a user who confirms a recovery or an email change keeps the password until a new one is set", async () => {
  const { email, client } = await signedIn(stackInfo);
  await auth.resetPasswordForEmail(email);
  await confirm(clientOf(stackInfo), await lastEmail(stackInfo, email), "link");
  assert.equal(await signInError(email, PASSWORD), undefined);
  const next = newAddress().toLowerCase();
  await client.auth.updateUser({ email: next });
  for (const address of [email, next]) {
    await confirm(clientOf(stackInfo), await lastEmail(stackInfo, address), "link");
  }
  assert.equal(await signInError(next, PASSWORD), undefined);
});

Deno.test("an email change to an address that signs up before it confirms fails, and leaves both accounts", async () => {
  const mallory = await signedIn(stackInfo), email = newAddress().toLowerCase();
  await mallory.client.auth.updateUser({ email });
  await confirm(clientOf(stackInfo), await lastEmail(stackInfo, mallory.email), "link");
  const change = await lastEmail(stackInfo, email);
  await auth.signUp({ email, password: PASSWORD });
  const owner = clientOf(stackInfo);
  await confirm(owner, await lastEmail(stackInfo, email), "code");
  await owner.auth.updateUser({ password: PASSWORD });
  // without supabase-js, which leaves the body of a 500 unread
  const { status } = await request(stackInfo, "POST /verify", { body: { type: change.type, token_hash: change.hash } });
  assert.equal(status, 500); // Auth's own: the address is taken
  assert.equal(await signInError(email, PASSWORD), undefined);
  assert.equal(await signInError(mallory.email, PASSWORD), undefined);
});
