// Sessions: tokens, their renewal, and their end.
import { deepStrictEqual as same, match, notStrictEqual as differs, ok } from "node:assert";
import { stack as running } from "../../stack.ts";
import { adminOf, clientOf, errorOf, PASSWORD, signedIn, withSql } from "./setup.ts";

const stack = await running();

const refresh = (refresh_token: string) => clientOf(stack).auth.refreshSession({ refresh_token });

/** As if the user's refresh tokens had been swapped eleven seconds earlier. */
const elevenSecondsLater = (userId: string) =>
  withSql(stack, async (sql) => {
    await sql`update auth.refresh_tokens set updated_at = updated_at - interval '11 seconds' where user_id = ${userId}`;
    await sql`update auth.sessions set refreshed_at = refreshed_at - interval '11 seconds' where user_id = ${userId}`;
  });

Deno.test("access tokens are ES256 with a kid, and getClaims verifies them by the published keys", async () => {
  const { id, email, client, session } = await signedIn(stack);
  const { data, error } = await client.auth.getClaims();
  same(error, null);
  same(data?.header.alg, "ES256");
  const jwks = await (await fetch(`${stack.url}/auth/v1/.well-known/jwks.json`)).json();
  same(jwks.keys.map((key: JsonWebKey & { kid: string }) => key.kid), [data?.header.kid]);
  ok(!("d" in jwks.keys[0]), "the private key stays private");
  const { iss, sub, aud, role, aal, session_id, is_anonymous, exp, iat } = data!.claims;
  same({ iss, sub, aud, role, aal, is_anonymous }, {
    iss: `${stack.url}/auth/v1`,
    sub: id,
    aud: "authenticated",
    role: "authenticated",
    aal: "aal1",
    is_anonymous: false,
  });
  ok(session_id);
  same(exp - iat, 3600);
  same(data?.claims.email, email);
  same(data?.claims.app_metadata, { provider: "email", providers: ["email"] });
  ok(session.access_token.split(".").length === 3);
});

Deno.test("getUser returns the caller and rejects a forged token and a key", async () => {
  const { id, client, session } = await signedIn(stack);
  same((await client.auth.getUser()).data.user?.id, id);
  const [header, payload, signature] = session.access_token.split(".");
  const forged = [header, btoa(atob(payload).replace(id, crypto.randomUUID())).replace(/=+$/, ""), signature].join(".");
  same(errorOf((await clientOf(stack).auth.getUser(forged)).error), { status: 403, code: "bad_jwt" });
  same(errorOf((await clientOf(stack).auth.getUser(stack.publishableKey)).error), { status: 403, code: "bad_jwt" });
});

Deno.test("a refresh returns new tokens for the same session", async () => {
  const { session } = await signedIn(stack);
  const { data, error } = await refresh(session.refresh_token);
  same(error, null);
  differs(data.session?.refresh_token, session.refresh_token);
  const claims = (token: string) => JSON.parse(atob(token.split(".")[1]));
  const { session_id, amr } = claims(session.access_token), renewed = claims(data.session!.access_token);
  same([renewed.session_id, renewed.amr], [session_id, amr], "the sign-in keeps its time");
  ok(Number.isInteger(amr[0].timestamp) && amr[0].timestamp <= Date.now() / 1000, JSON.stringify(amr));
});

Deno.test("a client that lost the response to its refresh receives the same successor again", async () => {
  const { id, session } = await signedIn(stack);
  const first = await refresh(session.refresh_token);
  await elevenSecondsLater(id);
  const again = await refresh(session.refresh_token);
  same(again.data.session?.refresh_token, first.data.session?.refresh_token);
});

Deno.test("two tabs can refresh one session at once", async () => {
  const { session } = await signedIn(stack);
  const results = await Promise.all([refresh(session.refresh_token), refresh(session.refresh_token)]);
  same(results.map(({ error }) => error), [null, null]);
});

Deno.test("a used refresh token remains valid for ten seconds", async () => {
  const { session } = await signedIn(stack);
  const second = await refresh(session.refresh_token);
  await refresh(second.data.session!.refresh_token);
  same((await refresh(session.refresh_token)).error, null);
});

Deno.test("a refresh token that is reused later revokes the session's other tokens", async () => {
  const { id, session } = await signedIn(stack);
  const second = await refresh(session.refresh_token);
  const third = await refresh(second.data.session!.refresh_token);
  await elevenSecondsLater(id);
  same(errorOf((await refresh(session.refresh_token)).error), { status: 400, code: "refresh_token_already_used" });
  await elevenSecondsLater(id);
  const { error } = await refresh(third.data.session!.refresh_token);
  // The service ends the session of tokens of its newer form
  match(error!.code!, /^refresh_token_(already_used|not_found)$/);
});

Deno.test("auth rejects a malformed refresh token", async () => {
  same(errorOf((await refresh("no such token")).error), { status: 400, code: "validation_failed" });
  same(errorOf((await refresh("abcdefghijkl")).error), { status: 400, code: "refresh_token_not_found" });
});

Deno.test("signing out ends this session, the others, or all of them", async () => {
  const { email, client: here } = await signedIn(stack);
  const elsewhere = async () => {
    const client = clientOf(stack);
    await client.auth.signInWithPassword({ email, password: PASSWORD });
    return client;
  };
  const isIn = async (client: typeof here) => (await client.auth.refreshSession()).error === null;

  const [there, third] = [await elsewhere(), await elsewhere()];
  same((await there.auth.signOut({ scope: "local" })).error, null);
  same([await isIn(here), await isIn(third)], [true, true]);
  await here.auth.signOut({ scope: "others" });
  same([await isIn(here), await isIn(third)], [true, false]);
  const fourth = await elsewhere();
  await here.auth.signOut();
  same(await isIn(fourth), false);
});

Deno.test("auth rejects the access token of an ended session", async () => {
  const { client, session } = await signedIn(stack);
  await client.auth.signOut();
  same((await clientOf(stack).auth.getUser(session.access_token)).error?.name, "AuthSessionMissingError");
});

Deno.test("the admin API signs a user out by their token", async () => {
  const { client, session } = await signedIn(stack);
  same((await adminOf(stack).signOut(session.access_token, "global")).error, null);
  same((await client.auth.refreshSession()).error?.code, "refresh_token_not_found");
});

Deno.test("updateUser merges user_metadata, removes null keys and rejects app_metadata", async () => {
  const { client, session } = await signedIn(stack);
  await client.auth.updateUser({ data: { display_name: "Anna", color: "red" } });
  const { data } = await client.auth.updateUser({ data: { color: null, size: 7 } });
  same(data.user?.user_metadata, { email_verified: true, display_name: "Anna", size: 7 });
  const response = await fetch(`${stack.url}/auth/v1/user`, {
    method: "PUT",
    headers: { apikey: stack.publishableKey, authorization: `Bearer ${session.access_token}` },
    body: JSON.stringify({ app_metadata: { admin: true } }),
  });
  same([response.status, (await response.json()).error_code], [403, "not_admin"]);
});

Deno.test("a banned user cannot sign in, refresh or read until the ban is lifted", async () => {
  const { id, email, client, session } = await signedIn(stack);
  const { data } = await adminOf(stack).updateUserById(id, { ban_duration: "1h30m" });
  ok(Date.parse((data.user as { banned_until?: string }).banned_until!) > Date.now());
  const signIn = () => clientOf(stack).auth.signInWithPassword({ email, password: PASSWORD });
  same(errorOf((await signIn()).error), { status: 400, code: "user_banned" });
  same(errorOf((await refresh(session.refresh_token)).error), { status: 400, code: "user_banned" });
  same(errorOf((await client.auth.getUser()).error), { status: 403, code: "user_banned" });
  await adminOf(stack).updateUserById(id, { ban_duration: "none" });
  same((await signIn()).error, null);
});
