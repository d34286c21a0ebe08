// What auth itself writes into user_metadata, app_metadata and the data of identities.
import { deepStrictEqual as same, ok } from "node:assert";
import type { EmailOtpType, User } from "@supabase/supabase-js";
import { stack as running } from "../../stack.ts";
import { adminOf, clientOf, lastEmail, newAddress, PASSWORD, signedIn } from "./setup.ts";

const stack = await running();
const admin = adminOf(stack);
const EMAIL_APP = { provider: "email", providers: ["email"] };

/** The account's own data, of the user and of the only identity. */
function dataOf(user: User | null) {
  const [identity, ...others] = user!.identities!;
  same([others, identity.provider, identity.id], [[], "email", user!.id]);
  return { user: user!.user_metadata, identity: identity.identity_data };
}

const read = async (id: string) => dataOf((await admin.getUserById(id)).data.user);

async function verify(email: string, type: EmailOtpType, client = clientOf(stack)) {
  const { code } = await lastEmail(stack, email);
  const { data, error } = await client.auth.verifyOtp({ email, token: code, type });
  same(error, null);
  return data.user;
}

Deno.test("a sign-up adds sub, email and what is verified to the caller's metadata; the code confirms both", async () => {
  const email = newAddress(), own = { display_name: "Anna", nothing: null, sub: "x", email: "eve@example.org" };
  const { data } = await clientOf(stack).auth.signUp({ email, password: PASSWORD, options: { data: own } });
  const { id } = data.user!, known = { sub: id, email: email.toLowerCase(), phone_verified: false };
  const user = { display_name: "Anna", ...known, email_verified: false };
  same(dataOf(data.user).user, user);
  same(await read(id), { user, identity: { ...user, nothing: null } });
  same(data.user!.app_metadata, EMAIL_APP);
  await verify(email, "signup");
  same(await read(id), {
    user: { ...user, email_verified: true },
    identity: { ...user, nothing: null, email_verified: true },
  });
});

Deno.test("a sign-up by code writes the same metadata", async () => {
  const email = newAddress();
  await clientOf(stack).auth.signInWithOtp({ email, options: { data: { display_name: "Anna" } } });
  const user = await verify(email, "email");
  const known = { sub: user!.id, email: email.toLowerCase(), email_verified: true, phone_verified: false };
  same(dataOf(user), { user: { display_name: "Anna", ...known }, identity: { display_name: "Anna", ...known } });
});

Deno.test("the recovery of an unconfirmed account confirms the user and not the identity", async () => {
  const email = newAddress();
  const { data } = await clientOf(stack).auth.signUp({ email, password: PASSWORD });
  await clientOf(stack).auth.resetPasswordForEmail(email);
  const user = await verify(email, "recovery");
  ok(user?.email_confirmed_at);
  const { user: metadata, identity } = await read(data.user!.id);
  same([metadata.email_verified, identity?.email_verified], [true, false]);
});

Deno.test("createUser keeps the back end's metadata, and email_confirm marks the user and not the identity", async () => {
  const email = newAddress(), user_metadata = { display_name: "Anna" };
  const { data } = await admin.createUser({ email, email_confirm: true, user_metadata });
  const { id } = data.user!;
  const identity = { sub: id, email: email.toLowerCase(), email_verified: false, phone_verified: false };
  same(dataOf(data.user), { user: { display_name: "Anna", email_verified: true }, identity });
  same(await read(id), dataOf(data.user));
  const { data: unconfirmed } = await admin.createUser({ email: newAddress(), user_metadata });
  same(dataOf(unconfirmed.user).user, user_metadata);
  const { data: confirmed } = await admin.updateUserById(unconfirmed.user!.id, { email_confirm: true });
  same([confirmed.user!.user_metadata.email_verified, dataOf(confirmed.user).identity?.email_verified], [true, false]);
});

Deno.test("an invitation keeps the back end's metadata, and its code confirms user and identity", async () => {
  const email = newAddress();
  const { data } = await admin.inviteUserByEmail(email, { data: { from: "Anna" } });
  const { id } = data.user!;
  const identity = { sub: id, email: email.toLowerCase(), email_verified: false, phone_verified: false };
  same(dataOf(data.user), { user: { from: "Anna" }, identity });
  await verify(email, "invite");
  same(await read(id), {
    user: { from: "Anna", email_verified: true },
    identity: { ...identity, email_verified: true },
  });
});

Deno.test("a link of generateLink creates a user with the back end's metadata", async () => {
  for (const type of ["signup", "invite"] as const) {
    const email = newAddress(), options = { data: { from: "Anna" } };
    const { data } = await admin.generateLink({ type, email, password: PASSWORD, options });
    same(dataOf(data.user), {
      user: { from: "Anna" },
      identity: { sub: data.user!.id, email: email.toLowerCase(), email_verified: false, phone_verified: false },
    });
  }
});

Deno.test("an email change moves the identity's address and keeps user_metadata", async () => {
  const before = newAddress(), next = newAddress(), client = clientOf(stack);
  await client.auth.signUp({ email: before, password: PASSWORD });
  const { id } = (await verify(before, "signup", client))!;
  await client.auth.updateUser({ email: next });
  same(await verify(before, "email_change"), null); // the other address must confirm, too
  await verify(next, "email_change");
  const { user, identity } = await read(id);
  same([user.email, identity?.email, identity?.email_verified], [before.toLowerCase(), next.toLowerCase(), true]);
});

Deno.test("an address that the admin API sets is verified in the identity if it is confirmed", async () => {
  const { id } = await signedIn(stack), next = newAddress().toLowerCase();
  const before = (await read(id)).identity;
  const { data } = await admin.updateUserById(id, { email: next });
  same(dataOf(data.user).identity, before); // the response has the identity as it was
  same((await read(id)).identity, { ...before, email: next, email_verified: false });
  await admin.updateUserById(id, { email: next, email_confirm: true });
  same((await read(id)).identity, { ...before, email: next, email_verified: true });
});
