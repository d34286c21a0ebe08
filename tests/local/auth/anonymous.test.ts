// Anonymous sign-ins, and their conversion to permanent accounts.
import { deepStrictEqual as same, ok } from "node:assert";
import { decodeJwt } from "jose";
import {
  adminOf,
  clientOf,
  emails,
  errorOf,
  lastEmail,
  newAddress,
  PASSWORD,
  request,
  withSql,
} from "../../parity/auth/setup.ts";
import { startAuth } from "./auth_service.ts";

const stack = await startAuth({ allowAnonymous: true, anonymousUsersPerHour: 1000 });

async function signedInAnonymously(at = stack) {
  const client = clientOf(at);
  const { data, error } = await client.auth.signInAnonymously();
  if (error) throw error;
  return { client, user: data.user!, session: data.session! };
}

Deno.test("an anonymous sign-in starts a session of a user without address and identity", async () => {
  const { data, error } = await clientOf(stack).auth.signInAnonymously({ options: { data: { name: "Guest" } } });
  same(error, null);
  const user = data.user!, claims = decodeJwt(data.session!.access_token);
  same([user.is_anonymous, user.email, user.phone, user.identities, user.role], [true, "", "", [], "authenticated"]);
  same([user.app_metadata, user.user_metadata, user.email_confirmed_at], [{}, { name: "Guest" }, undefined]);
  same([claims.is_anonymous, claims.role, claims.email, claims.aal], [true, "authenticated", "", "aal1"]);
  same((claims.amr as { method: string }[]).map(({ method }) => method), ["anonymous"]);
  same((await request(stack, "GET /settings")).json.external.anonymous_users, true);
});

Deno.test("an anonymous session refreshes, and two sign-ins are two users", async () => {
  const first = await signedInAnonymously(), second = await signedInAnonymously();
  ok(first.user.id !== second.user.id);
  const { data, error } = await first.client.auth.refreshSession();
  same([error, data.user?.id, decodeJwt(data.session!.access_token).is_anonymous], [null, first.user.id, true]);
  const { data: found } = await adminOf(stack).getUserById(first.user.id);
  same(found.user?.is_anonymous, true);
});

Deno.test("an anonymous user is over after the sign-out", async () => {
  const { client, session } = await signedInAnonymously();
  await client.auth.signOut();
  const { error } = await clientOf(stack).auth.refreshSession({ refresh_token: session.refresh_token });
  same(errorOf(error), { status: 400, code: "refresh_token_not_found" });
});

Deno.test("an anonymous user becomes permanent with a confirmed address, then sets a password", async () => {
  const { client, user } = await signedInAnonymously();
  const email = newAddress();
  const alone = await client.auth.updateUser({ password: PASSWORD });
  same([errorOf(alone.error), alone.error?.message], [
    { status: 422, code: "validation_failed" },
    "Updating password of an anonymous user without an email or phone is not allowed",
  ]);
  const { data } = await client.auth.updateUser({ email });
  same([data.user?.email, data.user?.new_email, data.user?.is_anonymous], ["", email.toLowerCase(), true]);
  const { code } = await lastEmail(stack, email);
  const verified = await client.auth.verifyOtp({ email, token: code, type: "email_change" });
  same(verified.error, null);
  const permanent = verified.data.user!;
  same([permanent.id, permanent.email, permanent.is_anonymous], [user.id, email.toLowerCase(), false]);
  same(permanent.app_metadata, { provider: "email", providers: ["email"] });
  same(permanent.identities?.map(({ provider, identity_data }) => [provider, identity_data?.email_verified]), [
    ["email", true],
  ]);
  ok(permanent.email_confirmed_at);
  same(decodeJwt(verified.data.session!.access_token).is_anonymous, false);
  same((await client.auth.updateUser({ password: PASSWORD })).error, null);
  const signIn = await clientOf(stack).auth.signInWithPassword({ email, password: PASSWORD });
  same(signIn.data.user?.id, user.id);
});

Deno.test("the admin API makes an anonymous user permanent by a confirmed address", async () => {
  const { user } = await signedInAnonymously();
  const email = newAddress().toLowerCase();
  const { data, error } = await adminOf(stack).updateUserById(user.id, { email, email_confirm: true });
  same([error, data.user?.email, data.user?.is_anonymous], [null, email, false]);
  same(data.user?.identities?.map(({ provider, identity_data }) => [provider, identity_data?.email]), [
    ["email", email],
  ]);
});

Deno.test("an anonymous user cannot take the address of another account", async () => {
  const email = newAddress();
  await adminOf(stack).createUser({ email, email_confirm: true });
  const { client } = await signedInAnonymously();
  same(errorOf((await client.auth.updateUser({ email })).error), { status: 422, code: "email_exists" });
  same(await emails(stack, email), []);
});

Deno.test("an anonymous user cannot reauthenticate or enroll a factor", async () => {
  const { client } = await signedInAnonymously();
  const { error } = await client.auth.reauthenticate();
  same([error?.status, error?.message], [
    400,
    "Reauthentication requires the user to have an email or a phone number",
  ]);
  const { error: refused } = await client.auth.mfa.enroll({ factorType: "totp" });
  same(errorOf(refused), { status: 403, code: "no_authorization" });
});

Deno.test("an error of a trigger on auth.users rolls an anonymous sign-in back", async () => {
  await withSql(stack, (sql) =>
    sql.unsafe(`
      create function public.refuse_guests() returns trigger language plpgsql as $$
      begin if new.raw_user_meta_data ? 'refused' then raise exception 'refused'; end if; return new; end $$;
      create trigger refuse_guests before insert on auth.users for each row execute function public.refuse_guests();
    `).simple());
  const { status, json } = await request(stack, "POST /signup", { body: { data: { refused: true } } });
  same([status, json.msg], [500, "Database error creating anonymous user"]);
});

const small = await startAuth({ allowAnonymous: true, anonymousUsersPerHour: 2, confirmEmails: false });

Deno.test("without email confirmations, an address makes an anonymous user permanent at once", async () => {
  const { client, user } = await signedInAnonymously(small);
  const email = newAddress();
  const { data, error } = await client.auth.updateUser({ email, password: PASSWORD });
  same([error, data.user?.email, data.user?.is_anonymous], [null, email.toLowerCase(), false]);
  same(await emails(small, email), []);
  const signIn = await clientOf(small).auth.signInWithPassword({ email, password: PASSWORD });
  same(signIn.data.user?.id, user.id);
});

Deno.test("anonymous sign-ins are limited per client and hour", async () => {
  const errors = [];
  for (let i = 0; i < 3; i++) errors.push((await clientOf(small).auth.signInAnonymously()).error);
  const error = errors.at(-1)!;
  same([errorOf(error), error.message], [
    { status: 429, code: "over_request_rate_limit" },
    "Request rate limit reached",
  ]);
  same((await clientOf(small).auth.signUp({ email: newAddress(), password: PASSWORD })).error, null);
});

const closed = await startAuth({ allowAnonymous: true, allowSignups: false });

Deno.test("an anonymous sign-in returns 422 while sign-ups are off", async () => {
  same(errorOf((await clientOf(closed).auth.signInAnonymously()).error), { status: 422, code: "signup_disabled" });
});
