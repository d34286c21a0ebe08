// The admin API: for a back end with the secret key.
import { deepStrictEqual as same, match, ok } from "node:assert";
import { stack as running } from "../../stack.ts";
import {
  adminOf,
  clientOf,
  confirm,
  emails,
  errorOf,
  follow,
  lastEmail,
  newAddress,
  PASSWORD,
  serviceLink,
  signedIn,
  SITE,
  withSql,
} from "./setup.ts";

const stack = await running();
const admin = adminOf(stack);

Deno.test("createUser creates a confirmed user with its data and sends no email", async () => {
  const email = newAddress(), id = crypto.randomUUID();
  const { data, error } = await admin.createUser({
    id,
    email,
    password: PASSWORD,
    email_confirm: true,
    user_metadata: { display_name: "Anna" },
    app_metadata: { tier: "gold" },
  });
  same(error, null);
  same(data.user?.id, id);
  ok(data.user?.email_confirmed_at);
  same(data.user?.user_metadata, { display_name: "Anna", email_verified: true });
  same(data.user?.app_metadata, { provider: "email", providers: ["email"], tier: "gold" });
  same(await emails(stack, email), []);
});

Deno.test("createUser without email_confirm creates a user who cannot sign in", async () => {
  const email = newAddress();
  const { data } = await admin.createUser({ email, password: PASSWORD });
  same(data.user?.email_confirmed_at, undefined);
  const { error } = await clientOf(stack).auth.signInWithPassword({ email, password: PASSWORD });
  same(errorOf(error), { status: 400, code: "email_not_confirmed" });
  await admin.updateUserById(data.user!.id, { email_confirm: true });
  same((await clientOf(stack).auth.signInWithPassword({ email, password: PASSWORD })).error, null);
});

Deno.test("createUser rejects a registered and a missing address, and accepts a weak password", async () => {
  const { email } = await signedIn(stack);
  same(errorOf((await admin.createUser({ email })).error), { status: 422, code: "email_exists" });
  same((await admin.createUser({ email: newAddress(), password: "123" })).error, null);
  same(errorOf((await admin.createUser({})).error), { status: 400, code: "validation_failed" });
});

Deno.test("getUserById returns the user and rejects an unknown id", async () => {
  const { id, email } = await signedIn(stack);
  same((await admin.getUserById(id)).data.user?.email, email);
  const { error } = await admin.getUserById(crypto.randomUUID());
  same(errorOf(error), { status: 404, code: "user_not_found" });
});

Deno.test("an invited user who confirms gets a password that no one knows", async () => {
  const email = newAddress();
  await admin.inviteUserByEmail(email);
  same((await confirm(clientOf(stack), await lastEmail(stack, email), "link")).error, null);
  const [user] = await withSql(
    stack,
    (sql) => sql`select encrypted_password, confirmation_sent_at from auth.users where email = ${email.toLowerCase()}`,
  );
  match(user.encrypted_password, /^\$2a\$/);
  same(user.confirmation_sent_at, null);
});

Deno.test("updateUserById sets address, password and data at once; a new password ends the sessions", async () => {
  const { id, email, client } = await signedIn(stack);
  const next = newAddress();
  const { data } = await admin.updateUserById(id, {
    email: next,
    email_confirm: true,
    password: "a better one",
    user_metadata: { display_name: "Anna" },
    app_metadata: { tier: "gold" },
  });
  same(data.user?.email, next.toLowerCase());
  const { data: { user } } = await admin.getUserById(id);
  same(user?.identities?.[0].identity_data?.email, next.toLowerCase()); // the first response has the old one
  same(data.user?.user_metadata, { email_verified: true, display_name: "Anna" });
  same(data.user?.app_metadata.tier, "gold");
  same((await client.auth.refreshSession()).error?.code, "refresh_token_not_found");
  const signIn = await clientOf(stack).auth.signInWithPassword({ email: next, password: "a better one" });
  same(signIn.error, null);
  same([await emails(stack, email), await emails(stack, next)], [[], []]);
});

Deno.test("deleteUser deletes the user and its dependent rows", async () => {
  const { id, email, session } = await signedIn(stack);
  same((await admin.deleteUser(id)).error, null);
  same(errorOf((await admin.getUserById(id)).error), { status: 404, code: "user_not_found" });
  const { error } = await clientOf(stack).auth.getUser(session.access_token);
  same(errorOf(error), { status: 403, code: "user_not_found" });
  same((await admin.createUser({ email })).error, null);
});

Deno.test("deleteUser with shouldSoftDelete keeps an anonymized row and frees the address", async () => {
  const { id, email, client } = await signedIn(stack);
  same((await admin.deleteUser(id, true)).error, null);
  const { data } = await admin.getUserById(id);
  ok(data.user?.deleted_at);
  ok(!JSON.stringify(data.user).includes(email));
  same([data.user?.user_metadata, data.user?.app_metadata], [{}, {}]);
  const { email: hash, new_email, phone, new_phone, email_confirmed_at } = data.user!;
  match(`${hash} ${new_email}`, /^[\w-]{43} [\w-]{43}$/);
  match(`${phone} ${new_phone}`, /^[\w-]{15} [\w-]{15}$/);
  ok(email_confirmed_at);
  same(data.user?.identities?.map(({ identity_data }) => identity_data), [undefined]);
  same((await client.auth.refreshSession()).error?.code, "refresh_token_not_found");
  const signIn = await clientOf(stack).auth.signInWithPassword({ email, password: PASSWORD });
  same(errorOf(signIn.error), { status: 400, code: "invalid_credentials" });
  same((await admin.createUser({ email })).error, null);
});

Deno.test("inviteUserByEmail sends a link that confirms the address and allows to set a password", async () => {
  const email = newAddress();
  const { data } = await admin.inviteUserByEmail(email, { data: { from: "Anna" } });
  ok(data.user?.invited_at);
  const message = await lastEmail(stack, email);
  same(message.subject, "You have been invited to Castbase");
  const { to, fragment } = await follow(serviceLink(stack, message, `${SITE}/join`));
  same([to, fragment.get("type")], [`${SITE}/join`, "invite"]);
  const client = clientOf(stack);
  await client.auth.setSession({
    access_token: fragment.get("access_token")!,
    refresh_token: fragment.get("refresh_token")!,
  });
  const { data: changed } = await client.auth.updateUser({ password: PASSWORD });
  ok(changed.user?.email_confirmed_at);
  same(changed.user?.user_metadata, { from: "Anna", email_verified: true });
});

Deno.test("an invitation can be repeated until its code is used", async () => {
  const email = newAddress();
  await admin.inviteUserByEmail(email);
  same((await admin.inviteUserByEmail(email)).error, null);
  const { code } = await lastEmail(stack, email);
  ok((await clientOf(stack).auth.verifyOtp({ email, token: code, type: "invite" })).data.session);
  same(errorOf((await admin.inviteUserByEmail(email)).error), { status: 422, code: "email_exists" });
});

Deno.test("generateLink returns a valid link, code and hash of each type and sends no email", async () => {
  const known = await signedIn(stack);
  const options = { redirectTo: `${SITE}/in` };
  const made = [
    await admin.generateLink({ type: "signup", email: newAddress(), password: PASSWORD, options }),
    await admin.generateLink({ type: "invite", email: newAddress(), options }),
    await admin.generateLink({ type: "magiclink", email: known.email, options }),
    await admin.generateLink({ type: "recovery", email: (await signedIn(stack)).email, options }),
  ];
  for (const { data, error } of made) {
    same(error, null);
    const { action_link, redirect_to, verification_type } = data.properties!;
    same(redirect_to, `${SITE}/in`);
    same(await emails(stack, data.user!.email!), []);
    const { to, fragment } = await follow(action_link);
    same([to, fragment.get("type")], [`${SITE}/in`, verification_type]);
  }
  const { data } = await admin.generateLink({ type: "magiclink", email: known.email });
  const { email_otp: token, hashed_token } = data.properties!;
  ok(hashed_token.length === 56);
  ok((await clientOf(stack).auth.verifyOtp({ email: known.email, token, type: "email" })).data.session);
});

Deno.test("generateLink turns a new user's magic link into a sign-up, and rejects their recovery", async () => {
  const { data } = await admin.generateLink({ type: "magiclink", email: newAddress() });
  same(data.properties?.verification_type, "signup");
  const { error } = await admin.generateLink({ type: "recovery", email: newAddress() });
  same(errorOf(error), { status: 404, code: "user_not_found" });
});

Deno.test("generateLink returns the two links of an email change", async () => {
  const { email, client } = await signedIn(stack);
  const newEmail = newAddress();
  const link = async (type: "email_change_current" | "email_change_new") =>
    (await admin.generateLink({ type, email, newEmail })).data.properties!.action_link;
  const [current, next] = [await link("email_change_current"), await link("email_change_new")];
  await follow(current);
  same((await client.auth.getUser()).data.user?.email, email);
  await follow(next);
  same((await client.auth.getUser()).data.user?.email, newEmail.toLowerCase());
});

Deno.test("the admin API rejects the publishable key and users", async () => {
  const { session, id } = await signedIn(stack);
  for (const bearer of [stack.publishableKey, session.access_token]) {
    const headers = { apikey: stack.publishableKey, authorization: `Bearer ${bearer}` };
    for (const path of ["admin/users", `admin/users/${id}`]) {
      const response = await fetch(`${stack.url}/auth/v1/${path}`, { headers });
      same([response.status, (await response.json()).error_code], [403, "not_admin"]);
    }
  }
  same(errorOf((await clientOf(stack).auth.admin.inviteUserByEmail(newAddress())).error), {
    status: 403,
    code: "not_admin",
  });
});
