// Auth on databases of the tests' own: settings, and triggers on auth.users.
import { deepStrictEqual as same, ok } from "node:assert";
import { authSettings } from "../../../local/auth/settings.ts";
import {
  adminOf,
  type AuthStack,
  clientOf,
  emails,
  errorOf,
  follow,
  lastEmail,
  newAddress,
  PASSWORD,
  signedIn,
  SITE,
  withSql,
} from "../../parity/auth/setup.ts";
import { startAuth } from "./auth_service.ts";

const configured = await startAuth({
  templates: {
    ...authSettings().templates,
    invite: {
      subject: "For {{ .Data.name }}",
      html: '<p>{{ .Data.name }}, code: {{ .Token }}</p> <a href="{{ .ConfirmationURL }}">Join</a>',
    },
  },
  siteUrl: "https://castbase.example",
  redirects: ["https://*.preview.example/**", "castbase://*"],
});

Deno.test("emails escape user metadata, and ConfirmationURL redirects to emailRedirectTo", async () => {
  const email = newAddress();
  await adminOf(configured).inviteUserByEmail(email, {
    data: { name: "<b>Anna & Co</b>" },
    redirectTo: `${SITE}/join`,
  });
  const { subject, text, page } = await lastEmail(configured, email);
  same([subject, text.split(",")[0]], ["For <b>Anna & Co</b>", "<b>Anna & Co</b>"]);
  same((await follow(page)).to, `${SITE}/join`);
});

Deno.test("allowedRedirect accepts the site, loopback addresses and the allow list only", async () => {
  const { email } = await signedIn(configured);
  const target = async (redirectTo: string) => {
    const { data } = await adminOf(configured).generateLink({ type: "magiclink", email, options: { redirectTo } });
    return data.properties!.redirect_to;
  };
  for (
    const allowed of [
      "https://castbase.example/any/page?x=1",
      "https://pr-7.preview.example/deep/page",
      "http://127.0.0.1:5173/",
      "castbase://signed-in",
    ]
  ) same(await target(allowed), allowed);
  for (
    const refused of [
      "https://castbase.example.evil.example/",
      "http://castbase.example/",
      "https://castbase.example:8443/",
      "https://a.b.preview.example/",
      "https://192.0.2.1/",
      "https://evil.example/#https://pr-7.preview.example/",
      "not an address",
    ]
  ) same(await target(refused), "https://castbase.example");
});

/** Without supabase-js, which hides the body of a 500. */
async function post(stack: AuthStack, apikey: string, path: string, body: unknown, version = "2024-01-01") {
  const headers = { apikey, "x-supabase-api-version": version };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  return await (await fetch(`${stack.url}/auth/v1${path}`, init)).json();
}
const unexpected = (message: string) => ({ code: "unexpected_failure", message });

/** Here triggers on auth.users keep a journal, and reject some addresses by their text. */
const watched = await startAuth();
await withSql(
  watched,
  (sql) =>
    sql.unsafe(`
      create table public.journal (email text, step text, confirmed boolean, consumes_code boolean, who text);
      create function public.watch_users() returns trigger language plpgsql security definer set search_path = '' as $$
      begin
        if new.email like 'no-' || lower(tg_op) || '%' and (tg_op = 'INSERT' or new.email_confirmed_at is not null) then
          raise exception 'refused by a trigger';
        end if;
        insert into public.journal values
          (new.email, tg_op, new.email_confirmed_at is not null, old.confirmation_token <> '', session_user);
        return null;
      end $$;
      create trigger watch_insert after insert on auth.users for each row execute function public.watch_users();
      create trigger watch_confirmation after update of email_confirmed_at on auth.users
        for each row execute function public.watch_users();
    `).simple(),
);

Deno.test("triggers on auth.users see an unconfirmed insert, then the confirmation as an update", async () => {
  const journal = (email: string) =>
    withSql(
      watched,
      (sql) => sql`select step, confirmed, consumes_code, who from public.journal where email = ${email.toLowerCase()}`,
    );
  const who = "supabase_auth_admin";
  const inserted = { step: "INSERT", confirmed: false, consumes_code: null, who };
  const updated = { step: "UPDATE", confirmed: true, consumes_code: true, who };

  const signedUp = newAddress();
  await clientOf(watched).auth.signUp({ email: signedUp, password: PASSWORD });
  same([...await journal(signedUp)], [inserted]);
  const { code } = await lastEmail(watched, signedUp);
  await clientOf(watched).auth.verifyOtp({ email: signedUp, token: code, type: "signup" });
  same([...await journal(signedUp)], [inserted, updated]);

  const created = newAddress();
  await adminOf(watched).createUser({ email: created, email_confirm: true });
  same([...await journal(created)], [inserted, { ...updated, consumes_code: false }]);
});

Deno.test("an error of a trigger on auth.users rolls the sign-up back without internals in the response", async () => {
  const users = (email: string) => withSql(watched, (sql) => sql`select 1 from auth.users where email = ${email}`);
  const email = "no-insert@example.org";
  const body = { email, password: PASSWORD };
  const signUp = await post(watched, watched.publishableKey, "/signup", body);
  same(signUp, unexpected("Database error saving new user"));
  same([(await users(email)).length, await emails(watched, email)], [0, []]);
  const created = await post(watched, watched.secretKey, "/admin/users", body);
  same(created, unexpected("Database error creating new user"));
  same((await users(email)).length, 0);
});

Deno.test("a client without an API version receives the error that a trigger raises", async () => {
  const signUp = await post(watched, watched.publishableKey, "/signup", {
    email: "no-insert@example.org",
    password: PASSWORD,
  }, "");
  same(signUp, { code: "P0001", message: "refused by a trigger" });
});

Deno.test("an error of a trigger keeps the user unconfirmed and the code valid", async () => {
  const email = "no-update@example.org";
  await clientOf(watched).auth.signUp({ email, password: PASSWORD });
  const { code } = await lastEmail(watched, email);
  const proof = { email, token: code, type: "signup" as const };
  const verified = await post(watched, watched.publishableKey, "/verify", proof);
  same(verified, unexpected("Error confirming user"));
  const signIn = await clientOf(watched).auth.signInWithPassword({ email, password: PASSWORD });
  same(errorOf(signIn.error), { status: 400, code: "email_not_confirmed" });
  await withSql(watched, (sql) => sql`drop trigger watch_confirmation on auth.users`);
  ok((await clientOf(watched).auth.verifyOtp(proof)).data.session);
});

Deno.test("a trigger on auth.users sees a soft deletion as one update of the address and deleted_at", async () => {
  const { id } = await signedIn(watched);
  await withSql(watched, (sql) =>
    sql.unsafe(`
      create table public.deletions (id uuid, changes_address boolean, keeps_confirmation boolean, metadata jsonb);
      create function public.watch_deletions() returns trigger language plpgsql security definer set search_path = '' as $$
      begin
        insert into public.deletions
        values (new.id, new.email <> old.email, new.email_confirmed_at is not null, new.raw_user_meta_data);
        return null;
      end $$;
      create trigger watch_deletion after update on auth.users for each row
        when (old.deleted_at is null and new.deleted_at is not null) execute function public.watch_deletions();
    `).simple());
  same((await adminOf(watched).deleteUser(id, true)).error, null);
  const seen = await withSql(watched, (sql) => sql`select * from public.deletions`);
  same([...seen], [{ id, changes_address: true, keeps_confirmation: true, metadata: { email_verified: true } }]);
});
